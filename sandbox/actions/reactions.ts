import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiMember } from "../render/members.ts";
import type { MessageRecord, ReactionRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { type Place, permissionsIn, requireMessage, requirePermission, requirePlace } from "./access.ts";
import { announceIn } from "./announce.ts";
import { DiscordError, notInDm, threadArchived, unknownEmoji } from "./errors.ts";

const MAX_REACTIONS = 20;

export interface ReactionAddress {
  readonly channelId: string;
  readonly messageId: string;
  /** A unicode emoji, or `name:id`. */
  readonly emoji: string;
}

export function addReaction(world: World, actor: string, { channelId, messageId, emoji }: ReactionAddress): void {
  const place = requirePlace(world, actor, channelId);
  const message = requireMessage(place, messageId);
  const { AddReactions, ReadMessageHistory } = PermissionFlagsBits;
  const permissions = permissionsIn(world, place, actor);
  requirePermission(permissions, ReadMessageHistory);
  if (place.channel.thread?.archived) throw threadArchived();
  const parsed = parseEmoji(emoji);
  const reactions = message.more?.reactions ?? new Map<string, ReactionRecord>();
  const existing = reactions.get(keyOf(parsed));
  // Joining an existing reaction needs no permission to add new ones.
  if (!existing) requirePermission(permissions, AddReactions);
  if (existing?.users.has(actor)) return;
  if (!existing && reactions.size >= MAX_REACTIONS) {
    throw new DiscordError(400, 30010, "Maximum number of reactions reached (20)");
  }
  const reaction = existing ?? { emoji: parsed, users: new Set<string>() };
  reaction.users.add(actor);
  reactions.set(keyOf(parsed), reaction);
  message.more = { ...message.more, reactions };
  const member = place.guild?.members.get(actor);
  announceIn(world, place.channel, "MESSAGE_REACTION_ADD", {
    ...whereabouts(place, message),
    user_id: actor,
    emoji: parsed,
    message_author_id: message.authorId,
    ...(member && { member: toApiMember(world, member) }),
    burst: false,
    type: 0,
  });
}

export function removeReaction(
  world: World,
  actor: string,
  { channelId, messageId, emoji, userId = actor }: ReactionAddress & { userId?: string },
): void {
  const place = requirePlace(world, actor, channelId);
  const message = requireMessage(place, messageId);
  if (userId !== actor) requireModeration(world, actor, place);
  const parsed = parseEmoji(emoji);
  const reaction = message.more?.reactions?.get(keyOf(parsed));
  if (!reaction) throw unknownEmoji();
  if (!reaction.users.delete(userId)) return;
  if (reaction.users.size === 0) message.more?.reactions?.delete(keyOf(parsed));
  announceIn(world, place.channel, "MESSAGE_REACTION_REMOVE", {
    ...whereabouts(place, message),
    user_id: userId,
    emoji: parsed,
    burst: false,
    type: 0,
  });
}

/** All reactions of a message, or all with one emoji. */
export function clearReactions(
  world: World,
  actor: string,
  { channelId, messageId, emoji }: Omit<ReactionAddress, "emoji"> & { emoji?: string },
): void {
  const place = requirePlace(world, actor, channelId);
  const message = requireMessage(place, messageId);
  requireModeration(world, actor, place);
  const { reactions } = message.more ?? {};
  if (emoji === undefined) {
    reactions?.clear();
    announceIn(world, place.channel, "MESSAGE_REACTION_REMOVE_ALL", whereabouts(place, message));
    return;
  }
  const parsed = parseEmoji(emoji);
  if (!reactions?.delete(keyOf(parsed))) throw unknownEmoji();
  announceIn(world, place.channel, "MESSAGE_REACTION_REMOVE_EMOJI", { ...whereabouts(place, message), emoji: parsed });
}

/** The reaction with this emoji; undefined if there is none. */
export function findReaction(message: MessageRecord, emoji: string): ReactionRecord | undefined {
  return message.more?.reactions?.get(keyOf(parseEmoji(emoji)));
}

/** The key under which a message keeps a reaction: what the user sees, or the id of a custom emoji. */
function keyOf(emoji: ReactionRecord["emoji"]): string {
  return emoji.id === null ? emoji.name : `${emoji.name}:${emoji.id}`;
}

function parseEmoji(emoji: string): ReactionRecord["emoji"] {
  const custom = /^(?:a:)?(\w{2,32}):(\d{15,20})$/.exec(emoji);
  if (custom?.[1] && custom[2]) return { id: custom[2], name: custom[1] };
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(emoji) || emoji.length > 32)
    throw unknownEmoji();
  return { id: null, name: emoji };
}

function requireModeration(world: World, actor: string, place: Place): void {
  if (!place.guild) throw notInDm();
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageMessages);
}

function whereabouts({ channel }: Place, message: MessageRecord): object {
  return {
    channel_id: channel.id,
    message_id: message.id,
    ...(channel.guildId !== null && { guild_id: channel.guildId }),
  };
}
