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

const size = z.int().nullish();
const media = z.object({ url: link.nullish(), width: size, height: size });
const provider = z.object({ name: z.string().max(256).nullish(), url: link.nullish() });

const time = z.string().superRefine((text, context) => {
  if (!Number.isNaN(Date.parse(text))) return;
  const message = `Could not parse ${text}. Should be ISO8601.`;
  context.addIssue({ code: "custom", message, params: { code: "DATE_TYPE_PARSE" } });
});

/** Discord takes nearly every part as null or empty, and drops a part without the text or link that it is there for. */
export const embeds = z.array(
  z
    .object({
      type: z.string().nullish(),
      title: z.string().nullish(),
      description: z.string().nullish(),
      url: link.nullish(),
      timestamp: time.nullish(),
      color: z.int().min(0).max(0xffffff).nullish(),
      footer: z.object({ text: z.string().nullish(), icon_url: link.nullish() }).nullish(),
      image: media.nullish(),
      thumbnail: media.nullish(),
      video: media.nullish(),
      provider: provider.nullish(),
      author: z.object({ name: z.string().nullish(), url: link.nullish(), icon_url: link.nullish() }).nullish(),
      fields: z.array(z.object({ name: z.string(), value: z.string(), inline: z.boolean().nullish() })).nullish(),
    })
    .transform((given, context) => {
      // Only Discord itself sets the type, the video and the provider.
      const { type: _type, video: _video, provider: _provider, footer, image, thumbnail, author, ...rest } = given;
      const embed = withoutNulls({
        ...rest,
        footer: footer?.text ? footer : null,
        image: image?.url ? { url: image.url } : null,
        thumbnail: thumbnail?.url ? { url: thumbnail.url } : null,
        author: author?.name ? author : null,
      }) as APIEmbed;
      if (Object.keys(embed).some((part) => part !== "color")) return embed;
      context.addIssue({
        code: "custom",
        path: ["description"],
        message: "This field is required",
        params: { code: "BASE_TYPE_REQUIRED" },
      });
      return z.NEVER;
    }),
);
