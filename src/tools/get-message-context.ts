import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import { compareIds, type MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { LinePiece } from "../domain/text/untrusted-block.ts";
import { defineTool } from "./define-tool.ts";
import { includeOwn, links, maxTokens, messageReference, readBlock, readSchema, toPieces, toRead } from "./fields.ts";
import type { View } from "./view.ts";

const count = (words: string) => z.int().min(0).max(50).default(5).describe(words);

export const getMessageContext = defineTool({
  name: "get_message_context",
  about: "A message with what was said before and after it: 'what led up to that?', links to messages.",
  examples: [
    "What was said around https://discord.com/channels/11/22/33?",
    "What led up to https://discord.com/channels/11/22/34?",
  ],
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "search",
  input: z.strictObject({
    message_id: messageReference,
    before: count("How many; messages before it"),
    after: count("How many; messages after it"),
    include_own: includeOwn.default(true),
    max_tokens: maxTokens.optional(),
    links: links.default(true),
  }),
  unlisted: ["include_own"],
  handles: ["message_id"],
  maxTokensField: "max_tokens",
  linksField: "links",
  output: readSchema.extend({
    message_id: idSchema<MessageId>().describe("The message that was asked about"),
    files: z
      .array(z.object({ filename: z.string(), text: z.string(), is_cut: z.boolean() }))
      .describe("What stands in its text files"),
    reactions: z
      .array(z.object({ emoji: z.string(), count: z.int().min(1).max(Number.MAX_SAFE_INTEGER) }))
      .nullable()
      .describe("How people reacted to it; null when Discord could not be asked"),
  }),
  toBlock(output) {
    const block = readBlock(output, { askedAbout: output.message_id });
    const texts = output.files.flatMap(({ filename, text, is_cut }) =>
      toPieces(is_cut ? `${text} …` : text).map((words): LinePiece[] => ["file ", { name: filename }, ": ", { words }]),
    );
    const given = (output.reactions ?? []).flatMap(({ emoji, count }, index): LinePiece[] => {
      const custom = /^<a?:(\w{1,40}):\d{1,20}>$/.exec(emoji)?.[1];
      return [index === 0 ? "" : ", ", custom === undefined ? { name: emoji } : `:${custom}:`, ` ${count}`];
    });
    const all = given.length === 0 ? texts : [["reactions to the message asked about: ", ...given], ...texts];
    const lines = all.map((pieces) => ({ kind: "line" as const, pieces }));
    return lines.length === 0 ? block : { ...block, items: [...block.items, ...lines], dropFrom: "end" };
  },
  async run({ message_id, before, after, include_own }, view) {
    const { channel, messageId } = await view.messages.locate(message_id);
    const message = await channel.message(messageId);
    if (!message) throw new EarshotError("not_found", "Message not found");
    const withoutEchoes = !include_own;
    const older = before > 0 ? (await channel.before(messageId, { limit: before, withoutEchoes })).messages : [];
    const newer = after > 0 ? (await channel.after(messageId, { limit: after, withoutEchoes })).messages : [];
    const messages = [...older, message, ...newer].sort((a, b) => compareIds(b.message_id, a.message_id));
    const [from, to] = [messages.at(-1)?.ts ?? null, messages[0]?.ts ?? null];
    const coverage = { scanned: messages.length, from, to, complete: true };
    const read = toRead({ messages, coverage, has_more: false, cursor: null }, channel);
    const reactions = await orNull(channel.reactions(messageId).then((all) => [...all]));
    return { ...read, message_id: messageId, reactions, files: await readFiles(message, view) };
  },
});

const MAX_FILES = 2;
const MAX_BYTES = 100_000;
const MAX_CHARACTERS = 2_000;

/** The text files attached to a message, from their start. Unavailable ones are left out. */
async function readFiles({ attachments, channel_id, message_id }: Message, view: View) {
  const texts = attachments.filter(({ content_type, size }) => content_type?.startsWith("text/") && size <= MAX_BYTES);
  const files = [];
  for (const { url, filename } of texts.slice(0, MAX_FILES)) {
    const file = await orNull(view.messages.attachment({ url, channelId: channel_id, messageId: message_id }));
    if (!file) continue;
    const text = new TextDecoder().decode(file.bytes);
    files.push({ filename, text: text.slice(0, MAX_CHARACTERS), is_cut: text.length > MAX_CHARACTERS });
  }
  return files;
}

/** An optional part, whose failure does not fail the call. */
async function orNull<Value>(wanted: Promise<Value>): Promise<Value | null> {
  try {
    return await wanted;
  } catch (error) {
    if (error instanceof EarshotError && error.code !== "cancelled") return null;
    throw error;
  }
}
