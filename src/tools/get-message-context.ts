import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import { compareIds, type MessageId } from "../domain/ids.ts";
import { defineTool } from "./define-tool.ts";
import { maxTokens, readBlock, readSchema, toRead } from "./fields.ts";

const count = (words: string) => z.int().min(0).max(50).default(5).describe(words);

export const getMessageContext = defineTool({
  name: "get_message_context",
  about: "A message with what was said before and after it. Use for 'what led up to that?' and for links to messages.",
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "search",
  input: z.strictObject({
    message_id: z.string().min(1).max(200).describe("Id of the message, a short name such as m7, or a link to it"),
    before: count("Messages before it"),
    after: count("Messages after it"),
    max_tokens: maxTokens.optional(),
  }),
  output: readSchema.extend({ message_id: idSchema<MessageId>().describe("The message that was asked about") }),
  toBlock: (output) => readBlock(output, { askedAbout: output.message_id }),
  async run({ message_id, before, after }, view) {
    const { channel, messageId } = await view.locate(message_id);
    const message = await channel.message(messageId);
    if (!message) throw new EarshotError("not_found", "Message not found");
    const older = before > 0 ? (await channel.before(messageId, { limit: before })).messages : [];
    const newer = after > 0 ? (await channel.after(messageId, { limit: after })).messages : [];
    const messages = [...older, message, ...newer].sort((a, b) => compareIds(b.message_id, a.message_id));
    const [from, to] = [messages.at(-1)?.ts ?? null, messages[0]?.ts ?? null];
    const coverage = { scanned: messages.length, from, to, complete: true };
    return { ...toRead({ messages, coverage, has_more: false, cursor: null }, channel), message_id: messageId };
  },
});
