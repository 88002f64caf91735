import type { Channel } from "../domain/guild.ts";
import { type ChannelId, type GuildId, type RoleId, toId, type UserId } from "../domain/ids.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import type { DirectoryState } from "./directory-state.ts";
import { GuildState } from "./guild-state.ts";
import type { MemberFacts } from "./member-table.ts";
import { list, type Raw, record } from "./read.ts";
import type { SharedRequests } from "./shared-requests.ts";
import { toChannel, toMemberFacts } from "./to-guild.ts";

const NOTHING: readonly DiscordEvent[] = [];

/** Applies one dispatch to the state, and returns the resulting events. Other dispatches change nothing. */
export function applyDispatch(type: string, data: unknown, state: DirectoryState): readonly DiscordEvent[] {
  const raw = record(data);
  switch (type) {
    case "READY":
      return applyReady(raw, state);
    case "GUILD_CREATE":
      return raw["unavailable"] === true ? applyGuildDelete(raw, state) : applyGuildCreate(raw, state);
    case "GUILD_DELETE":
      return applyGuildDelete(raw, state);
    case "MESSAGE_CREATE":
      return applyMessage(raw, state);
    default: {
      const guild = guildOf(type, raw, state);
      if (!guild && type === "CHANNEL_DELETE") state.dms.delete(String(raw["id"]) as ChannelId);
      return guild ? applyWithin(guild, { type, raw }, state) : [];
    }
  }
}

function guildOf(type: string, raw: Raw, state: DirectoryState): GuildState | undefined {
  const id = toId<GuildId>(type === "GUILD_UPDATE" ? raw["id"] : raw["guild_id"]);
  return id ? state.guilds.get(id) : state.guildOf(String(raw["id"]) as ChannelId);
}

/** A new session: all guilds count as outdated until each was described again. */
function applyReady(raw: Raw, state: DirectoryState): DiscordEvent[] {
  const announced = new Set(list(raw["guilds"]).flatMap((guild) => toId<GuildId>(record(guild)["id"]) ?? []));
  const [shard = 0, shards = 1] = list(raw["shard"]);
  state.shards = Number(shards);
  state.announced.set(Number(shard), announced);
  const events: DiscordEvent[] = [];
  for (const guild of [...state.guilds.values()]) {
    if (!isOnShard(guild.id, list(raw["shard"]))) continue;
    guild.described = false;
    if (!announced.has(guild.id)) events.push(...state.removeGuild(guild));
  }
  return events;
}

export function isOnShard(guildId: GuildId, [shard, total]: readonly unknown[]): boolean {
  if (typeof shard !== "number" || typeof total !== "number" || total <= 1) return true;
  return Number((BigInt(guildId) >> 22n) % BigInt(total)) === shard;
}

function applyGuildCreate(raw: Raw, state: DirectoryState): DiscordEvent[] {
  const id = toId<GuildId>(raw["id"]);
  if (!id) return [];
  const before = state.guilds.get(id);
  const guild = GuildState.describe(id, raw);
  const missing = [...(before?.channels.values() ?? [])].filter((channel) => !guild.channels.has(channel.id));
  for (const channel of missing) if (mayBeArchived(channel, guild)) guild.channels.set(channel.id, asArchived(channel));
  state.setGuild(guild);
  const events: DiscordEvent[] = [{ type: "guild", guildId: id }];
  for (const channel of missing) {
    if (guild.channels.has(channel.id)) continue;
    const type = channel.kind === "private_thread" ? "access_lost" : "channel_deleted";
    events.push(...state.forgetChannel(guild, channel.id, { type, ...(before && { known: before }) }));
  }
  return [...events, ...state.compareReadable(guild)];
}

/** Only active threads are listed. A missing public thread may have been archived; a missing private one is unknown. */
function mayBeArchived(channel: Channel, guild: GuildState): boolean {
  return (
    channel.thread !== null && channel.kind !== "private_thread" && guild.channels.has(channel.parentId as ChannelId)
  );
}

/** Messages since its last description are unknown. */
function asArchived({ lastMessageId: _, ...channel }: Channel): Channel {
  return channel.thread ? { ...channel, thread: { ...channel.thread, archived: true } } : channel;
}

function applyGuildDelete(raw: Raw, state: DirectoryState): DiscordEvent[] {
  const id = String(raw["id"]) as GuildId;
  const guild = state.guilds.get(id);
  if (!guild && raw["unavailable"] !== true) state.noteLeft(id);
  if (!guild) return [];
  if (raw["unavailable"] !== true) return state.removeGuild(guild);
  guild.described = false;
  return [];
}

/** A message contains its author's roles, and in a DM the other participant. */
function applyMessage(raw: Raw, state: DirectoryState): readonly DiscordEvent[] {
  const guildId = toId<GuildId>(raw["guild_id"]);
  if (guildId) {
    const guild = state.guilds.get(guildId);
    if (!guild || guild.membersComplete || toId(raw["webhook_id"])) return NOTHING;
    const facts = toMemberFacts(raw["member"], raw["author"]);
    if (facts) setMember(guild, facts, state.requests);
    return NOTHING;
  }
  const id = toId<ChannelId>(raw["channel_id"]);
  const authorId = toId<UserId>(record(raw["author"])["id"]);
  if (!id || !authorId || authorId === state.botId || state.dms.has(id) || raw["channel_type"] === 3) return [];
  const dm = toChannel({ id, type: 1, recipients: [raw["author"]] }, null);
  if (dm) state.dms.set(id, dm);
  return [{ type: "channel", channelId: id }];
}

function applyWithin(
  guild: GuildState,
  { type, raw }: { type: string; raw: Raw },
  state: DirectoryState,
): DiscordEvent[] {
  switch (type) {
    case "GUILD_UPDATE":
      guild.update(raw);
      return state.compareReadable(guild);
    case "GUILD_ROLE_CREATE":
    case "GUILD_ROLE_UPDATE":
      guild.setRole(raw["role"]);
      return state.compareReadable(guild);
    case "GUILD_ROLE_DELETE":
      guild.removeRole(String(raw["role_id"]) as RoleId);
      state.deleted.forgetRole(guild.id, String(raw["role_id"]) as RoleId);
      return state.compareReadable(guild);
    case "CHANNEL_CREATE":
    case "CHANNEL_UPDATE":
    case "THREAD_CREATE":
    case "THREAD_UPDATE":
      return state.setChannel(guild, raw);
    case "CHANNEL_DELETE":
    case "THREAD_DELETE":
      return state.forgetChannel(guild, String(raw["id"]) as ChannelId, { type: "channel_deleted" });
    case "THREAD_LIST_SYNC":
      // Sent when the bot gains access to a channel: its knowledge of the threads there is outdated.
      for (const thread of list(raw["threads"]))
        state.forgetThreadMembers(guild, String(record(thread)["id"]) as ChannelId);
      for (const member of list(raw["members"])) guild.joinedThreads.add(String(record(member)["id"]) as ChannelId);
      return list(raw["threads"]).flatMap((thread) => state.setChannel(guild, thread));
    case "THREAD_MEMBER_UPDATE":
      guild.joinedThreads.add(String(raw["id"]) as ChannelId);
      return [];
    case "THREAD_MEMBERS_UPDATE":
      state.requests.noteChange(String(raw["id"]));
      guild.changeThreadMembers(String(raw["id"]) as ChannelId, raw, state.botId);
      return state.compareReadable(guild);
    case "GUILD_MEMBER_ADD":
    case "GUILD_MEMBER_UPDATE":
      return applyMember(guild, { type, raw }, state);
    case "GUILD_MEMBER_REMOVE": {
      const userId = String(record(raw["user"])["id"]) as UserId;
      state.requests.noteChange(`${guild.id}/${userId}`);
      forgetThreadsOf(guild, userId, state);
      if (guild.members.delete(userId)) guild.memberCount = Math.max(0, guild.memberCount - 1);
      return [];
    }
    default:
      return [];
  }
}

function applyMember(
  guild: GuildState,
  { type, raw }: { type: string; raw: Raw },
  state: DirectoryState,
): DiscordEvent[] {
  const facts = toMemberFacts(raw);
  if (!facts) {
    // Unreadable roles may have been removed, so the member must become unknown.
    const userId = toId<UserId>(record(raw["user"])["id"]);
    if (userId) guild.members.delete(userId);
    guild.membersComplete = false;
    return [];
  }
  if (type === "GUILD_MEMBER_ADD" && !guild.members.has(facts.id)) guild.memberCount += 1;
  if (type === "GUILD_MEMBER_ADD") forgetThreadsOf(guild, facts.id, state);
  setMember(guild, facts, state.requests);
  return facts.id === state.botId ? state.compareReadable(guild) : [];
}

/** Members who leave a server also leave its threads, and do not return to them. Requests in progress may return older data. */
function forgetThreadsOf(guild: GuildState, userId: UserId, state: DirectoryState): void {
  state.deleted.forgetMember(guild.id, userId);
  for (const { id, kind, thread } of guild.channels.values()) {
    if (kind !== "private_thread") continue;
    if (thread?.members?.has(userId)) state.forgetThreadMembers(guild, id);
    else state.requests.noteChange(id);
  }
}

function setMember(guild: GuildState, facts: MemberFacts, requests: SharedRequests): void {
  const subject = `${guild.id}/${facts.id}`;
  requests.noteChange(subject);
  guild.members.set(facts);
  requests.noteAnswer(subject);
}
