import { MessageFlags, MessageType } from "discord-api-types/v10";
import type { MessageRecord, WebhookRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { announceMessage } from "./announce.ts";
import { layMessage } from "./records.ts";

/** Sends a copy of the published message to every following channel. */
export function layCopies(world: World, message: MessageRecord): void {
  for (const follower of followersOf(world, message.channelId)) layCopy(world, follower, message);
}

/** Updates the copies with their original; when it is deleted, they stay and are marked. */
export function updateCopies(world: World, message: MessageRecord, change: "edited" | "deleted"): void {
  if (!(message.flags & MessageFlags.Crossposted)) return;
  for (const copy of copiesOf(world, message)) {
    if (change === "deleted") copy.flags |= MessageFlags.SourceMessageDeleted;
    else {
      copy.content = message.content;
      copy.editedAt = message.editedAt;
    }
    announceMessage(world, "MESSAGE_UPDATE", copy);
  }
}

function followersOf(world: World, channelId: string): WebhookRecord[] {
  return [...world.webhooks.values()].filter((webhook) => webhook.sourceChannelId === channelId);
}

function copiesOf(world: World, message: MessageRecord): MessageRecord[] {
  return followersOf(world, message.channelId).flatMap(({ channelId }) =>
    [...(world.channels.get(channelId)?.messages ?? [])].filter(
      ({ flags, more }) => flags & MessageFlags.IsCrosspost && more?.reference?.messageId === message.id,
    ),
  );
}

function layCopy(world: World, follower: WebhookRecord, message: MessageRecord): void {
  const channel = world.channels.get(follower.channelId);
  if (!channel) return;
  const { embeds, attachments, components } = message.more ?? {};
  const guildId = world.channels.get(message.channelId)?.guildId ?? null;
  const copy: MessageRecord = {
    ...message,
    id: world.mintId(),
    channelId: channel.id,
    authorId: follower.id,
    type: MessageType.Default,
    timestamp: world.clock.now(),
    flags: MessageFlags.IsCrosspost | (message.flags & MessageFlags.IsComponentsV2),
    more: {
      ...(embeds && { embeds }),
      ...(attachments && { attachments }),
      ...(components && { components }),
      webhook: { id: follower.id, name: follower.name, applicationId: null },
      reference: { type: 0, messageId: message.id, channelId: message.channelId, guildId },
      mentions: { users: [], roles: [] },
    },
  };
  layMessage(channel, copy);
  announceMessage(world, "MESSAGE_CREATE", copy);
}
