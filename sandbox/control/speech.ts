import { z } from "zod";
import type { AttachmentDraft, MessageDraft } from "../actions/message-draft.ts";
import { measureImage } from "../rest/bodies/measure-image.ts";
import { name, text } from "./control-action.ts";

/** A file as a request has it. */
export const file = z
  .strictObject({
    name,
    // One of both: text as it is, or any bytes.
    text: z.string().optional(),
    base64: z.base64().optional(),
    // As browsers say it, such as image/png; by the name's ending when absent.
    type: name.optional(),
    description: z.string().max(1_024).optional(),
  })
  .refine((given) => (given.text === undefined) !== (given.base64 === undefined));

/** The fields of a request that make up a message: text, files or both. */
export const speech = { text: text.optional(), files: z.array(file).min(1).max(10).optional() };

const TYPES: Readonly<Record<string, string>> = {
  ...{ txt: "text/plain", md: "text/markdown", csv: "text/csv", html: "text/html", json: "application/json" },
  ...{ png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" },
  ...{ mp3: "audio/mpeg", ogg: "audio/ogg", mp4: "video/mp4", pdf: "application/pdf", zip: "application/zip" },
};

/** Discord refuses a draft without text and files. */
export function toDraft(said: {
  readonly text?: string | undefined;
  readonly files?: readonly z.output<typeof file>[] | undefined;
}): MessageDraft {
  return {
    ...(said.text !== undefined && { content: said.text }),
    ...(said.files && { attachments: said.files.map(toAttachment) }),
  };
}

export function toAttachment({
  name: filename,
  text: content,
  base64,
  type,
  description,
}: z.output<typeof file>): AttachmentDraft {
  const bytes = base64 === undefined ? Buffer.from(content ?? "") : Buffer.from(base64, "base64");
  const contentType = type ?? TYPES[filename.split(".").at(-1)?.toLowerCase() ?? ""] ?? null;
  return { filename, contentType, bytes, ...(description !== undefined && { description }), ...measureImage(bytes) };
}
