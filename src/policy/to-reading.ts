import type { Reading } from "../domain/label.ts";
import type { Message } from "../domain/message.ts";
import { toMessageReading } from "../domain/message-reading.ts";
import { extractLinksWithTrimmed } from "../domain/text/links.ts";

/** A message that was disclosed outside of a read, such as a request, as something that was read. */
export function toReading(message: Message): Reading {
  const links = extractLinksWithTrimmed(message.content);
  return { channels: [message.channel_id], guilds: [], messages: [toMessageReading(message)], links };
}
