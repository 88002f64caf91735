import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { AttachmentRequest, View } from "./view.ts";

export const pictureSchema = z.object({
  message_id: idSchema<MessageId>(),
  filename: z.string(),
  content_type: z.string(),
  url: z.string(),
  base64: z.string().nullable().describe("Only where that was asked for, it is not too large, and it could be fetched"),
});

export type Picture = z.output<typeof pictureSchema>;

const MAX_PICTURES = 4;
const MAX_BYTES = 2 * 1024 * 1024;

/** The pictures of these messages, first those of the first message. */
export async function toPictures(
  messages: readonly Message[],
  how: "none" | "url" | "base64",
  view: View,
): Promise<Picture[]> {
  if (how === "none") return [];
  const pictures = messages.flatMap(({ message_id, channel_id, attachments }) =>
    attachments.flatMap(({ filename, content_type, url, size }) =>
      content_type?.startsWith("image/") ? [{ message_id, channel_id, filename, content_type, url, size }] : [],
    ),
  );
  return Promise.all(
    pictures.slice(0, MAX_PICTURES).map(async ({ size, channel_id: channelId, ...picture }) => {
      const isWanted = how === "base64" && size <= MAX_BYTES;
      const which = { url: picture.url, channelId, messageId: picture.message_id };
      return { ...picture, base64: isWanted ? await fetchPicture(which, view) : null };
    }),
  );
}

/** Null if it is unavailable: a missing picture does not fail the call. */
async function fetchPicture(which: AttachmentRequest, view: View): Promise<string | null> {
  try {
    const { bytes } = await view.messages.attachment(which);
    return Buffer.from(bytes).toString("base64");
  } catch (error) {
    if (error instanceof EarshotError && error.code !== "cancelled") return null;
    throw error;
  }
}
