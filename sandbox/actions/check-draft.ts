import { type APIEmbed, MessageFlags } from "discord-api-types/v10";
import { checkComponents } from "./check-components.ts";
import { DiscordError, emptyMessage, type FormProblem, invalidForm, tooLong } from "./errors.ts";
import type { AllowedMentions, AttachmentDraft, MessageDraft, PollDraft } from "./message-draft.ts";

const MAX_CONTENT_LENGTH = 2000;
const MAX_EMBED_LENGTH = 6000;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Checks a draft without looking at the world. Throws 50035 with all problems, 50006 or 40005. */
export function checkDraft(draft: MessageDraft): void {
  const isV2 = Boolean((draft.flags ?? 0) & MessageFlags.IsComponentsV2);
  const problems = [
    ...(isV2 ? checkLegacyFields(draft) : []),
    ...(isLongerThan(draft.content ?? "", MAX_CONTENT_LENGTH) ? [tooLong(["content"], MAX_CONTENT_LENGTH)] : []),
    ...checkEmbeds(draft.embeds ?? []),
    ...checkComponents(draft.components ?? [], isV2),
    ...checkAllowedMentions(draft.allowedMentions ?? {}),
    ...(draft.poll ? checkPoll(draft.poll) : []),
    ...(String(draft.nonce ?? "").length > 25 ? [tooLong(["nonce"], 25)] : []),
    ...((draft.stickerIds?.length ?? 0) > 3 ? [tooLong(["sticker_ids"], 3)] : []),
    ...((draft.attachments?.length ?? 0) > 10 ? [tooLong(["attachments"], 10)] : []),
  ];
  if (problems.length > 0) throw invalidForm(problems);
  if (isEmpty(draft)) throw emptyMessage();
  checkFileSizes(draft.attachments ?? []);
  if ((draft.flags ?? 0) & MessageFlags.IsVoiceMessage) checkVoiceMessage(draft);
}

export function checkFileSizes(files: readonly AttachmentDraft[]): void {
  const total = files.reduce((size, file) => size + file.bytes.byteLength, 0);
  if (total > MAX_FILE_BYTES) throw new DiscordError(413, 40005, "Request entity too large");
}

export function isEmpty(draft: MessageDraft): boolean {
  const { content, embeds, attachments, components, stickerIds, poll, reference } = draft;
  if (content?.trim() || poll || reference?.type === 1) return false;
  return !embeds?.length && !attachments?.length && !components?.length && !stickerIds?.length;
}

/** Discord counts code points, JavaScript UTF-16 units. */
function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit;
}

/** A voice message is one audio file with its waveform, and nothing else. */
function checkVoiceMessage({ content, embeds, components, attachments = [] }: MessageDraft): void {
  if (content || embeds?.length || components?.length) {
    throw new DiscordError(400, 50159, "Voice messages do not support additional content.");
  }
  const [sound, ...others] = attachments;
  if (others.length > 0 || !sound?.contentType?.startsWith("audio/")) {
    throw new DiscordError(400, 50160, "Voice messages must have a single audio attachment.");
  }
  if (sound.durationSeconds === undefined || sound.waveform === undefined) {
    throw new DiscordError(400, 50161, "Voice messages must have supporting metadata.");
  }
}

function checkLegacyFields(draft: MessageDraft): FormProblem[] {
  const used = {
    content: Boolean(draft.content),
    embeds: Boolean(draft.embeds?.length),
    poll: draft.poll !== undefined,
    sticker_ids: Boolean(draft.stickerIds?.length),
  };
  return Object.entries(used).flatMap(([field, isUsed]) =>
    isUsed
      ? {
          path: [field],
          code: "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
          message: `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
        }
      : [],
  );
}

function checkEmbeds(embeds: readonly APIEmbed[]): FormProblem[] {
  const problems: FormProblem[] = [];
  if (embeds.length > 10) problems.push(tooLong(["embeds"], 10));
  let total = 0;
  for (const [index, embed] of embeds.entries()) {
    const measure = (text: string | undefined, limit: number, ...path: (string | number)[]) => {
      total += text?.length ?? 0;
      if (isLongerThan(text ?? "", limit)) problems.push(tooLong(["embeds", index, ...path], limit));
    };
    measure(embed.title, 256, "title");
    measure(embed.description, 4096, "description");
    measure(embed.footer?.text, 2048, "footer", "text");
    measure(embed.author?.name, 256, "author", "name");
    if ((embed.fields?.length ?? 0) > 25) problems.push(tooLong(["embeds", index, "fields"], 25));
    for (const [field, { name, value }] of (embed.fields ?? []).entries()) {
      measure(name, 256, "fields", field, "name");
      measure(value, 1024, "fields", field, "value");
    }
  }
  if (total > MAX_EMBED_LENGTH) {
    const message = `Embed size exceeds maximum size of ${MAX_EMBED_LENGTH}`;
    problems.push({ path: ["embeds"], code: "MAX_EMBED_SIZE_EXCEEDED", message });
  }
  return problems;
}

function checkAllowedMentions({ parse = [], users = [], roles = [] }: AllowedMentions): FormProblem[] {
  const problems: FormProblem[] = [];
  for (const [kind, ids] of Object.entries({ users, roles })) {
    if (ids.length > 100) problems.push(tooLong(["allowed_mentions", kind], 100));
    if (ids.length === 0 || !parse.some((one) => one === kind)) continue;
    problems.push({
      path: ["allowed_mentions"],
      code: "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
      message: `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
    });
  }
  return problems;
}

function checkPoll(poll: PollDraft): FormProblem[] {
  const problems: FormProblem[] = [];
  if (poll.question.length > 300) problems.push(tooLong(["poll", "question", "text"], 300));
  if (poll.answers.length < 1 || poll.answers.length > 10) {
    const message = "Must be between 1 and 10 in length.";
    problems.push({ path: ["poll", "answers"], code: "BASE_TYPE_BAD_LENGTH", message });
  }
  for (const [index, answer] of poll.answers.entries()) {
    if (answer.text.length > 55) problems.push(tooLong(["poll", "answers", index, "poll_media", "text"], 55));
  }
  return problems;
}
