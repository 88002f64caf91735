import { MessageFlags } from "discord-api-types/v10";
import { toGatewayMessage } from "../render/messages.ts";
import type { ChannelRecord, MessageRecord } from "../world/records.ts";
import type { World, WorldEvent } from "../world/world.ts";

/** Emits an event to everybody who can view the channel; in a DM to both people. */
export function announceIn(world: World, channel: ChannelRecord, type: string, data: WorldEvent["data"]): void {
  world.emit({
    type,
    guildId: channel.guildId,
    channel,
    ...(channel.guildId === null && { onlyFor: channel.recipients }),
    data,
  });
}

/** A new or changed message. Rendered separately for each listener only if it can differ. */
export function announceMessage(world: World, type: "MESSAGE_CREATE" | "MESSAGE_UPDATE", message: MessageRecord): void {
  const channel = world.channels.get(message.channelId);
  if (!channel) return;
  const isCreated = type === "MESSAGE_CREATE";
  const tell = (viewerId: string) => toGatewayMessage(world, message, { viewerId, withNonce: isCreated });
  const data = looksPersonal(world, message) ? tell : tell("");
  const listener = message.more?.ephemeralFor;
  if (listener === undefined) announceIn(world, channel, type, data);
  else world.emit({ type, guildId: channel.guildId, channel, onlyFor: [listener, message.authorId], data });
}

/** Reactions, votes and memberships of threads look different to each viewer; also those of a message replied to. */
function looksPersonal(world: World, message: MessageRecord): boolean {
  const { reactions, poll, reference } = message.more ?? {};
  if (reactions?.size || poll || message.flags & MessageFlags.HasThread) return true;
  if (!reference?.messageId) return false;
  const original = world.channels.get(reference.channelId)?.messages.get(reference.messageId);
  return Boolean(original && (original.more?.poll || original.flags & MessageFlags.HasThread));
}
