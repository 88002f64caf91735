import { z } from "zod";
import { quoteName } from "../domain/text/escape.ts";
import { defineTool } from "./define-tool.ts";
import { channelId, messageId, toPieces } from "./fields.ts";

export const attachmentBase64 = defineTool({
  name: "discord.attachment.base64",
  about: "The content of an attached picture or text file, as base64. Works for links that have expired.",
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "discord",
  input: z.strictObject({
    url: z.string().max(2_000).describe("The attachment's url, as a message gave it"),
    channel_id: channelId
      .optional()
      .describe("Where the message stands, if it was forwarded from elsewhere or the url does not tell"),
    message_id: messageId.optional().describe("The message it is attached to, if known"),
  }),
  handles: ["message_id"],
  output: z.object({ content_type: z.string(), base64: z.string() }),
  toBlock({ content_type, base64 }) {
    const bytes = Buffer.from(base64, "base64");
    const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(content_type) ? content_type : quoteName(content_type);
    const text = content_type.startsWith("text/") ? bytes.toString("utf8") : "";
    return {
      label: { kind: "file", name: null, from: null, to: null },
      items: toPieces(text).map((piece) => ({ kind: "line", pieces: [{ words: piece }] })),
      dropFrom: "end",
      notes: [],
      empty: `A file of type ${type}, ${bytes.length} bytes; it is in the structured content.`,
    };
  },
  async run({ url, channel_id, message_id }, view) {
    const { contentType, bytes } = await view.attachment({
      url,
      ...(channel_id && { channelId: channel_id }),
      ...(message_id && { messageId: message_id }),
    });
    return { content_type: contentType, base64: Buffer.from(bytes).toString("base64") };
  },
});
