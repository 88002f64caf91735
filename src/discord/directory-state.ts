import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import { canRead, lineageOf, type PermissionPlace } from "../domain/permissions.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { ChannelSpeakers } from "./channel-speakers.ts";
import { DeletedChannels } from "./deleted-channels.ts";
import type { GuildState } from "./guild-state.ts";
import { record } from "./read.ts";
import type { SharedRequests } from "./shared-requests.ts";

interface GuildPlace extends PermissionPlace {
  readonly guild: GuildState;
}

/** All guilds and DMs that the bot knows, and its own access to them. */
export class DirectoryState {
  readonly botId: UserId;
  readonly requests: SharedRequests;
  readonly guilds = new Map<GuildId, GuildState>();
  /** The guilds of each shard that Discord announced at the start of the session, reachable or not, except those that the bot has left. */
  readonly announced = new Map<number, Set<GuildId>>();
  shards = 1;
  readonly speakers = new ChannelSpeakers();
  readonly dms = new Map<ChannelId, Channel>();
  readonly deleted = new DeletedChannels();
  readonly #guildOfChannel = new Map<ChannelId, GuildId>();
  /** The channels that the bot could read after the last change; a missing one is lost access. */
  readonly #readable = new Map<GuildId, Set<ChannelId>>();

  constructor(botId: UserId, requests: SharedRequests) {
    this.botId = botId;
    this.requests = requests;
  }

  guildOf(channelId: ChannelId): GuildState | undefined {
    const guildId = this.#guildOfChannel.get(channelId);
    return guildId === undefined ? undefined : this.guilds.get(guildId);
  }

  place(id: ChannelId): GuildPlace | undefined {
    const guild = this.guildOf(id);
    const channel = guild?.channels.get(id);
    if (!guild?.available || !channel) return undefined;
    if (!channel.thread) return { guild, channel, thread: null };
    const parent = guild.channels.get(channel.parentId as ChannelId);
    return parent && { guild, channel: parent, thread: channel };
  }

  /** The bot gets events of private threads that it is in, and of all if it manages threads. So a known thread proves no membership:
   * `joinedThreads` does. */
  botCanRead(id: ChannelId): boolean {
    const place = this.place(id);
    const bot = place?.guild.members.get(this.botId);
    if (!place || !bot) return false;
    const { guild, channel, thread } = place;
    if (thread?.kind !== "private_thread") return canRead(place, bot);
    return canRead({ guild, channel, thread: asJoined(thread, guild.joinedThreads.has(id), this.botId) }, bot);
  }

  /** Call when the guild has been described, even repeatedly: earlier events may have been missed. */
  setGuild(guild: GuildState): void {
    this.guilds.set(guild.id, guild);
    this.deleted.forgetMembers(guild.id);
    for (const id of [...guild.channels.keys()]) if (this.deleted.isFinal(id)) guild.removeChannel(id);
    for (const id of guild.channels.keys()) {
      this.deleted.remove(id);
      this.#guildOfChannel.set(id, guild.id);
    }
  }

  /** Call when the bot has left the guild. */
  noteLeft(id: GuildId): void {
    for (const guilds of this.announced.values()) guilds.delete(id);
  }

  removeGuild(guild: GuildState): DiscordEvent[] {
    this.noteLeft(guild.id);
    const channelIds = [...guild.channels.keys()];
    for (const id of channelIds) {
      this.#guildOfChannel.delete(id);
      this.speakers.forget(id);
    }
    this.guilds.delete(guild.id);
    this.deleted.forgetGuild(guild.id);
    this.#readable.delete(guild.id);
    return [{ type: "guild_removed", guildId: guild.id, channelIds }];
  }

  setChannel(guild: GuildState, raw: unknown): DiscordEvent[] {
    const id = String(record(raw)["id"]) as ChannelId;
    if (this.deleted.isFinal(id)) return [];
    this.deleted.remove(id);
    const channel = guild.setChannel(raw);
    if (!channel) return [];
    this.#guildOfChannel.set(channel.id, guild.id);
    return [{ type: "channel", channelId: channel.id }, ...this.compareReadable(guild)];
  }

  /**
   * Adds archived threads that Discord has listed. A thread known to be active was reopened meanwhile; and a list of public threads cannot
   * turn anything else into a public thread.
   */
  addThreads(guild: GuildState, raws: readonly unknown[]): void {
    for (const raw of raws) {
      const id = String(record(raw)["id"]) as ChannelId;
      const known = this.guildOf(id)?.channels.get(id);
      const { parent_id: parentId } = record(raw);
      const isSame = known?.guildId === guild.id && known.parentId === parentId && known.kind !== "private_thread";
      if (known && !(isSame && known.thread?.archived)) continue;
      if (this.deleted.isFinal(id)) continue;
      this.deleted.remove(id);
      if (guild.setChannel(raw)) this.#guildOfChannel.set(id, guild.id);
    }
    this.compareReadable(guild);
  }

  /** Removes a deleted or hidden channel with its threads. `known`: the state before, if the guild has been described since. */
  forgetChannel(
    guild: GuildState,
    id: ChannelId,
    { type, known = guild }: { type: "channel_deleted" | "access_lost"; known?: GuildState },
  ): DiscordEvent[] {
    const lineages = new Map([...known.channels.values()].map((channel) => [channel.id, lineageIn(known, channel)]));
    const gone = new Set([id, ...guild.withThreads(id)]);
    if (type === "channel_deleted")
      for (const channelId of gone) {
        // If the bot could not read the channel or missed events, its permissions may have changed unnoticed.
        const last = this.botCanRead(channelId) ? (this.place(channelId) ?? null) : null;
        this.deleted.add(channelId, { guildId: guild.id, last, isFinal: known === guild });
      }
    guild.removeChannel(id);
    for (const channelId of gone) {
      this.#guildOfChannel.delete(channelId);
      this.speakers.forget(channelId);
      this.#readable.get(guild.id)?.delete(channelId);
    }
    const lineageFor = (channelId: ChannelId) => lineages.get(channelId) ?? [];
    return [...gone].map((channelId) => ({ type, channelId, guildId: guild.id, lineage: lineageFor(channelId) }));
  }

  /** Compares the channels that the bot can read now with those before. Lost access is not deletion; an unavailable server is not
   * compared. */
  compareReadable(guild: GuildState): DiscordEvent[] {
    if (!guild.available) return [];
    const before = this.#readable.get(guild.id) ?? new Set<ChannelId>();
    const now = new Set([...guild.channels.keys()].filter((id) => this.botCanRead(id)));
    this.#readable.set(guild.id, now);
    for (const id of before.symmetricDifference(now)) {
      this.forgetThreadMembers(guild, id);
      this.speakers.forget(id);
    }
    const lost = [...guild.channels.values()].filter(({ id }) => before.has(id) && !now.has(id));
    return lost.map((channel) => {
      return { type: "access_lost", channelId: channel.id, guildId: guild.id, lineage: lineageIn(guild, channel) };
    });
  }

  /**
   * Forgets the members of a private thread. The bot receives no updates while it cannot see a thread, so an earlier list may contain
   * removed members and lack new ones.
   */
  forgetThreadMembers(guild: GuildState, id: ChannelId): void {
    if (guild.channels.get(id)?.kind !== "private_thread") return;
    this.requests.noteChange(id);
    guild.setThreadMembers(id, null);
  }
}

function lineageIn(guild: GuildState, channel: Channel): ChannelId[] {
  return lineageOf(channel, (id) => guild.channels.get(id));
}

function asJoined(thread: Channel, joined: boolean, botId: UserId): Channel {
  return thread.thread ? { ...thread, thread: { ...thread.thread, members: new Set(joined ? [botId] : []) } } : thread;
}
