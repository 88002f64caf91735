import { EarshotError } from "../domain/errors.ts";
import type { ChannelId } from "../domain/ids.ts";
import { type Interval, NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { containsKeywords, type Keyword, toKeywords } from "../domain/search/keywords.ts";
import { COST } from "../domain/steps/pace.ts";
import type { Search } from "../ports/search.ts";
import type { Read } from "../ports/timelines.ts";
import { type TimelinesForSearch, toNumber } from "../timeline/open-timelines.ts";
import type { ReadFilter, ReadInProgress } from "../timeline/read-in-progress.ts";

const DEFAULT_SCAN = 1_000;
/** How many candidates are looked up at a time. */
const MAX_CANDIDATES = 500;
/** Among how many messages: in memory the store reads the text of each. */
const MAX_SCANNED = 4_000;
/** What looking them up takes, in units of work: in all, and for each message among which they are looked up. */
const LOOKUP_COST = 30_000;
const SCANNED_COST = 50;

/**
 * @see Search.contains. Not the word index of `find`, which knows whole words: keywords may begin and end anywhere, across words and punctuation
 * and in scripts without spaces. So candidates come from the message store (`MessageIndex.candidates`), and each is read and compared.
 */
export async function contains(
  { channelId, query, options }: { channelId: ChannelId; query: string; options: Parameters<Search["contains"]>[2] },
  timelines: Pick<TimelinesForSearch, "readBack">,
): Promise<Read> {
  const keywords = toKeywords(query);
  if (keywords.length === 0) throw new EarshotError("invalid", "The query has no word to look for: give at least one.");
  const cursorKey = ["search", channelId, options.before ?? "", ...keywords.map(({ lower }) => lower)];
  const from = options.before === undefined ? NEWEST : toNumber(options.before) - 1n;
  return timelines.readBack({ channelId, options, cursorKey, filter: toFilter(keywords) }, { from, last: OLDEST });
}

function toFilter(keywords: readonly Keyword[]): ReadFilter {
  return {
    defaultScan: DEFAULT_SCAN,
    accepts: ({ content }) => containsKeywords(content, keywords),
    examineKnown(read, position, bottom) {
      const scanEnd = read.scanEnd(position) ?? bottom;
      const { hits, end } = readCandidates(read, keywords, { from: scanEnd > bottom ? scanEnd : bottom, to: position });
      noteExamined(read, { from: end, to: position }, hits);
      return end - 1n;
    },
  };
}

/** Reads candidates, newest first, until there are as many hits as wanted or the step is over; `end` is how far it got. */
function readCandidates(
  read: ReadInProgress,
  keywords: readonly Keyword[],
  { from, to }: Interval,
): { hits: readonly Message[]; end: bigint } {
  const { timeline, toReturn } = read;
  const { index, channelId } = timeline.place;
  const lowest = timeline.ids.countDown(to, MAX_SCANNED) ?? from;
  const bottom = lowest > from ? lowest : from;
  const within = { from: bottom, to, limit: MAX_CANDIDATES };
  const ids = index.candidates(channelId, keywords, within).map(BigInt);
  const hits: Message[] = [];
  read.spend(LOOKUP_COST + SCANNED_COST * timeline.ids.count(bottom, to));
  for (const id of ids) {
    const [message] = timeline.get([id]);
    if (message && containsKeywords(message.content, keywords) && !read.isEcho(id)) hits.push(message);
    read.spend(COST.message + (message?.content.length ?? 0) * (COST.character + keywords.length));
    if (hits.length >= toReturn || read.mustRest) return { hits, end: id };
  }
  return { hits, end: (ids.length < MAX_CANDIDATES ? undefined : ids.at(-1)) ?? bottom };
}

function noteExamined(read: ReadInProgress, { from, to }: Interval, accepted: readonly Message[]): void {
  const { ids } = read.timeline;
  const all = ids.count(from, to);
  if (all === 0) return;
  const count = read.count(from, to);
  // Counted from the newest.
  const counts = (rank: number) => !read.isEcho(ids.countDown(to, rank) ?? from);
  let [first, last] = [1, all];
  while (first < last && !counts(first)) first += 1;
  while (last > first && !counts(last)) last -= 1;
  const [newest = to, oldest = from] = [ids.countDown(to, first), ids.countDown(to, last)];
  read.noteExamined({ count, skipped: all - count, newest, oldest, accepted });
}
