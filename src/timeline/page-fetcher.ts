import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import { type Interval, NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { SingleFlight } from "../domain/single-flight.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord, HistoryPage, HistoryRead } from "../ports/discord.ts";
import type { Timeline } from "./timeline.ts";

/** Discord's maximum per request. */
export const PAGE = 100;

/** The direction of a page: below or above an id, which is excluded, or on both sides of one, which is included. */
export type Direction = "before" | "after" | "around";

export interface Page extends Interval {
  /** Newest first. */
  readonly messages: readonly Message[];
}

export interface FetcherDeps {
  readonly discord: Pick<Discord, "history">;
  readonly clock: Clock;
  readonly consent: Pick<Consent, "isLeftOut">;
  /** Called when a page has arrived. */
  readonly onPage: (timeline: Timeline) => void;
}

/** Fetches missing messages of timelines, one page at a time per channel. Concurrent callers of the same page share it. */
export class PageFetcher {
  readonly #deps: FetcherDeps;
  readonly #flights = new SingleFlight<Timeline, Page | null>();
  /** The last page requested of each timeline. */
  readonly #pages = new WeakMap<Timeline, string>();

  constructor(deps: FetcherDeps) {
    this.#deps = deps;
  }

  /**
   * The page, which is then in the timeline, too. Null if the caller should look again first: another page arrived meanwhile, or known
   * intervals became invalid. Throws `cancelled` for a caller that aborts; once all have aborted, the request is aborted.
   */
  async fetch(
    timeline: Timeline,
    { direction, id }: { direction: Direction; id: bigint },
    signal: AbortSignal | undefined,
  ): Promise<Page | null> {
    throwIfCancelled(signal);
    const wanted = `${direction} ${id}`;
    const isOther = this.#flights.has(timeline) && this.#pages.get(timeline) !== wanted;
    if (!isOther) this.#pages.set(timeline, wanted);
    try {
      const page = await this.#flights.run(timeline, (each) => this.#fly(timeline, { direction, id }, each), signal);
      return isOther ? null : page;
    } catch (error) {
      throwIfCancelled(signal);
      // A failure of another caller's request does not fail this one.
      if (isOther) return null;
      throw error;
    }
  }

  get isBusy(): boolean {
    return this.#flights.size > 0;
  }

  /** Aborts all requests. */
  close(): void {
    this.#flights.close();
  }

  async #fly(
    timeline: Timeline,
    { direction, id }: { direction: Direction; id: bigint },
    signal: AbortSignal,
  ): Promise<Page | null> {
    const { epoch } = timeline;
    const journal = timeline.openJournal();
    try {
      const read = await this.#deps.discord.history(timeline.place.channelId, toRequest(direction, id), signal);
      timeline.throwIfGone();
      if (timeline.epoch !== epoch) return null;
      const interval = toInterval(direction, id, read);
      const { clock, consent } = this.#deps;
      const held = read.messages.filter(({ author }) => !consent.isLeftOut(author.id));
      if (held.length < read.messages.length) timeline.isPartial = true;
      const page = { ...interval, messages: timeline.learn(interval, held, { journal, now: clock.now() }) };
      this.#deps.onPage(timeline);
      return page;
    } finally {
      timeline.closeJournal(journal);
    }
  }
}

function toRequest(direction: Direction, id: bigint): HistoryPage {
  return direction === "before" && id > NEWEST
    ? { limit: PAGE }
    : { limit: PAGE, [direction]: String(id) as MessageId };
}

/** A page that is not full proves that there is no more in its direction; around an id, neither side is proven. */
function toInterval(direction: Direction, id: bigint, { messages, isFull }: HistoryRead): Interval {
  const ids = messages
    .map(({ message_id }) => BigInt(message_id))
    .filter((each) => (direction === "before" ? each < id : direction === "after" ? each > id : true));
  if (isFull && ids.length === 0)
    throw new EarshotError("unavailable", "Discord answers with messages that were not asked for; try again later.");
  const oldest = ids.reduce((least, each) => (each < least ? each : least), ids[0] ?? id);
  const newest = ids.reduce((most, each) => (each > most ? each : most), ids[0] ?? id);
  if (direction === "before") return { from: isFull ? oldest : OLDEST, to: id - 1n };
  if (direction === "after") return { from: id + 1n, to: isFull ? newest : NEWEST };
  return { from: oldest < id ? oldest : id, to: newest > id ? newest : id };
}

/** A refusal or failure by Discord, but not a cancellation by the caller. */
export function isRefusal(error: unknown): error is EarshotError {
  return error instanceof EarshotError && error.code !== "cancelled";
}
