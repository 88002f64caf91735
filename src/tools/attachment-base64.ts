import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import type { Attachment } from "../domain/message.ts";
import { quoteInput, quoteName } from "../domain/text/escape.ts";
import { defineTool } from "./define-tool.ts";
import { channel, messageReference, toPieces } from "./fields.ts";
import type { AttachmentRequest, View } from "./view.ts";

export const attachmentBase64 = defineTool({
  name: "discord.attachment.base64",
  about: "The content of a picture or text file of a message.",
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "discord",
  input: z.strictObject({
    message_id: messageReference.optional(),
    filename: z.string().min(1).max(300).optional().describe("Which of its files; needed where there are several"),
    url: z.string().max(2_000).optional().describe("Its url instead; may have expired"),
    channel: channel
      .optional()
      .describe("Where the message stands, if it was forwarded from elsewhere or the url does not tell"),
  }),
  handles: ["message_id"],
  channels: ["channel"],
  unlisted: ["channel"],
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
  async run(named, view) {
    const { contentType, bytes } = await view.messages.attachment(await toRequest(named, view));
    return { content_type: contentType, base64: Buffer.from(bytes).toString("base64") };
  },
});

interface NamedFile {
  readonly url?: string | undefined;
  readonly channel?: string | undefined;
  readonly message_id?: string | undefined;
  readonly filename?: string | undefined;
}

async function toRequest(
  { url, channel: place, message_id, filename }: NamedFile,
  view: View,
): Promise<AttachmentRequest> {
  if (url !== undefined && message_id === undefined)
    return { url, ...(place !== undefined && { channelId: await view.channels.idOf(place) }) };
  if (message_id === undefined)
    throw new EarshotError(
      "invalid",
      "`message_id` is missing: name the message that the file is attached to, or give its `url`.",
    );
  const { channelId, messageId } = await view.messages.addressOf(message_id, place);
  if (url !== undefined) return { url, channelId, messageId };
  const message = await (await view.channels.open(channelId)).message(messageId);
  if (!message) throw new EarshotError("not_found", "Message not found");
  return { url: pick(message.attachments, filename).url, channelId, messageId };
}

/** The file of that name, or the only file. */
function pick(files: readonly Attachment[], filename: string | undefined): Attachment {
  const wanted = filename === undefined ? files : files.filter((file) => file.filename === filename);
  const [first, ...others] = wanted;
  const names = files.map((file) => quoteName(file.filename)).join(", ");
  if (!first) {
    const problem =
      files.length === 0 ? "No file is attached to that message." : `The files of that message are ${names}.`;
    throw new EarshotError(
      "not_found",
      filename === undefined ? problem : `There is no file ${quoteInput(filename)}. ${problem}`,
    );
  }
  if (others.length === 0 || filename !== undefined) return first;
  throw new EarshotError("invalid", `\`filename\` is missing: several files are attached to that message, ${names}.`);
}
