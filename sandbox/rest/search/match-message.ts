import { mentionsOf } from "../../render/mentions.ts";
import type { ChannelRecord, MessageExtras, MessageRecord } from "../../world/records.ts";
import { compareIds } from "../../world/snowflake.ts";
import type { World } from "../../world/world.ts";
import type { SearchQuery } from "./search-query.ts";

type Matcher = (message: MessageRecord, channel: ChannelRecord) => boolean;

/** All filters of a query but the words. */
export function toMatcher(world: World, query: SearchQuery): Matcher {
  const tests: Matcher[] = [];
  const { min_id, max_id, pinned, mention_everyone } = query;
  if (min_id !== undefined) tests.push(({ id }) => compareIds(id, min_id) > 0);
  if (max_id !== undefined) tests.push(({ id }) => compareIds(id, max_id) < 0);
  if (pinned !== undefined) tests.push(({ id }, { pins }) => pins.has(id) === pinned);
  if (mention_everyone !== undefined) {
    tests.push(({ more }) => (more?.mentionEveryone ?? false) === mention_everyone);
  }
  const anyOf = (wanted: readonly string[] | undefined, valuesOf: (message: MessageRecord) => readonly string[]) => {
    if (!wanted?.length) return;
    const set = new Set(wanted.map((value) => value.toLowerCase()));
    tests.push((message) => valuesOf(message).some((value) => set.has(value.toLowerCase())));
  };
  anyOf(query.author_id, ({ authorId }) => [authorId]);
  anyOf(query.mentions, (message) => mentionsOf(world, message).users);
  anyOf(query.mentions_role_id, (message) => mentionsOf(world, message).roles);
  anyOf(query.replied_to_message_id, ({ more }) =>
    more?.reference?.type === 0 ? [more.reference.messageId ?? ""] : [],
  );
  anyOf(query.replied_to_user_id, (message) => repliedToUsers(world, message));
  anyOf(query.embed_type, ({ more }) =>
    (more?.embeds ?? []).map(({ type }) => (type === "gifv" ? "gif" : (type ?? "rich"))),
  );
  anyOf(query.embed_provider, ({ more }) => (more?.embeds ?? []).map(({ provider }) => provider?.name ?? ""));
  anyOf(query.link_hostname, linkHosts);
  anyOf(query.attachment_filename, ({ more }) => (more?.attachments ?? []).map(({ filename }) => filename));
  anyOf(query.attachment_extension, ({ more }) =>
    (more?.attachments ?? []).map(({ filename }) => filename.slice(filename.lastIndexOf(".") + 1)),
  );
  tests.push(...polarTests(query.author_type, (message, type) => authorType(world, message) === type, "any"));
  tests.push(...polarTests(query.has, hasFeature, "all"));
  return (message, channel) => tests.every((test) => test(message, channel));
}

/** A filter with several values matches any or all of them; values with "-" exclude. */
function polarTests(
  words: readonly string[] | undefined,
  holds: (message: MessageRecord, word: string) => boolean,
  mode: "any" | "all",
): Matcher[] {
  const wanted = (words ?? []).filter((word) => !word.startsWith("-"));
  const unwanted = (words ?? []).filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  return [
    ...(wanted.length > 0
      ? [
          (message: MessageRecord) =>
            mode === "any" ? wanted.some((word) => holds(message, word)) : wanted.every((word) => holds(message, word)),
        ]
      : []),
    ...(unwanted.length > 0 ? [(message: MessageRecord) => !unwanted.some((word) => holds(message, word))] : []),
  ];
}

function authorType(world: World, message: MessageRecord): string {
  if (message.more?.webhook) return "webhook";
  return world.users.get(message.authorId)?.bot ? "bot" : "user";
}

function hasFeature(message: MessageRecord, feature: string): boolean {
  const { more } = message;
  if (feature === "link") return linkHosts(message).length > 0;
  if (!more) return false;
  switch (feature) {
    case "image":
      return hasFile(more, "image/") || hasEmbed(more, "image");
    case "sound":
      return hasFile(more, "audio/");
    case "video":
      return hasFile(more, "video/") || hasEmbed(more, "video");
    case "file":
      return hasFile(more, "");
    case "sticker":
      return Boolean(more.stickers?.length);
    case "embed":
      return Boolean(more.embeds?.length);
    case "poll":
      return more.poll !== undefined;
    default:
      return Boolean(more.snapshots?.length);
  }
}

function hasFile(more: MessageExtras, type: string): boolean {
  return more.attachments?.some(({ contentType }) => (contentType ?? "").startsWith(type)) ?? false;
}

function hasEmbed(more: MessageExtras, part: "image" | "video"): boolean {
  return more.embeds?.some((embed) => embed[part] !== undefined || embed.type === part) ?? false;
}

function linkHosts({ content }: MessageRecord): string[] {
  if (!content.includes("://")) return [];
  return (content.match(/https?:\/\/[^\s<>)]+/g) ?? []).flatMap((link) => URL.parse(link)?.hostname ?? []);
}

function repliedToUsers(world: World, { more }: MessageRecord): string[] {
  const { reference } = more ?? {};
  if (reference?.type !== 0 || reference.messageId === null) return [];
  const original = world.channels.get(reference.channelId)?.messages.get(reference.messageId);
  return original ? [original.authorId] : [];
}
