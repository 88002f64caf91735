import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import { canView, channelPermissions, guildPermissions } from "../world/permissions.ts";
import type { ChannelRecord, GuildRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import {
  guildUnavailable,
  missingAccess,
  missingPermissions,
  unknownChannel,
  unknownGuild,
  unknownMessage,
} from "./errors.ts";

/** The actor with all permissions, for setting up the sandbox from outside. */
export const OPERATOR = "operator";

const EVERYTHING = ~0n;
const WHILE_TIMED_OUT = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;
const ONLY_WITH_SPEECH =
  PermissionFlagsBits.MentionEveryone |
  PermissionFlagsBits.SendTTSMessages |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks;

/** A channel together with the guild it is in; a DM has none. */
export interface Place {
  readonly channel: ChannelRecord;
  readonly guild: GuildRecord | null;
}

/** The channel, if the actor may view it. Throws 10003 for an unknown channel, 50001 for a hidden one. */
export function requirePlace(world: World, actor: string, channelId: string): Place {
  const channel = world.channels.get(channelId);
  if (!channel) throw unknownChannel();
  const place = { channel, guild: world.guildOf(channel) ?? null };
  if (place.guild?.unavailable && actor !== OPERATOR) throw guildUnavailable();
  if (!isVisible(place, actor)) throw missingAccess();
  return place;
}

function isVisible({ channel, guild }: Place, actor: string): boolean {
  if (actor === OPERATOR) return true;
  return guild ? canView(guild, channel, actor) : channel.recipients.includes(actor);
}

/** The guild, if the actor is in it. */
export function requireGuild(world: World, actor: string, guildId: string): GuildRecord {
  const guild = world.guilds.get(guildId);
  if (!guild || (actor !== OPERATOR && !guild.members.has(actor))) throw unknownGuild();
  if (guild.unavailable && actor !== OPERATOR) throw guildUnavailable();
  return guild;
}

export function requireMessage(place: Place, messageId: string): MessageRecord {
  const message = place.channel.messages.get(messageId);
  if (!message) throw unknownMessage();
  return message;
}

/** The actor's permissions here, without those that Discord removes implicitly: in a timeout, or without permission to view or send. */
export function permissionsIn(world: World, { channel, guild }: Place, actor: string): bigint {
  if (actor === OPERATOR) return EVERYTHING;
  if (!guild) return channel.recipients.includes(actor) ? EVERYTHING : 0n;
  let permissions = channelPermissions(guild, channel, actor);
  if (!(permissions & PermissionFlagsBits.ViewChannel)) return 0n;
  if (isTimedOut(world, guild, actor)) permissions &= WHILE_TIMED_OUT;
  const speech = channel.thread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  return permissions & speech ? permissions : permissions & ~ONLY_WITH_SPEECH;
}

/** The actor's permissions in the guild as a whole. */
export function permissionsInGuild(world: World, guild: GuildRecord, actor: string): bigint {
  if (actor === OPERATOR) return EVERYTHING;
  const permissions = guildPermissions(guild, actor);
  return isTimedOut(world, guild, actor) ? permissions & WHILE_TIMED_OUT : permissions;
}

export function allows(permissions: bigint, needed: bigint): boolean {
  return (permissions & needed) === needed;
}

export function requirePermission(permissions: bigint, needed: bigint): void {
  if (!allows(permissions, needed)) throw missingPermissions();
}

export function isVoice(channel: ChannelRecord): boolean {
  return channel.type === ChannelType.GuildVoice || channel.type === ChannelType.GuildStageVoice;
}

/** Whether the actor may read the message history. */
export function readsHistory(world: World, place: Place, actor: string): boolean {
  const needed = PermissionFlagsBits.ReadMessageHistory | (isVoice(place.channel) ? PermissionFlagsBits.Connect : 0n);
  return allows(permissionsIn(world, place, actor), needed);
}

/** A timeout has no effect on the owner and administrators. */
function isTimedOut(world: World, guild: GuildRecord, actor: string): boolean {
  const until = guild.members.get(actor)?.timedOutUntil ?? null;
  if (until === null || until <= world.clock.now()) return false;
  return !(guildPermissions(guild, actor) & PermissionFlagsBits.Administrator);
}
