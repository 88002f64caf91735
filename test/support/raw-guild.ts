/** Guilds as Discord's gateway describes them, with every field that discord.js and Earshot read. The one place where tests and benchmarks make them. */

const JOINED = "2026-01-01T00:00:00.000Z";
const HIDDEN_NAME = "___hidden___";
/** The flag of a channel that is hidden from the bot. */
export const OBFUSCATED = 1 << 17;
const VIEW_CHANNEL = 1n << 10n;
const VOICE = [2, 13];

export interface RawOverwrite {
  readonly id: string;
  /** 0 for a role, 1 for a member. */
  readonly type: number;
  readonly allow: string;
  readonly deny: string;
}

export function rawRole(role: { id: string; name: string; permissions: bigint; position: number }) {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: false,
    mentionable: false,
    flags: 0,
  };
}

export function rawUser(user: { id: string; username?: string; globalName?: string; bot?: boolean }) {
  const { id, username = `user${id}`, globalName = null, bot } = user;
  return { id, username, global_name: globalName, discriminator: "0", avatar: null, ...(bot !== undefined && { bot }) };
}

export function rawMember(
  user: Parameters<typeof rawUser>[0],
  { roles = [], nick = null }: { roles?: readonly string[]; nick?: string | null } = {},
) {
  return { user: rawUser(user), roles: [...roles], nick, joined_at: JOINED, flags: 0, deaf: false, mute: false };
}

export function rawOverwrite(
  target: "role" | "member",
  id: string,
  { allow = 0n, deny = 0n }: { allow?: bigint; deny?: bigint },
): RawOverwrite {
  return { id, type: target === "role" ? 0 : 1, allow: allow.toString(), deny: deny.toString() };
}

export interface RawChannelOptions {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  readonly type?: number;
  readonly position?: number;
  readonly topic?: string;
  readonly ageRestricted?: boolean;
  readonly overwrites?: readonly RawOverwrite[];
}

export function rawChannel(channel: RawChannelOptions) {
  const { id, guildId, name, type = 0, position = 0, topic = null, ageRestricted = false, overwrites = [] } = channel;
  return {
    id,
    guild_id: guildId,
    type,
    name,
    topic,
    position,
    parent_id: null,
    flags: 0,
    nsfw: ageRestricted,
    available_tags: [],
    ...(VOICE.includes(type) && { bitrate: 64_000, user_limit: 0 }),
    permission_overwrites: [...overwrites],
  };
}

/** What a bot without View Channel is given of a channel. */
export function obfuscated(channel: ReturnType<typeof rawChannel>) {
  const deny = rawOverwrite("role", channel.guild_id, { deny: VIEW_CHANNEL });
  return { ...channel, name: HIDDEN_NAME, topic: null, flags: OBFUSCATED, permission_overwrites: [deny] };
}

export interface RawThreadOptions {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** 11 public, 12 private. */
  readonly type: number;
  readonly parentId: string;
  readonly ownerId: string;
  readonly isArchived?: boolean;
  /** Its own entry, where the bot has joined. */
  readonly botMember?: object;
}

export function rawThread(thread: RawThreadOptions) {
  const { id, guildId, name, type, parentId, ownerId, isArchived = false, botMember } = thread;
  return {
    id,
    guild_id: guildId,
    type,
    name,
    owner_id: ownerId,
    parent_id: parentId,
    message_count: 0,
    member_count: 0,
    thread_metadata: { archived: isArchived, auto_archive_duration: 1440, locked: false, archive_timestamp: JOINED },
    ...(botMember && { member: botMember }),
  };
}

export interface RawGuildParts<Role, Member, Channel, Thread> {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** As many as there are members, unless said. */
  readonly memberCount?: number;
  readonly roles: readonly Role[];
  readonly members: readonly Member[];
  readonly channels: readonly Channel[];
  readonly threads?: readonly Thread[];
}

/** The payload of a GUILD_CREATE. */
export function rawGuild<Role, Member, Channel, Thread = ReturnType<typeof rawThread>>(
  guild: RawGuildParts<Role, Member, Channel, Thread>,
) {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    member_count: guild.memberCount ?? guild.members.length,
    roles: [...guild.roles],
    members: [...guild.members],
    channels: [...guild.channels],
    threads: [...(guild.threads ?? [])],
    emojis: [],
    stickers: [],
    features: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    premium_tier: 0,
    nsfw_level: 0,
    system_channel_flags: 0,
  };
}
