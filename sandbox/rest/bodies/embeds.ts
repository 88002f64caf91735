import type { APIEmbed } from "discord-api-types/v10";
import { z } from "zod";
import { withoutNulls } from "./without-nulls.ts";

/** A link on the web, or to a file of the same message. */
export const link = z.string().superRefine((text, context) => {
  const scheme = /^([a-z][a-z+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(text)) {
    context.addIssue({ code: "custom", message: "Not a well formed URL.", params: { code: "URL_TYPE_INVALID_URL" } });
  } else if (!["http", "https", "attachment"].includes(scheme)) {
    const message = `Scheme "${scheme}" is not supported. Scheme must be one of ('http', 'https').`;
    context.addIssue({ code: "custom", message, params: { code: "URL_TYPE_INVALID_SCHEME" } });
  }
});

const image = z.object({ url: link });

const time = z.string().superRefine((text, context) => {
  if (!Number.isNaN(Date.parse(text))) return;
  const message = `Could not parse ${text}. Should be ISO8601.`;
  context.addIssue({ code: "custom", message, params: { code: "DATE_TYPE_PARSE" } });
});

export const embeds = z.array(
  z
    .object({
      title: z.string().nullish(),
      description: z.string().nullish(),
      url: link.nullish(),
      timestamp: time.nullish(),
      color: z.int().min(0).max(0xffffff).nullish(),
      footer: z.object({ text: z.string(), icon_url: link.nullish() }).nullish(),
      image: image.nullish(),
      thumbnail: image.nullish(),
      author: z.object({ name: z.string(), url: link.nullish(), icon_url: link.nullish() }).nullish(),
      fields: z.array(z.object({ name: z.string(), value: z.string(), inline: z.boolean().nullish() })).nullish(),
    })
    .transform((embed) => withoutNulls(embed) as APIEmbed),
);
