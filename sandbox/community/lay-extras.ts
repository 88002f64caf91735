import {
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIStickerItem,
  ComponentType,
  StickerFormatType,
} from "discord-api-types/v10";
import { drawPicture, type Picture } from "../render/draw-picture.ts";
import type { Drawing } from "../render/drawing.ts";
import type {
  AttachmentRecord,
  ChannelRecord,
  MessageExtras,
  MessageRecord,
  PollRecord,
  ReactionRecord,
  SnapshotRecord,
} from "../world/records.ts";
import { idOf, type PostContext } from "./laid-community.ts";
import type { AttachmentPlan, EmbedPlan, PostPlan } from "./plan.ts";

const HOUR_MS = 3_600_000;

/** A post's content besides its text; null for plain text, which most posts are. */
export function toExtras(
  post: PostPlan,
  { place, timestamp }: { readonly place: ChannelRecord; readonly timestamp: number },
  context: PostContext,
): MessageExtras | null {
  const more: MessageExtras = {
    ...toReference(post, place, context),
    ...(post.embeds && { embeds: post.embeds.map(toEmbed) }),
    ...(post.attachments && { attachments: post.attachments.map((plan) => toAttachment(plan, timestamp, context)) }),
    ...(post.poll && { poll: toPoll(post.poll, timestamp, context) }),
    ...(post.sticker !== undefined && { stickers: [toSticker(post.sticker, timestamp, context)] }),
    ...(post.panel && { components: toPanel(post.panel) }),
    ...(post.reactions && { reactions: toReactions(post.reactions, context) }),
  };
  return Object.keys(more).length > 0 ? more : null;
}

function toReference(post: PostPlan, place: ChannelRecord, context: PostContext): MessageExtras {
  const { guildId } = place;
  if (post.forwardOf !== undefined) {
    const original = findNamed(post.forwardOf, context);
    const { id: messageId, channelId } = original;
    const from = context.world.channels.get(channelId)?.guildId ?? null;
    return { reference: { type: 1, messageId, channelId, guildId: from }, snapshots: [toSnapshot(original)] };
  }
  if (post.replyTo !== undefined) {
    const { id: messageId, channelId } = findNamed(post.replyTo, context);
    return { reference: { type: 0, messageId, channelId, guildId } };
  }
  const messageId = post.system === "pin" ? [...place.pins.keys()].at(-1) : undefined;
  return messageId === undefined ? {} : { reference: { type: 0, messageId, channelId: place.id, guildId } };
}

function findNamed(key: string, { named }: PostContext): MessageRecord {
  const message = named.get(key);
  if (!message) throw new Error(`The community names a message that was not said before: "${key}"`);
  return message;
}

function toSnapshot({ type, content, timestamp, editedAt, flags, more }: MessageRecord): SnapshotRecord {
  const { embeds, attachments, stickers, components } = more ?? {};
  return {
    type,
    content,
    timestamp,
    editedAt,
    flags,
    more: {
      ...(embeds && { embeds }),
      ...(attachments && { attachments }),
      ...(stickers && { stickers }),
      ...(components && { components }),
    },
  };
}

function toEmbed({ footer, author, fields, ...plain }: EmbedPlan): APIEmbed {
  return {
    ...plain,
    ...(fields && { fields: fields.map((field) => ({ ...field, inline: false })) }),
    ...(footer !== undefined && { footer: { text: footer } }),
    ...(author !== undefined && { author: { name: author } }),
  };
}

function toAttachment(plan: AttachmentPlan, timestamp: number, { world }: PostContext): AttachmentRecord {
  const { filename, contentType, description, width, height, drawing, text = "" } = plan;
  const id = world.mintId(timestamp);
  const common = { id, filename, contentType, ...(description !== undefined && { description }) };
  if (drawing === undefined || width === undefined || height === undefined) {
    const bytes = new TextEncoder().encode(text);
    return { ...common, size: bytes.length, bytes };
  }
  // Drawn on first use: the start should not wait for pictures that no client opens.
  const bytes = (): Uint8Array => drawOnce({ width, height, drawing });
  return {
    ...common,
    width,
    height,
    bytes,
    get size() {
      return bytes().length;
    },
  };
}

/** The pictures of the sample are the same in every world of a process. */
const drawn = new WeakMap<Drawing, Picture & { readonly bytes: Uint8Array }>();

function drawOnce(picture: Picture): Uint8Array {
  const last = drawn.get(picture.drawing);
  if (last?.width === picture.width && last.height === picture.height) return last.bytes;
  const bytes = drawPicture(picture);
  drawn.set(picture.drawing, { ...picture, bytes });
  return bytes;
}

function toPoll(plan: NonNullable<PostPlan["poll"]>, timestamp: number, { now }: PostContext): PollRecord {
  const expiresAt = timestamp + plan.hours * HOUR_MS;
  return {
    question: plan.question,
    answers: plan.answers.map((text, index) => ({ id: index + 1, text })),
    expiresAt,
    multiselect: false,
    votes: new Map(),
    finalized: expiresAt <= now,
  };
}

/** Stickers with the same name are the same sticker. */
function toSticker(name: string, timestamp: number, { world, laid }: PostContext): APIStickerItem {
  const known = [...world.stickers.values()].find((one) => one.name === name);
  const sticker = known ?? { id: world.mintId(timestamp), name, format_type: StickerFormatType.PNG };
  world.stickers.set(sticker.id, { ...sticker, guildId: laid.guild.id });
  return { id: sticker.id, name, format_type: sticker.format_type };
}

function toPanel(blocks: readonly string[]): APIMessageTopLevelComponent[] {
  const components = blocks.map((content) => ({ type: ComponentType.TextDisplay as const, content }));
  return [{ type: ComponentType.Container, components }];
}

function toReactions(plan: NonNullable<PostPlan["reactions"]>, { laid }: PostContext): Map<string, ReactionRecord> {
  return new Map(
    Object.entries(plan).map(([name, people]) => [
      name,
      { emoji: { id: null, name }, users: new Set(people.map((key) => idOf(laid.people, key, "person"))) },
    ]),
  );
}
