import type { ChannelId, MessageId } from "../domain/ids.ts";
import type { Bullet } from "../domain/summary/bullets.ts";
import type { Clock } from "../ports/clock.ts";

/** What a summary was made from. */
export interface Made {
  /** The hash of every word that the model was shown. */
  readonly key: string;
  readonly channelId: ChannelId;
  readonly ids: ReadonlySet<MessageId>;
}

interface Entry extends Made {
  readonly bullets: readonly Bullet[];
  readonly madeAt: number;
}

const MAX_ENTRIES = 500;
const KEPT_MS = 24 * 3_600_000;

/**
 * Summaries that were paid for, in memory. The audience of a summary is the intersection of its sources' audiences, and nobody is asked about
 * that here. So an entry serves only whoever brings the very same messages, in the very same words: the gate has then just decided about
 * each of them. Names are words too: what one person may call a channel is hidden from another.
 */
export class SummaryCache {
  readonly #clock: Clock;
  /** The one that was used last comes last. */
  readonly #entries = new Map<string, Entry>();
  readonly #making = new Set<Made & { isForgotten: boolean }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What was made before, or is made now. A failure is not remembered, nor is what was to be forgotten before it was done. */
  async remember(made: Made, make: () => Promise<readonly Bullet[]>): Promise<readonly Bullet[]> {
    const known = this.#take(made.key);
    if (known) return known.bullets;
    const making = { ...made, isForgotten: false };
    this.#making.add(making);
    try {
      const bullets = await make();
      if (!making.isForgotten) this.#keep({ ...made, bullets, madeAt: this.#clock.now() });
      return bullets;
    } finally {
      this.#making.delete(making);
    }
  }

  /** Drops everything that rests on any of these messages. */
  forget(messageIds: readonly MessageId[]): void {
    this.#drop(({ ids }) => messageIds.some((id) => ids.has(id)));
  }

  forgetChannel(channelId: ChannelId): void {
    this.#drop((made) => made.channelId === channelId);
  }

  #drop(isMeant: (made: Made) => boolean): void {
    for (const entry of this.#entries.values()) if (isMeant(entry)) this.#entries.delete(entry.key);
    for (const making of this.#making) if (isMeant(making)) making.isForgotten = true;
  }

  #take(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (entry.madeAt + KEPT_MS <= this.#clock.now()) return undefined;
    this.#entries.set(key, entry);
    return entry;
  }

  #keep(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }
}
