import { sees } from "./plain-oracle.ts";
import {
  BOT,
  fileOf,
  type PlainChannel,
  type PlainGuild,
  type PlainMember,
  type PlainMessage,
  type PlainThread,
  type PlainWorld,
} from "./plain-world.ts";
import { obfuscated, rawChannel, rawGuild, rawMember, rawOverwrite, rawRole, rawThread } from "./raw-guild.ts";

const EPOCH = 1_420_070_400_000n;

/** Which members a server's description names: all, some, or the bot alone, as without the Server Members intent. */
export type MemberListing = "listed" | "heard" | "asked";

/** As the gateway would describe it to the bot: channels out of its sight are obfuscated, threads out of its sight left out. */
export function describeGuild(guild: PlainGuild, listing: MemberListing = "listed") {
  const isNamed = ({ id }: PlainMember, index: number) =>
    listing === "listed" || id === BOT || (listing === "heard" && index % 2 === 0);

  return rawGuild({
    id: guild.id,
    name: guild.name,
    ownerId: guild.ownerId,
    memberCount: guild.members.length,
    roles: guild.roles.map((role, index) => describeRole(role, index)),
    members: guild.members.filter(isNamed).map(describeMember),
    channels: guild.channels.map((channel) => describeChannel(guild, channel)),
    threads: guild.threads.flatMap((thread) => (thread.isArchived ? [] : (describeThread(guild, thread) ?? []))),
  });
}

export function describeRole(role: PlainGuild["roles"][number], position: number) {
  return rawRole({ ...role, position });
}

export function describeMember({ id, bot, nick, roles, timedOutUntil }: PlainMember) {
  const communication_disabled_until = timedOutUntil === undefined ? null : new Date(timedOutUntil).toISOString();
  return { ...rawMember({ id, bot }, { roles, nick }), communication_disabled_until };
}

export function describeChannel(guild: PlainGuild, channel: PlainChannel) {
  const { id, type, name, position, topic, ageRestricted, overwrites } = channel;
  const raw = rawChannel({
    id,
    guildId: guild.id,
    type,
    name,
    position,
    ageRestricted,
    ...(topic !== null && { topic }),
    overwrites: overwrites.map((one) => rawOverwrite(one.type === 0 ? "role" : "member", one.id, one)),
  });
  return sees({ id, guild, channel, thread: null, personId: null }, BOT) ? raw : obfuscated(raw);
}

/** Null for what the bot cannot see. */
export function describeThread(guild: PlainGuild, thread: PlainThread) {
  const { id, type, name, parentId, ownerId = guild.ownerId, isArchived = false } = thread;
  const channel = guild.channels.find((one) => one.id === parentId);
  if (!channel || !sees({ id, guild, channel, thread, personId: null }, BOT)) return null;
  const botMember = thread.members.includes(BOT) ? { botMember: { user_id: BOT } } : {};
  return rawThread({ id, guildId: guild.id, type, name, parentId, ownerId, isArchived, ...botMember });
}

/** As REST gives it. */
export function describeMessage(world: PlainWorld, channelId: string, message: PlainMessage) {
  const { id, authorId, content, edited, replyTo, file, raw, webhook } = message;
  const timestamp = new Date(Number((BigInt(id) >> 22n) + EPOCH)).toISOString();
  const parent = replyTo === null ? undefined : world.messages.get(channelId)?.find((one) => one.id === replyTo);
  const attachment = fileOf(channelId, message);
  return {
    id,
    channel_id: channelId,
    author: { id: authorId, username: webhook ?? `user${authorId}`, bot: authorId === BOT },
    ...(webhook !== undefined && { webhook_id: authorId }),
    content,
    timestamp,
    edited_timestamp: edited ? timestamp : null,
    type: replyTo === null ? 0 : 19,
    ...(replyTo !== null && {
      message_reference: { message_id: replyTo, channel_id: channelId },
      referenced_message: parent ? { id: replyTo, author: { id: parent.authorId } } : null,
    }),
    attachments: file ? [{ ...attachment, filename: "note.txt", content_type: "text/plain", size: 20 }] : [],
    ...raw,
  };
}

export interface DispatchOptions {
  /** The author's roles and nickname are sent along, where the author is a member. */
  readonly hasMember?: boolean;
  /** Mentions the bot. */
  readonly isAddressed?: boolean;
}

/** As the gateway sends it, of a message in any channel, known or not. */
export function describeDispatch(
  world: PlainWorld,
  { channelId, guild, message }: { channelId: string; guild: PlainGuild | null; message: PlainMessage },
  { hasMember = false, isAddressed = false }: DispatchOptions = {},
) {
  const member = guild?.members.find(({ id }) => id === message.authorId);
  return {
    ...describeMessage(world, channelId, message),
    ...(guild && { guild_id: guild.id }),
    ...(member && hasMember && { member: { ...describeMember(member), user: undefined } }),
    mentions: isAddressed ? [{ id: BOT }] : [],
  };
}
