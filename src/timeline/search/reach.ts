import type { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { joinStretch, type Stretch, type Stretches, stretchAt } from "../../domain/stretches.ts";
import type { Journal } from "../journal.ts";
import { Outdated } from "../look.ts";
import { isRefusal, PAGE, type Page, type PageFetcher, throwIfCancelled } from "../page-fetcher.ts";
import type { Timeline } from "../timeline.ts";

/** How far into one channel a search looks: from the newest message that may count down to the oldest. */
export class Reach {
  readonly timeline: Timeline;
  readonly span: Stretch;
  /** Only this person's messages are looked at; null for everybody's. */
  readonly onlyBy: UserId | null;
  /** What Discord's own search has found here. */
  found: readonly Message[] = [];
  /** Whatever was fetched for this search: not all of it may be kept. */
  readonly #pages: Page[] = [];
  readonly #journal: Journal;
  readonly #epoch: number;
  #position: bigint;
  #depth = 0;
  /** Messages looked at so far. */
  counted = 0;
  /** Why Discord gives no more of it; null while it does. */
  refusal: EarshotError | null = null;

  constructor(timeline: Timeline, span: Stretch, onlyBy: UserId | null = null) {
    this.timeline = timeline;
    this.span = span;
    this.onlyBy = onlyBy;
    this.#epoch = timeline.epoch;
    this.#journal = timeline.openJournal();
    this.#position = span.to;
  }

  /** The bottom of what it has to look at was reached, and all of it counted. */
  get isDone(): boolean {
    return this.timeline.gone || this.refusal !== null || (this.#isAtBottom && this.counted <= this.#depth);
  }

  get #isAtBottom(): boolean {
    return this.#position < this.span.from;
  }

  /** Messages that were seen but are not held, as they stand now, oldest first. */
  passing(): Message[] {
    const passing = new Map<bigint, Message>();
    for (const message of [...this.found, ...this.#pages.flatMap(({ messages }) => messages)]) {
      const id = BigInt(message.message_id);
      const current = this.#journal.current(message);
      if (current && id >= this.span.from && id <= this.span.to && !this.timeline.knownAt(id)) passing.set(id, current);
    }
    return [...passing].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
  }

  /** What Discord's own search has found, as it stands now, oldest first. */
  standing(): Message[] {
    const held = (message: Message) => {
      const id = BigInt(message.message_id);
      if (id < this.span.from || id > this.span.to) return [];
      return this.timeline.knownAt(id) ? this.timeline.get([id]) : (this.#journal.current(message) ?? []);
    };
    return this.found.flatMap(held).sort((a, b) => (BigInt(a.message_id) < BigInt(b.message_id) ? -1 : 1));
  }

  /** Down to where everything is known, from the top; above the top when nothing is. */
  completeDownTo(): bigint {
    const all = this.#pages.reduce<Stretches>((stretches, page) => joinStretch(stretches, page), this.timeline.known);
    const bottom = stretchAt(all, this.span.to)?.from ?? this.span.to + 1n;
    return bottom < this.span.from ? this.span.from : bottom;
  }

  /** Looks a page further, whether that is at hand or has to be fetched. Gives back how many messages that were, at most a page. */
  async advance(fetcher: PageFetcher, signal: AbortSignal | undefined): Promise<number> {
    const before = this.#depth;
    this.#depth += PAGE;
    while (!this.#isAtBottom && !this.timeline.gone && this.counted < this.#depth) {
      const known = this.timeline.knownAt(this.#position);
      if (known) this.#pass(known, this.timeline.ids.count(this.#within(known), this.#position));
      else {
        const page = await fetcher.fetch(this.timeline, { direction: "before", id: this.#position + 1n }, signal);
        this.check(signal);
        if (page) this.#pages.push(page);
        if (page && !this.timeline.knownAt(this.#position)) this.#pass(page, this.#countIn(page));
      }
    }
    return Math.min(this.counted, this.#depth) - before;
  }

  /** After every wait: whether it makes sense to go on. */
  check(signal: AbortSignal | undefined): void {
    throwIfCancelled(signal);
    if (this.timeline.epoch !== this.#epoch) throw new Outdated();
  }

  close(): void {
    this.timeline.closeJournal(this.#journal);
  }

  /** What is older than was asked for counts neither when it is at hand nor when a page brings it along. */
  #countIn(page: Page): number {
    return page.messages.filter(({ message_id }) => BigInt(message_id) >= this.span.from).length;
  }

  #within({ from }: Stretch): bigint {
    return from < this.span.from ? this.span.from : from;
  }

  #pass({ from }: Stretch, count: number): void {
    this.counted += count;
    this.#position = from - 1n;
  }
}

/** A page of a quiet channel costs less than a full one, but it costs a request. */
const LEAST_COST = 20;
/** Discord takes 50 requests a second: more at once would only stand in the way of others, also after the search was called off. */
const AT_ONCE = 50;
/** So many refusals with nothing in between, and the whole of Discord is out of reach: waiting for each would take too long. */
const MOST_REFUSALS = 20;

/**
 * Looks further into the channels, a page of each at a time, in their order, until as many messages were looked at as may be or there are no
 * more. A page counts whether it was at hand or not, so that the same request always reaches equally far; whatever else is at hand comes free.
 * A channel that Discord does not give keeps nobody from the others. Throws what Discord says where it gives none of them.
 */
export async function reachOut(
  reaches: readonly Reach[],
  scan: number,
  { fetcher, signal, onRound }: { fetcher: PageFetcher; signal?: AbortSignal; onRound: () => void },
): Promise<void> {
  let left = scan;
  let refusals = 0;
  const advance = async (reach: Reach) => {
    const count = await reach.advance(fetcher, signal).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      reach.refusal = error;
      return null;
    });
    refusals = count === null ? refusals + 1 : 0;
    left -= Math.max(LEAST_COST, count ?? 0);
  };
  const mayGoOn = () => left > 0 && refusals < MOST_REFUSALS;
  for (let open = notDone(reaches); mayGoOn() && open.length > 0; open = notDone(open)) {
    let next = 0;
    while (mayGoOn() && next < open.length) {
      const wave = open.slice(next, next + Math.min(AT_ONCE, Math.ceil(left / PAGE)));
      next += wave.length;
      await Promise.all(wave.map(advance));
      onRound();
    }
  }
  const standing = reaches.filter(({ timeline }) => !timeline.gone);
  const [first] = standing;
  if (first?.refusal && standing.every(({ refusal, counted }) => refusal && counted === 0)) throw first.refusal;
}

function notDone(reaches: readonly Reach[]): Reach[] {
  return reaches.filter(({ isDone }) => !isDone);
}
