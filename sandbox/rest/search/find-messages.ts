import { canReadHistory } from "../../world/permissions.ts";
import type { ChannelRecord, GuildRecord, MessageRecord } from "../../world/records.ts";
import { compareIds } from "../../world/snowflake.ts";
import type { World } from "../../world/world.ts";
import { toMatcher } from "./match-message.ts";
import { scoreWords, toWords } from "./match-words.ts";
import type { SearchQuery } from "./search-query.ts";

/** The channels and threads whose history the bot may read, and that are asked for. */
export function searchableChannels(guild: GuildRecord, botId: string, query: SearchQuery): ChannelRecord[] {
  const wanted = query.channel_id && new Set(query.channel_id);
  return [...guild.channels.values()].filter((channel) => {
    if (wanted && !wanted.has(channel.id)) return false;
    const home = channel.thread ? guild.channels.get(channel.parentId ?? "") : channel;
    if (home?.nsfw && !query.include_nsfw) return false;
    return canReadHistory(guild, channel, botId);
  });
}

/** One page of hits, and how many there are in all. */
export function findMessages(
  world: World,
  channels: readonly ChannelRecord[],
  query: SearchQuery,
): { total: number; page: MessageRecord[] } {
  const matches = toMatcher(world, query);
  const words = toWords(query.content ?? "");
  const hits: { message: MessageRecord; score: number }[] = [];
  for (const channel of channels) {
    for (const message of channel.messages) {
      if (!matches(message, channel)) continue;
      const score = words.length === 0 ? 0 : scoreWords(message, { words, slop: query.slop });
      if (words.length === 0 || score > 0) hits.push({ message, score });
    }
  }
  hits.sort((a, b) => {
    if (query.sort_by === "relevance" && a.score !== b.score) return b.score - a.score;
    const order = compareIds(b.message.id, a.message.id);
    return query.sort_by === "timestamp" && query.sort_order === "asc" ? -order : order;
  });
  const page = hits.slice(query.offset, query.offset + query.limit).map(({ message }) => message);
  return { total: hits.length, page };
}
