import { type APIMessageTopLevelComponent, ButtonStyle, ComponentType as Type } from "discord-api-types/v10";
import { z } from "zod";
import { snowflake } from "../parse.ts";
import { link } from "./embeds.ts";
import { withoutNulls } from "./without-nulls.ts";

const id = z.int().min(0).nullish();
const customId = z.string().min(1).max(100);
const media = z.object({ url: link });
const spoiler = z.boolean().nullish();
const emoji = z.object({ id: snowflake.nullish(), name: z.string().nullish(), animated: z.boolean().nullish() });

const button = z
  .object({
    type: z.literal(Type.Button),
    id,
    style: z.int().min(1).max(6),
    label: z.string().max(80).nullish(),
    emoji: emoji.nullish(),
    custom_id: customId.nullish(),
    url: link.nullish(),
    sku_id: snowflake.nullish(),
    disabled: z.boolean().nullish(),
  })
  .superRefine((given, context) => {
    const field =
      given.style === ButtonStyle.Link ? "url" : given.style === ButtonStyle.Premium ? "sku_id" : "custom_id";
    if (given[field] != null) return;
    const params = { code: "BASE_TYPE_REQUIRED" };
    context.addIssue({ code: "custom", path: [field], message: "This field is required", params });
  });

const selectFields = {
  id,
  custom_id: customId,
  placeholder: z.string().max(150).nullish(),
  min_values: z.int().min(0).max(25).nullish(),
  max_values: z.int().min(1).max(25).nullish(),
  disabled: z.boolean().nullish(),
  required: z.boolean().nullish(),
};

const option = z.object({
  label: z.string().min(1).max(100),
  value: z.string().min(1).max(100),
  description: z.string().max(100).nullish(),
  emoji: emoji.nullish(),
  default: z.boolean().nullish(),
});

const stringSelect = z.object({
  type: z.literal(Type.StringSelect),
  ...selectFields,
  options: z.array(option).min(1).max(25),
});

const defaultValues = z.array(z.object({ id: snowflake, type: z.enum(["user", "role", "channel"]) })).nullish();
const entitySelect = <T extends number>(type: T) =>
  z.object({ type: z.literal(type), ...selectFields, default_values: defaultValues });
const channelSelect = z.object({
  ...entitySelect(Type.ChannelSelect).shape,
  channel_types: z.array(z.int()).nullish(),
});

const actionRow = z.object({
  type: z.literal(Type.ActionRow),
  id,
  components: z
    .array(
      z.discriminatedUnion("type", [
        button,
        stringSelect,
        entitySelect(Type.UserSelect),
        entitySelect(Type.RoleSelect),
        entitySelect(Type.MentionableSelect),
        channelSelect,
      ]),
    )
    .min(1)
    .max(5),
});

const textDisplay = z.object({ type: z.literal(Type.TextDisplay), id, content: z.string().min(1).max(4000) });
const description = z.string().max(1024).nullish();
const thumbnail = z.object({ type: z.literal(Type.Thumbnail), id, media, description, spoiler });
const section = z.object({
  type: z.literal(Type.Section),
  id,
  components: z.array(textDisplay).min(1).max(3),
  accessory: z.discriminatedUnion("type", [button, thumbnail]),
});
const gallery = z.object({
  type: z.literal(Type.MediaGallery),
  id,
  items: z.array(z.object({ media, description, spoiler })).min(1).max(10),
});
const file = z.object({ type: z.literal(Type.File), id, file: media, spoiler });
const separator = z.object({
  type: z.literal(Type.Separator),
  id,
  divider: z.boolean().nullish(),
  spacing: z.int().min(1).max(2).nullish(),
});
const container = z.object({
  type: z.literal(Type.Container),
  id,
  accent_color: z.int().min(0).max(0xffffff).nullish(),
  spoiler,
  components: z.array(z.discriminatedUnion("type", [actionRow, textDisplay, section, gallery, file, separator])).min(1),
});

/** All components of messages. The flags of a message decide which of them it may use. */
export const messageComponents = z
  .array(z.discriminatedUnion("type", [actionRow, textDisplay, section, gallery, file, separator, container]))
  .transform((components) => withoutNulls(components) as APIMessageTopLevelComponent[]);
