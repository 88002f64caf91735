import { compareIds, type MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { HistoryPage, HistoryRead } from "../ports/discord.ts";

interface WantedDeps {
  /** As `Discord.history`. */
  fetch(page: HistoryPage): Promise<HistoryRead>;
  isWanted(message: Message): boolean;
}

const PAGE = 100;
/** Where somebody who opted out has filled so many pages, what lies behind them is left for another call. */
const MAX_PAGES = 10;

/**
 * A page of history as it would be if the unwanted messages had never been written: as many messages as were asked for, newest first. `isFull`
 * says whether there may be more.
 */
export async function readWanted(page: HistoryPage, deps: WantedDeps): Promise<HistoryRead> {
  if (page.around !== undefined) return readAround(page.around, page.limit, deps);
  const isForward = page.after !== undefined;
  const messages: Message[] = [];
  let next = page;
  for (let pages = 1; ; pages += 1) {
    const read = await deps.fetch(next);
    messages.push(...read.messages.filter(deps.isWanted));
    const last = isForward ? read.messages[0] : read.messages.at(-1);
    const isEnough = messages.length >= page.limit || !read.isFull || !last || pages === MAX_PAGES;
    if (isEnough) {
      messages.sort((a, b) => compareIds(b.message_id, a.message_id));
      const kept = isForward ? messages.slice(-page.limit) : messages.slice(0, page.limit);
      return { messages: kept, isFull: messages.length >= page.limit || read.isFull };
    }
    next = { limit: PAGE, [isForward ? "after" : "before"]: last.message_id };
  }
}

/** Half on each side, as Discord does it. */
async function readAround(id: MessageId, limit: number, deps: WantedDeps): Promise<HistoryRead> {
  const half = Math.floor(limit / 2);
  const above = String(BigInt(id) + 1n) as MessageId;
  const none: HistoryRead = { messages: [], isFull: false };
  // The message itself is the first of those before the next id.
  const older = await readWanted({ limit: half + 1, before: above }, deps);
  const newer = half === 0 ? none : await readWanted({ limit: half, after: id }, deps);
  const [first] = older.messages;
  const before = first?.message_id === id ? older.messages : older.messages.slice(0, half);
  const messages = [...newer.messages, ...before].slice(0, limit);
  return { messages, isFull: older.isFull || newer.isFull };
}
