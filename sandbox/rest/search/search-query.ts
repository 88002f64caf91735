import { z } from "zod";
import { parseQuery, queryBoolean, queryInteger, snowflake } from "../parse.ts";

const LISTS = [
  "channel_id",
  "author_type",
  "author_id",
  "mentions",
  "mentions_role_id",
  "replied_to_user_id",
  "replied_to_message_id",
  "has",
  "embed_type",
  "embed_provider",
  "link_hostname",
  "attachment_filename",
  "attachment_extension",
];

/** Values that a leading "-" negates. */
function negatable(words: readonly string[]) {
  return z.array(z.enum(words.flatMap((word) => [word, `-${word}`])));
}

const ids = (most: number) => z.array(snowflake).max(most);
const texts = z.array(z.string().max(1024)).max(100);

const searchQuery = z.object({
  limit: queryInteger(1, 25).default(25),
  offset: queryInteger(0, 9975).default(0),
  max_id: snowflake.optional(),
  min_id: snowflake.optional(),
  slop: queryInteger(0, 100).default(2),
  content: z.string().max(1024).optional(),
  channel_id: ids(500).optional(),
  author_type: negatable(["user", "bot", "webhook"]).optional(),
  author_id: ids(100).optional(),
  mentions: ids(100).optional(),
  mentions_role_id: ids(100).optional(),
  mention_everyone: queryBoolean.optional(),
  replied_to_user_id: ids(100).optional(),
  replied_to_message_id: ids(100).optional(),
  pinned: queryBoolean.optional(),
  has: negatable(["image", "sound", "video", "file", "sticker", "embed", "link", "poll", "snapshot"]).optional(),
  embed_type: z.array(z.enum(["image", "video", "gif", "sound", "article"])).optional(),
  embed_provider: texts.optional(),
  link_hostname: texts.optional(),
  attachment_filename: texts.optional(),
  attachment_extension: texts.optional(),
  sort_by: z.enum(["timestamp", "relevance"]).default("timestamp"),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
  include_nsfw: queryBoolean.default(false),
});

export type SearchQuery = z.output<typeof searchQuery>;

export function parseSearch(query: URLSearchParams): SearchQuery {
  return parseQuery(searchQuery, query, LISTS);
}
