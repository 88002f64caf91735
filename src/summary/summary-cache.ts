import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Bullet } from "../domain/summary/bullets.ts";
import type { Clock } from "../ports/clock.ts";

/** What a summary was made from. */
export interface Made {
  /** The hash of every word that the model was shown. */
  readonly key: string;
  readonly channelId: ChannelId;
  /** The messages, with who wrote each. */
  readonly messages: ReadonlyMap<MessageId, UserId>;
}

interface Entry extends Made {
  readonly bullets: readonly Bullet[];
}

const MAX_ENTRIES = 500;
const KEPT_MS = 24 * 3_600_000;

/**
 * Summaries by a model, in memory. A summary may be read by those who may read all of its sources, which is not checked here. So an entry is
 * returned only for exactly the same messages with the same text: the gate has just decided about each of them. Names belong to the text, too: the
 * name of a channel may be visible to one person and hidden from another.
 */
export class SummaryCache {
  readonly #entries: BoundedMap<string, Entry>;
  /** What is being made. Not a SingleFlight: this only notes what is forgotten meanwhile, each caller makes its own. */
  readonly #making = new Set<Made & { isForgotten: boolean }>();

  constructor(clock: Clock) {
    this.#entries = new BoundedMap({ maxEntries: MAX_ENTRIES, ttlMs: KEPT_MS, clock });
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** What was made before, or is made now. A failure is not remembered, nor is what was to be forgotten before it was done. */
  async remember(made: Made, make: () => Promise<readonly Bullet[]>): Promise<readonly Bullet[]> {
    const known = this.#entries.use(made.key);
    if (known) return known.bullets;
    const making = { ...made, isForgotten: false };
    this.#making.add(making);
    try {
      const bullets = await make();
      if (!making.isForgotten) this.#entries.set(made.key, { ...made, bullets });
      return bullets;
    } finally {
      this.#making.delete(making);
    }
  }

  /** Drops everything that rests on any of these messages. */
  forget(messageIds: readonly MessageId[]): void {
    this.#drop(({ messages }) => messageIds.some((id) => messages.has(id)));
  }

  forgetChannel(channelId: ChannelId): void {
    this.#drop((made) => made.channelId === channelId);
  }

  forgetAuthor(userId: UserId): void {
    this.#drop(({ messages }) => messages.values().some((author) => author === userId));
  }

  #drop(isMeant: (made: Made) => boolean): void {
    this.#entries.deleteWhere(isMeant);
    for (const making of this.#making) if (isMeant(making)) making.isForgotten = true;
  }
}
