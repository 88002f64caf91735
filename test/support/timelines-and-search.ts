import type { Consent } from "../../src/ports/consent.ts";
import type { Search } from "../../src/ports/search.ts";
import type { Timelines } from "../../src/ports/timelines.ts";
import { openSearch, type SearchDeps, type SearchOptions } from "../../src/search/open-search.ts";
import { openTimelines, type TimelinesDeps } from "../../src/timeline/open-timelines.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { createTestConsent } from "./consent.ts";

/** Closing it closes both. */
export type TimelinesAndSearch = Timelines & Search;

export type TimelinesAndSearchOptions = Partial<TimelineOptions> & SearchOptions;

/** Real timelines and the search on them, as one object. Messages are indexed when they are searched, unless the options say otherwise. */
export function openTimelinesAndSearch(
  options: TimelinesAndSearchOptions,
  deps: Omit<TimelinesDeps, "consent"> & Omit<SearchDeps, "timelines" | "consent"> & { readonly consent?: Consent },
): TimelinesAndSearch {
  const { consent = createTestConsent() } = deps;
  const timelines = openTimelines(options, { ...deps, consent });
  const search = openSearch({ indexesAhead: false, ...options }, { ...deps, consent, timelines });
  return {
    recent: (...args) => timelines.recent(...args),
    before: (...args) => timelines.before(...args),
    after: (...args) => timelines.after(...args),
    around: (...args) => timelines.around(...args),
    range: (...args) => timelines.range(...args),
    message: (...args) => timelines.message(...args),
    listArchives: (...args) => timelines.listArchives(...args),
    holds: (...args) => timelines.holds(...args),
    letGoOf(authorId) {
      timelines.letGoOf(authorId);
      search.letGoOf(authorId);
    },
    held: () => timelines.held(),
    stats: () => timelines.stats(),
    find: search.find,
    contains: search.contains,
    async close() {
      await search.close();
      await timelines.close();
    },
  };
}
