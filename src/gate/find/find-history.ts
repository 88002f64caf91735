import type { MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Pace } from "../../domain/steps/pace.ts";
import { pickHistory } from "../../domain/summary/pick-history.ts";
import { DAY_MS, readByDay } from "../../domain/summary/read-by-day.ts";
import type { Search, SearchRequest, SearchResult } from "../../ports/search.ts";

const MAX_MESSAGES = 2_000;
const MAX_PAGE = 100;
/** How far back "until" without a start looks. */
const OPEN_DAYS = 31;

interface HistoryDeps {
  readonly search: Pick<Search, "find">;
  readonly now: number;
  readonly pace: Pace;
}

/** The largest conversations of each day of a period, on any topic. Every day gets its share of the reads. Throws as `Search.find` does. */
export async function findHistory(request: SearchRequest, { search, now, pace }: HistoryDeps): Promise<SearchResult> {
  const { since, until } = request.query;
  const to = until ?? now;
  const messages = new Map<MessageId, Message>();
  let scan = request.scan;
  const days = await readByDay(
    { from: since ?? to - OPEN_DAYS * DAY_MS, to },
    MAX_MESSAGES,
    async ({ span, limit }) => {
      const query = { ...request.query, since: span.from, until: span.to };
      const pages: SearchResult[] = [];
      let count = 0;
      for (let cursor: string | null | undefined; cursor !== null && count < limit; ) {
        const page = await search.find({
          ...request,
          ...{ query, everything: true, limit: Math.min(MAX_PAGE, limit - count), scan },
          ...(cursor !== undefined && { cursor }),
        });
        for (const { message } of page.hits) messages.set(message.message_id, message);
        scan = Math.max(0, scan - page.counted);
        count += page.hits.length;
        pages.push(page);
        cursor = page.has_more && page.hits.length > 0 ? page.cursor : null;
      }
      return { count, part: pages };
    },
  );
  const pages = days.flat();
  const channels = Map.groupBy(messages.values(), ({ channel_id }) => channel_id);
  const picked = await pace.run(pickHistory([...channels.values()], request.limit, pace));
  const isAll = days.every((day) => day.at(-1)?.has_more === false);
  return {
    hits: picked.map((hit) => ({ ...hit, words_in_message: "all", question: null })),
    coverage: {
      scanned: days.reduce((sum, day) => sum + (day[0]?.coverage.scanned ?? 0), 0),
      from: pages.findLast(({ coverage }) => coverage.from !== null)?.coverage.from ?? null,
      to: pages.find(({ coverage }) => coverage.to !== null)?.coverage.to ?? null,
      complete: isAll && pages.every(({ coverage }) => coverage.complete),
    },
    compared: null,
    everything_since: null,
    further_back: false,
    counted: pages.reduce((sum, { counted }) => sum + counted, 0),
    has_more: false,
    cursor: null,
    older: WORST.find((state) => pages.some(({ older }) => older === state)) ?? "not_needed",
    still_reading: pages.some((page) => page.still_reading),
    unreachable: pages.some((page) => page.unreachable),
  };
}

const WORST = ["unavailable", "not_ready", "searched"] as const;
