import type { APIMessage } from "discord-api-types/v10";
import { toApiMessage } from "../render/messages.ts";
import { stripContent } from "../render/strip-content.ts";
import type { ApplicationRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** A message as sent to this bot: without MESSAGE_CONTENT much of it is blank, over REST too. */
export function showMessage(
  world: World,
  application: ApplicationRecord,
  message: MessageRecord,
  { withNonce = false } = {},
): APIMessage {
  const shown = toApiMessage(world, message, { viewerId: application.botId, withNonce });
  const isDm = world.channels.get(message.channelId)?.guildId === null;
  return application.privileged.messageContent || isDm ? shown : stripContent(shown, application.botId);
}
