import type { Search } from "../../src/ports/search.ts";
import type { Timelines } from "../../src/ports/timelines.ts";
import { openSearch, type SearchDeps, type SearchOptions } from "../../src/search/open-search.ts";
import { openTimelines, type TimelinesDeps } from "../../src/timeline/open-timelines.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";

/** Closing it closes both. */
export type TimelinesAndSearch = Timelines & Search;

export type TimelinesAndSearchOptions = Partial<TimelineOptions> & SearchOptions;

/** Real timelines and the search on them, as one object. */
export function openTimelinesAndSearch(
  options: TimelinesAndSearchOptions,
  deps: TimelinesDeps & Omit<SearchDeps, "timelines">,
): TimelinesAndSearch {
  const timelines = openTimelines(options, deps);
  const search = openSearch(options, { ...deps, timelines });
  return {
    recent: (...args) => timelines.recent(...args),
    before: (...args) => timelines.before(...args),
    after: (...args) => timelines.after(...args),
    around: (...args) => timelines.around(...args),
    range: (...args) => timelines.range(...args),
    message: (...args) => timelines.message(...args),
    stats: () => timelines.stats(),
    find: search.find,
    contains: search.contains,
    async close() {
      await search.close();
      await timelines.close();
    },
  };
}
