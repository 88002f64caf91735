import type { ChannelKind } from "../domain/guild.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Directory } from "../ports/directory.ts";
import { Room } from "./room.ts";

/**
 * Channels that share one quota: a channel with its public threads, which the same people can read; or a private thread or DM alone. The threads of an
 * announcement channel are a family of their own: what is said in them may not be repeated in the channel.
 */
export interface Family {
  readonly id: string;
  readonly isPrivate: boolean;
  readonly room: Room;
}

/** How much of something each family may hold. */
export interface Quotas {
  readonly family: number;
  readonly privateFamily: number;
  /** The number of private families at the same time. */
  readonly maxPrivateFamilies: number;
}

/** One part in eight is for private threads and DMs. */
const PRIVATE_PART = 8;
/** How many of them have room at least. */
const MIN_PRIVATE_FAMILIES = 16;
/** Between two powers of two there are as many steps: a quota is at most a ninth smaller than an exact share would be. */
const STEPS_PER_DOUBLING = 8;
/** Quotas become larger again once the channels are fewer by this factor. */
const SHRINK_FACTOR = 2;
const PUBLIC_THREADS: readonly ChannelKind[] = ["public_thread", "announcement_thread"];
const ALONE: readonly ChannelKind[] = ["private_thread", "dm", "group_dm"];

/** Whether fewer people can read it than anything else. */
export function isAlone(kind: ChannelKind): boolean {
  return ALONE.includes(kind);
}

/**
 * Divides memory among channels, so that what happens in one never decides what is held of another: how far a search has looked
 * would show it. A quota depends only on the number of channels, rounded up (`roundUp`), and never on what is in use.
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

  /** Counts the families that the channels of all guilds make, as at least `min`; true when quotas have changed. */
  recount(min: number): boolean {
    let count = 0;
    for (const { id } of this.#directory.guilds())
      for (const { kind } of this.#directory.channels(id))
        if (kind !== "category" && !isThread(kind)) count += kind === "announcement" ? 2 : 1;
    const needed = roundUp(Math.max(1, min, count));
    // A channel that comes and goes, or a server that is away for a while, must not change every quota each time.
    const slots = needed > this.#slots || needed * SHRINK_FACTOR <= this.#slots ? needed : this.#slots;
    const hasChanged = slots !== this.#slots;
    this.#slots = slots;
    return hasChanged;
  }

  /** How many families have a quota of their own. */
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

/** So that a channel more or less seldom changes every quota: 1 to 16 stay as they are, then 18, 20, … 32, 36, 40, … */
function roundUp(count: number): number {
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(count)) / (2 * STEPS_PER_DOUBLING));
  return Math.ceil(count / step) * step;
}

function isThread(kind: ChannelKind): boolean {
  return PUBLIC_THREADS.includes(kind) || kind === "private_thread";
}
