import { MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import { toTimestamp } from "../render/timestamp.ts";
import type { World } from "../world/world.ts";
import { OPERATOR, type Place, permissionsIn, requireMessage, requirePermission, requirePlace } from "./access.ts";
import { announceIn, announceMessage } from "./announce.ts";
import { DiscordError, systemMessage, threadArchived } from "./errors.ts";
import type { MessageAddress } from "./message-address.ts";
import { postNotice } from "./notices.ts";
import { SPEECH } from "./speech.ts";

const MAX_PINS = 250;

export function pinMessage(world: World, actor: string, { channelId, messageId }: MessageAddress): void {
  const { place, message } = requirePinning(world, actor, { channelId, messageId });
  const { channel } = place;
  if (channel.pins.has(messageId)) return;
  if (!SPEECH.has(message.type)) throw systemMessage();
  if (channel.pins.size >= MAX_PINS) throw new DiscordError(400, 30003, "Maximum number of pins reached (250)");
  channel.pins.set(messageId, world.clock.now());
  announceMessage(world, "MESSAGE_UPDATE", message);
  announcePins(world, place);
  postNotice(world, place, {
    type: MessageType.ChannelPinnedMessage,
    authorId: actor === OPERATOR ? message.authorId : actor,
    reference: { type: 0, messageId, channelId, guildId: channel.guildId },
  });
}

export function unpinMessage(world: World, actor: string, address: MessageAddress): void {
  const { place, message } = requirePinning(world, actor, address);
  if (!place.channel.pins.delete(address.messageId)) return;
  announceMessage(world, "MESSAGE_UPDATE", message);
  announcePins(world, place);
}

function requirePinning(world: World, actor: string, { channelId, messageId }: MessageAddress) {
  const place = requirePlace(world, actor, channelId);
  if (place.guild) requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.PinMessages);
  if (place.channel.thread?.archived) throw threadArchived();
  return { place, message: requireMessage(place, messageId) };
}

function announcePins(world: World, { channel }: Place): void {
  const last = channel.pins.size > 0 ? toTimestamp(Math.max(...channel.pins.values())) : null;
  announceIn(world, channel, "CHANNEL_PINS_UPDATE", {
    channel_id: channel.id,
    ...(channel.guildId !== null && { guild_id: channel.guildId }),
    last_pin_timestamp: last,
  });
}
