import { ChannelType, MessageFlags, MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import type { MessageRecord, WebhookRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { permissionsIn, requireMessage, requirePermission, requirePlace } from "./access.ts";
import { announceMessage } from "./announce.ts";
import { layCopies } from "./crosspost-copies.ts";
import { DiscordError, wrongChannelType } from "./errors.ts";
import type { MessageAddress } from "./message-address.ts";
import { postNotice } from "./notices.ts";
import { layWebhook, requireWebhookHome } from "./webhooks.ts";

/** Publishes a message of an announcement channel: everybody who follows the channel gets a copy. */
export function crosspostMessage(world: World, actor: string, { channelId, messageId }: MessageAddress): MessageRecord {
  const place = requirePlace(world, actor, channelId);
  if (place.channel.type !== ChannelType.GuildAnnouncement) throw wrongChannelType();
  const message = requireMessage(place, messageId);
  const { SendMessages, ManageMessages } = PermissionFlagsBits;
  const needed = message.authorId === actor ? SendMessages : SendMessages | ManageMessages;
  requirePermission(permissionsIn(world, place, actor), needed);
  if (message.flags & MessageFlags.Crossposted) {
    throw new DiscordError(400, 40033, "This message has already been crossposted.");
  }
  message.flags |= MessageFlags.Crossposted;
  announceMessage(world, "MESSAGE_UPDATE", message);
  layCopies(world, message);
  return message;
}

/** Makes a channel, of this server or another, receive copies of what is published here. */
export function followChannel(
  world: World,
  actor: string,
  { channelId, targetId }: { readonly channelId: string; readonly targetId: string },
): WebhookRecord {
  const source = requirePlace(world, actor, channelId);
  if (source.channel.type !== ChannelType.GuildAnnouncement || !source.guild) throw wrongChannelType();
  const target = requireWebhookHome(world, actor, targetId);
  const name = `${source.guild.name} #${source.channel.name}`;
  const webhook = layWebhook(world, actor, { channel: target.channel, name, sourceChannelId: channelId });
  postNotice(world, target, {
    type: MessageType.ChannelFollowAdd,
    authorId: actor,
    content: name,
    reference: { type: 0, messageId: null, channelId, guildId: source.guild.id },
  });
  return webhook;
}
