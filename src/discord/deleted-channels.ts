import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import type { PermissionPlace } from "../domain/permissions.ts";

/** The data that decides who can read a place: the channel with its overwrites, and the thread with its members. */
export type LastPlace = Omit<PermissionPlace, "guild">;

/** The record of a deleted channel or thread. */
interface Tombstone {
  readonly guildId: GuildId;
  /** Null if it may have changed unnoticed before the deletion, so that its last readers are unknown. */
  readonly last: LastPlace | null;
  /** Discord reported the deletion. Otherwise it is missing from a description of its server, and may reappear. */
  readonly isFinal: boolean;
}

/** The oldest is evicted first. Without a tombstone the last readers of a channel are unknown. */
export const MAX_TOMBSTONES_PER_GUILD = 2_000;

/** Channels and threads that were deleted, without their names and topics. A tombstone lasts until it is evicted or the bot leaves the server. */
export class DeletedChannels {
  readonly #tombstones = new Map<ChannelId, Tombstone>();
  /** The oldest first. Not BoundedMaps: a tombstone is looked up by its channel alone, and keeps its age when it changes. */
  readonly #byGuild = new Map<GuildId, Set<ChannelId>>();

  get(id: ChannelId): Tombstone | undefined {
    return this.#tombstones.get(id);
  }

  /** Ids are never reused: later events about the channel are late. */
  isFinal(id: ChannelId): boolean {
    return this.#tombstones.get(id)?.isFinal ?? false;
  }

  /** The first report of a deletion counts, because the channel is unknown at the second. */
  add(id: ChannelId, tombstone: Tombstone): void {
    if (this.isFinal(id)) return;
    const { guildId, last } = tombstone;
    const ids = this.#byGuild.get(guildId) ?? new Set();
    this.#byGuild.set(guildId, ids.add(id));
    this.#tombstones.set(id, { ...tombstone, last: last && withoutWords(last) });
    const [oldest] = ids;
    if (ids.size > MAX_TOMBSTONES_PER_GUILD && oldest) this.remove(oldest);
  }

  /** Call when it has reappeared, or is evicted. */
  remove(id: ChannelId): void {
    const guildId = this.#tombstones.get(id)?.guildId;
    this.#tombstones.delete(id);
    if (guildId) this.#byGuild.get(guildId)?.delete(id);
  }

  forgetGuild(guildId: GuildId): void {
    for (const id of this.#byGuild.get(guildId) ?? []) this.#tombstones.delete(id);
    this.#byGuild.delete(guildId);
  }

  /** A deleted role has no members, even without an update of each member by Discord. */
  forgetRole(guildId: GuildId, roleId: RoleId): void {
    this.#change(guildId, (last) => {
      const overwrites = last.channel.overwrites.filter(({ id }) => id !== roleId);
      if (overwrites.length === last.channel.overwrites.length) return last;
      return { ...last, channel: { ...last.channel, overwrites } };
    });
  }

  /** A member who leaves a server does not get back into its private threads by returning. */
  forgetMember(guildId: GuildId, userId: UserId): void {
    this.#change(guildId, (last) => {
      const members = last.thread?.thread?.members;
      if (!members?.has(userId)) return last;
      return { ...last, thread: withMembers(last.thread, members.difference(new Set([userId]))) };
    });
  }

  /** Members may have left the server and returned unnoticed. */
  forgetMembers(guildId: GuildId): void {
    this.#change(guildId, (last) => {
      return last.thread?.kind === "private_thread" ? { ...last, thread: withMembers(last.thread, null) } : last;
    });
  }

  #change(guildId: GuildId, change: (last: LastPlace) => LastPlace): void {
    for (const id of this.#byGuild.get(guildId) ?? []) {
      const tombstone = this.#tombstones.get(id);
      if (tombstone?.last) this.#tombstones.set(id, { ...tombstone, last: change(tombstone.last) });
    }
  }
}

/** Access to a place does not depend on its name, and deleted text must not be kept. */
function withoutWords({ channel, thread }: LastPlace): LastPlace {
  const strip = (one: Channel): Channel => ({ ...one, name: "", topic: null, tags: [] });
  return { channel: strip(channel), thread: thread && strip(thread) };
}

function withMembers(thread: Channel | null, members: ReadonlySet<UserId> | null): Channel | null {
  return thread?.thread ? { ...thread, thread: { ...thread.thread, members } } : thread;
}
