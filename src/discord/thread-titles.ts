import { BoundedMap } from "../domain/bounded-map.ts";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { compareIds } from "../domain/ids.ts";

/** Replaces a title whose author is left out. */
const NEUTRAL_TITLE = "untitled";

const MAX_RENAMES = 20_000;

interface Rename {
  readonly noticeId: MessageId;
  readonly title: string;
  readonly by: UserId;
}

/**
 * The author of a thread's title is the person who opened the thread or last renamed it; Discord reports renames only in a notice in the
 * thread. Titles by people who opted out are replaced.
 */
export class ThreadTitles {
  readonly #isLeftOut: (userId: UserId) => boolean;
  readonly #renames = new BoundedMap<ChannelId, Rename>({ maxEntries: MAX_RENAMES });
  /** Keeps the object identity of a thread. */
  readonly #neutral = new WeakMap<Channel, Channel>();

  constructor(isLeftOut: (userId: UserId) => boolean) {
    this.#isLeftOut = isLeftOut;
  }

  /** False if a newer change is known. */
  note(threadId: ChannelId, rename: Rename): boolean {
    const known = this.#renames.get(threadId);
    if (known && compareIds(known.noticeId, rename.noticeId) >= 0) return false;
    this.#renames.set(threadId, rename);
    return true;
  }

  /** Null for anything except a thread. */
  authorOf({ id, name, thread }: Channel): UserId | null {
    if (!thread) return null;
    const rename = this.#renames.get(id);
    return rename?.title === name ? rename.by : thread.ownerId;
  }

  shown(channel: Channel): Channel {
    const author = this.authorOf(channel);
    if (author === null || !this.#isLeftOut(author)) return channel;
    const neutral = this.#neutral.get(channel) ?? { ...channel, name: NEUTRAL_TITLE };
    this.#neutral.set(channel, neutral);
    return neutral;
  }
}
