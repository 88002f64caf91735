import type { Query } from "../domain/search/query.ts";
import { toQueryTerms, toSpellings } from "../domain/search/terms.ts";
import type { Steps } from "../domain/steps/pace.ts";
import { Statistics } from "./rank/statistics.ts";
import type { ChannelScan } from "./snapshot/channel-scan.ts";
import { SearchSnapshot, type SnapshotDeps } from "./snapshot/snapshot.ts";

/** Discord's own bound, in characters. */
const MAX_CONTENT_LENGTH = 1_024;

/**
 * The queries for Discord's search, tried in turn until there are enough hits; null matches everything. Discord requires all words at once, which a question
 * hardly ever meets: so first all of them, then the two rarest, then each of these. The rarity of a word is counted over the messages of this search only.
 */
export function* toContents(
  query: Query,
  scans: readonly ChannelScan[],
  deps: SnapshotDeps,
): Steps<readonly (string | null)[]> {
  const text = [query.text, ...query.phrases].join("\n");
  const spellings = toSpellings(text);
  const terms = toQueryTerms(text);
  const toWord = (term: string) => spellings.get(term)?.text ?? term;
  if (terms.length === 0) return [null];
  const all = toContent(terms.map(toWord));
  if (query.phrases.length > 0 || terms.length === 1) return [all];
  const [first = "", second = ""] = (yield* rarestFirst(terms, scans, deps)).map(toWord);
  return [...new Set([all, toContent([first, second]), toContent([first]), toContent([second])])];
}

/** If two words are equally rare, the longer one is more specific. */
function* rarestFirst(terms: readonly string[], scans: readonly ChannelScan[], deps: SnapshotDeps): Steps<string[]> {
  const open = scans.filter(({ timeline }) => !timeline.gone);
  const snapshot = yield* SearchSnapshot.open({ scans: open, isGuildSearchOnly: false }, deps);
  try {
    const statistics = new Statistics(snapshot.frames);
    const counts = new Map<string, number>();
    for (const term of terms) {
      const number = deps.vocabulary.find(term);
      counts.set(term, number === undefined ? 0 : statistics.find(number).count);
      if (deps.pacer.spend(statistics.findCost)) yield;
    }
    return [...terms].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || b.length - a.length);
  } finally {
    snapshot.close();
  }
}

function toContent(words: readonly string[]): string {
  return words.join(" ").slice(0, MAX_CONTENT_LENGTH).toWellFormed();
}
