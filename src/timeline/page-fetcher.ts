import { EarshotError } from "../domain/errors.ts";
import type { MessageId, UserId } from "../domain/ids.ts";
import { type Interval, NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, HistoryPage, HistoryRead } from "../ports/discord.ts";
import type { Timeline } from "./timeline.ts";

/** The most that Discord gives at once. */
export const PAGE = 100;

/** Where to look: below or above an id, which is not included itself, or on both sides of one, which is. */
export type Direction = "before" | "after" | "around";

export interface Page extends Interval {
  /** Newest first. */
  readonly messages: readonly Message[];
}

interface Flight {
  readonly name: string;
  readonly page: Promise<Page | null>;
  readonly controller: AbortController;
  waiting: number;
}

export interface FetcherDeps {
  readonly discord: Pick<Discord, "history">;
  readonly clock: Clock;
  /** Whose messages are left out. */
  readonly optedOut: ReadonlySet<UserId>;
  /** A page has arrived. */
  readonly onPage: (timeline: Timeline) => void;
}

/** Fetches what a timeline lacks, one page at a time per channel. Whoever wants the same page shares it. */
export class PageFetcher {
  readonly #deps: FetcherDeps;
  readonly #flights = new Map<Timeline, Flight>();

  constructor(deps: FetcherDeps) {
    this.#deps = deps;
  }

  /**
   * The page, which the timeline then knows too. Null when it is worth looking again first: another page has arrived meanwhile, or what
   * was known is known no longer.
   */
  async fetch(
    timeline: Timeline,
    { direction, id }: { direction: Direction; id: bigint },
    signal: AbortSignal | undefined,
  ): Promise<Page | null> {
    throwIfCancelled(signal);
    const name = `${direction} ${id}`;
    const other = this.#flights.get(timeline);
    if (other && (other.name !== name || other.controller.signal.aborted)) {
      await this.#wait(other, signal).catch((error) => {
        // Somebody else's failure is not ours.
        if (signal?.aborted) throw error;
      });
      return null;
    }
    return this.#wait(other ?? this.#start(timeline, { direction, id }, name), signal);
  }

  /** A page is being fetched for somebody. */
  get isBusy(): boolean {
    return this.#flights.size > 0;
  }

  /** Calls off everything that is under way. */
  close(): void {
    for (const { controller } of this.#flights.values()) controller.abort();
  }

  #start(timeline: Timeline, { direction, id }: { direction: Direction; id: bigint }, name: string): Flight {
    const controller = new AbortController();
    const page = this.#fly(timeline, { direction, id }, controller.signal).finally(() => {
      this.#flights.delete(timeline);
    });
    // Everybody who waits may have gone by the time it fails.
    page.catch(() => {});
    const flight = { name, page, controller, waiting: 0 };
    this.#flights.set(timeline, flight);
    return flight;
  }

  async #wait(flight: Flight, signal: AbortSignal | undefined): Promise<Page | null> {
    throwIfCancelled(signal);
    flight.waiting += 1;
    const { promise: calledOff, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(cancelled());
    signal?.addEventListener("abort", onAbort);
    try {
      return await Promise.race([flight.page, calledOff]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.controller.abort();
    }
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
      throwIfGone(timeline);
      if (timeline.epoch !== epoch) return null;
      const stretch = toStretch(direction, id, read);
      const { clock, optedOut } = this.#deps;
      const held = read.messages.filter(({ author }) => !optedOut.has(author.id));
      const page = { ...stretch, messages: timeline.learn(stretch, held, { journal, now: clock.now() }) };
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

/** A page that is not full proves that there is no more in its direction; around an id, neither side is proven to end. */
function toStretch(direction: Direction, id: bigint, { messages, isFull }: HistoryRead): Interval {
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

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}

export function throwIfGone(timeline: Timeline): void {
  if (timeline.gone) throw new EarshotError("not_found", "There is no such channel, or the bot may not read it.");
}

/** Discord did not give something, whatever the reason: nobody called it off. */
export function isRefusal(error: unknown): error is EarshotError {
  return error instanceof EarshotError && error.code !== "cancelled";
}

function cancelled(): EarshotError {
  return new EarshotError("cancelled", "The request was cancelled.");
}
