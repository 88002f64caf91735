import type { ChannelKind } from "../domain/guild.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Directory } from "../ports/directory.ts";
import { Room } from "./room.ts";

/**
 * Channels that share one quota: a channel with its public threads, which the same people can read; or a private thread or DM alone. The
 * threads of an announcement channel are a separate family, because their content may not be repeated in the channel.
 */
export interface Family {
  readonly id: string;
  readonly isPrivate: boolean;
  readonly room: Room;
}

/** Maximum per family. */
export interface Quotas {
  readonly family: number;
  readonly privateFamily: number;
  /** Maximum number of private families. */
  readonly maxPrivateFamilies: number;
}

/** One eighth is for private threads and DMs. */
const PRIVATE_PART = 8;
/** Minimum number of them that fit. */
const MIN_PRIVATE_FAMILIES = 16;
/** Steps between two powers of two: a quota is at most a ninth smaller than an exact share. */
const STEPS_PER_DOUBLING = 8;
/** Quotas grow again once there are fewer channels by this factor. */
const SHRINK_FACTOR = 2;
const PUBLIC_THREADS: readonly ChannelKind[] = ["public_thread", "announcement_thread"];
const ALONE: readonly ChannelKind[] = ["private_thread", "dm", "group_dm"];

/** Whether a channel of this kind is a private family. */
export function isAlone(kind: ChannelKind): boolean {
  return ALONE.includes(kind);
}

/**
 * Divides memory among channels, so that activity in one never decides what is cached of another: the range of a search would reveal it. A
 * quota depends only on the number of channels, rounded up (`roundUp`), and never on their use.
 */
export class Families {
  readonly #directory: Directory;
  readonly #shared = new Map<string, Family>();
  #slots = 1;

  constructor(directory: Directory) {
    this.#directory = directory;
    this.recount(0);
  }

  of(channelId: ChannelId): Family {
    const channel = this.#directory.channel(channelId);
    if (!channel || isAlone(channel.kind)) return { id: channelId, isPrivate: true, room: new Room() };
    const parent = PUBLIC_THREADS.includes(channel.kind) ? channel.parentId : null;
    const id = !parent ? channelId : this.#isAnnouncement(parent) ? `threads of ${parent}` : parent;
    const family = this.#shared.get(id) ?? { id, isPrivate: false, room: new Room() };
    this.#shared.set(id, family);
    return family;
  }

  #isAnnouncement(id: ChannelId): boolean {
    return this.#directory.channel(id)?.kind === "announcement";
  }

  /** Counts the families of the channels of all guilds, at least `min`; true if quotas have changed. */
  recount(min: number): boolean {
    let count = 0;
    for (const { id } of this.#directory.guilds())
      for (const { kind } of this.#directory.channels(id))
        if (kind !== "category" && !isThread(kind)) count += kind === "announcement" ? 2 : 1;
    const needed = roundUp(Math.max(1, min, count));
    // A channel that comes and goes, or a server with an outage, must not change every quota each time.
    const slots = needed > this.#slots || needed * SHRINK_FACTOR <= this.#slots ? needed : this.#slots;
    const hasChanged = slots !== this.#slots;
    this.#slots = slots;
    return hasChanged;
  }

  /** The number of families with a quota of their own. */
  get slots(): number {
    return this.#slots;
  }

  divide(total: number, maxPrivate: number): Quotas {
    const forPrivate = Math.floor(total / PRIVATE_PART);
    const privateFamily = Math.min(maxPrivate, Math.floor(forPrivate / MIN_PRIVATE_FAMILIES));
    return {
      family: Math.floor((total - forPrivate) / this.#slots),
      privateFamily,
      maxPrivateFamilies: privateFamily > 0 ? Math.floor(forPrivate / privateFamily) : 0,
    };
  }
}

/** Rounds up, so that one more or fewer channel rarely changes every quota: 1 to 16 stay as they are, then 18, 20, … 32, 36, 40, … */
function roundUp(count: number): number {
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(count)) / (2 * STEPS_PER_DOUBLING));
  return Math.ceil(count / step) * step;
}

function isThread(kind: ChannelKind): boolean {
  return PUBLIC_THREADS.includes(kind) || kind === "private_thread";
}
