import { z } from "zod";
import { DiscordError } from "../../actions/errors.ts";
import type {
  AllowedMentions,
  AttachmentDraft,
  MessageDraft,
  MessagePatch,
  PollDraft,
} from "../../actions/message-draft.ts";
import { parse, snowflake } from "../parse.ts";
import type { RequestBody, UploadedFile } from "../read-body.ts";
import { messageComponents } from "./components.ts";
import { embeds } from "./embeds.ts";
import { measureImage } from "./measure-image.ts";

const allowedMentions = z.object({
  parse: z.array(z.enum(["users", "roles", "everyone"])).nullish(),
  users: z.array(snowflake).nullish(),
  roles: z.array(snowflake).nullish(),
  replied_user: z.boolean().nullish(),
});

const attachments = z.array(
  z.object({
    id: snowflake,
    filename: z.string().max(1024).nullish(),
    description: z.string().max(1024).nullish(),
    duration_secs: z.number().nullish(),
    waveform: z.string().max(400).nullish(),
  }),
);

const reference = z.object({
  type: z.union([z.literal(0), z.literal(1)]).nullish(),
  message_id: snowflake,
  channel_id: snowflake.nullish(),
  guild_id: snowflake.nullish(),
  fail_if_not_exists: z.boolean().nullish(),
});

const pollEmoji = z.object({ id: snowflake.nullish(), name: z.string().nullish() });
const poll = z.object({
  question: z.object({ text: z.string().min(1) }),
  answers: z.array(z.object({ poll_media: z.object({ text: z.string().min(1), emoji: pollEmoji.nullish() }) })),
  duration: z.int().min(1).max(768).nullish(),
  allow_multiselect: z.boolean().nullish(),
  layout_type: z.int().nullish(),
});

/** A new message, as bots and webhooks send it. */
const messageBody = z.object({
  content: z.string().nullish(),
  embeds: embeds.nullish(),
  components: messageComponents.nullish(),
  allowed_mentions: allowedMentions.nullish(),
  message_reference: reference.nullish(),
  sticker_ids: z.array(snowflake).nullish(),
  poll: poll.nullish(),
  flags: z.int().min(0).nullish(),
  tts: z.boolean().nullish(),
  nonce: z.union([z.string(), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  attachments: attachments.nullish(),
});

const messagePatch = z.object({
  content: z.string().nullish(),
  embeds: embeds.nullish(),
  components: messageComponents.nullish(),
  allowed_mentions: allowedMentions.nullish(),
  flags: z.int().min(0).nullish(),
  attachments: attachments.nullish(),
});

export function toDraft({ json, files }: RequestBody): MessageDraft {
  const body = parse(messageBody, json);
  const uploads = toUploads(body.attachments, files).filter((one) => typeof one !== "string");
  const { message_reference: referenced } = body;
  return {
    ...(body.content != null && { content: body.content }),
    ...(body.embeds && { embeds: body.embeds }),
    ...(body.components && { components: body.components }),
    ...(body.allowed_mentions && { allowedMentions: toAllowedMentions(body.allowed_mentions) }),
    ...(referenced && {
      reference: {
        type: referenced.type ?? 0,
        messageId: referenced.message_id,
        ...(referenced.channel_id != null && { channelId: referenced.channel_id }),
        failIfNotExists: referenced.fail_if_not_exists ?? true,
      },
    }),
    ...(body.sticker_ids && { stickerIds: body.sticker_ids }),
    ...(body.poll && { poll: toPollDraft(body.poll) }),
    ...(body.flags != null && { flags: body.flags }),
    ...(body.tts && { tts: true }),
    ...(body.nonce != null && { nonce: body.nonce }),
    ...(body.enforce_nonce && { enforceNonce: true }),
    ...(uploads.length > 0 && { attachments: uploads }),
  };
}

export function toPatch({ json, files }: RequestBody): MessagePatch {
  const body = parse(messagePatch, json);
  const { content, flags } = body;
  const changesFiles = body.attachments !== undefined || files.size > 0;
  return {
    ...(content !== undefined && { content }),
    ...(body.embeds !== undefined && { embeds: body.embeds }),
    ...(body.components !== undefined && { components: body.components }),
    ...(body.allowed_mentions && { allowedMentions: toAllowedMentions(body.allowed_mentions) }),
    ...(flags !== undefined && { flags }),
    ...(changesFiles && { attachments: toUploads(body.attachments, files) }),
  };
}

function toAllowedMentions(given: z.output<typeof allowedMentions>): AllowedMentions {
  return {
    ...(given.parse && { parse: given.parse }),
    ...(given.users && { users: given.users }),
    ...(given.roles && { roles: given.roles }),
    repliedUser: given.replied_user ?? false,
  };
}

function toPollDraft(given: z.output<typeof poll>): PollDraft {
  return {
    question: given.question.text,
    answers: given.answers.map(({ poll_media: { text, emoji } }) => ({
      text,
      ...(emoji?.name && { emoji: emoji.name }),
    })),
    hours: given.duration ?? 24,
    multiselect: given.allow_multiselect ?? false,
  };
}

/** The files of the request, with their entries in `attachments`. An entry without a file names an attachment to keep. */
function toUploads(
  described: z.output<typeof attachments> | null | undefined,
  files: ReadonlyMap<number, UploadedFile>,
): (string | AttachmentDraft)[] {
  if (!described?.length) return [...files.values()].map((file) => toAttachmentDraft(file));
  return described.map((entry) => {
    const file = files.get(Number(entry.id));
    if (file) return toAttachmentDraft(file, entry);
    // Ids of existing attachments are long, positions of files short.
    if (entry.id.length < 15) throw new DiscordError(400, 50146, "Uploaded file not found.");
    return entry.id;
  });
}

function toAttachmentDraft(file: UploadedFile, entry?: z.output<typeof attachments>[number]): AttachmentDraft {
  return {
    filename: (entry?.filename ?? file.filename).replaceAll(/[^\w.-]+/g, "_"),
    contentType: file.contentType,
    bytes: file.bytes,
    ...(entry?.description != null && { description: entry.description }),
    ...(entry?.duration_secs != null && { durationSeconds: entry.duration_secs }),
    ...(entry?.waveform != null && { waveform: entry.waveform }),
    ...measureImage(file.bytes),
  };
}
