import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelId, messageId } from "./fields.ts";

export const attachmentBase64 = defineTool({
  name: "discord.attachment.base64",
  about: "The content of an attached picture or text file, as base64. Works for links that have expired.",
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "discord",
  input: z.strictObject({
    url: z.string().max(2_000).describe("The attachment's url, as a message gave it"),
    channel_id: channelId.optional().describe("Where the message stands, if it was forwarded from elsewhere"),
    message_id: messageId.optional().describe("The message it is attached to, if known"),
  }),
  output: z.object({ content_type: z.string(), base64: z.string() }),
  async run({ url, channel_id, message_id }, view) {
    const { contentType, bytes } = await view.attachment({
      url,
      ...(channel_id && { channelId: channel_id }),
      ...(message_id && { messageId: message_id }),
    });
    return { content_type: contentType, base64: Buffer.from(bytes).toString("base64") };
  },
});
