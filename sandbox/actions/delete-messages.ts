import { MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelRecord } from "../world/records.ts";
import { snowflakeTime } from "../world/snowflake.ts";
import type { World } from "../world/world.ts";
import { permissionsIn, requireMessage, requirePermission, requirePlace } from "./access.ts";
import { announceIn } from "./announce.ts";
import { updateCopies } from "./crosspost-copies.ts";
import { DiscordError, notInDm, systemMessage } from "./errors.ts";
import type { MessageAddress } from "./message-address.ts";

const BULK_MEMORY_MS = 14 * 24 * 3_600_000;

export function deleteMessage(world: World, actor: string, { channelId, messageId }: MessageAddress): void {
  const place = requirePlace(world, actor, channelId);
  const message = requireMessage(place, messageId);
  const isOwn = message.authorId === actor && !message.more?.webhook;
  if (!isOwn && !place.guild) throw notInDm();
  if (!isOwn) requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageMessages);
  if (message.type === MessageType.ThreadStarterMessage) throw systemMessage();
  dropMessage(place.channel, messageId);
  announceIn(world, place.channel, "MESSAGE_DELETE", { id: messageId, ...whereabouts(place.channel) });
  updateCopies(world, message, "deleted");
}

export function bulkDeleteMessages(
  world: World,
  actor: string,
  { channelId, messageIds }: { channelId: string; messageIds: readonly string[] },
): void {
  const place = requirePlace(world, actor, channelId);
  if (!place.guild) throw notInDm();
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageMessages);
  const wanted = [...new Set(messageIds)];
  if (wanted.length < 2 || wanted.length > 100) {
    throw new DiscordError(
      400,
      50016,
      "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete",
    );
  }
  const oldest = world.clock.now() - BULK_MEMORY_MS;
  if (wanted.some((id) => snowflakeTime(id) < oldest)) {
    throw new DiscordError(400, 50034, "You can only bulk delete messages that are under 14 days old.");
  }
  const deleted = wanted.filter((id) => dropMessage(place.channel, id));
  if (deleted.length === 0) return;
  announceIn(world, place.channel, "MESSAGE_DELETE_BULK", { ids: deleted, ...whereabouts(place.channel) });
}

/** Removes a message from its channel. `lastMessageId` of the channel does not change, as on Discord. */
export function dropMessage(channel: ChannelRecord, messageId: string): boolean {
  const isGone = channel.messages.remove(messageId) !== undefined;
  if (isGone && channel.thread) channel.thread.messageCount = Math.max(0, channel.thread.messageCount - 1);
  channel.pins.delete(messageId);
  return isGone;
}

function whereabouts(channel: ChannelRecord): { channel_id: string; guild_id?: string } {
  return { channel_id: channel.id, ...(channel.guildId !== null && { guild_id: channel.guildId }) };
}
