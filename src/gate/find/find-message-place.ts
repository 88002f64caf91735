import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";

interface MessagePlaceDeps {
  readonly discord: Pick<Discord, "search">;
  readonly timelines: Pick<Timelines, "holds">;
  isLeftOut(authorId: UserId): boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Discord's limit. */
const MAX_CHANNELS = 500;
/** Per server. */
const MAX_REQUESTS = 4;

/**
 * Finds the channel of a message among these: in the cache, else by Discord's search, with one request for all channels of a server. Null
 * if it is in none of them, or its author is left out; undefined if the search does not answer.
 */
export async function findMessagePlace(
  messageId: MessageId,
  channels: readonly Channel[],
  { discord, timelines, isLeftOut, signal }: MessagePlaceDeps,
): Promise<ChannelId | null | undefined> {
  const held = channels.find(({ id }) => timelines.holds(id, messageId));
  if (held) return held.id;
  const id = BigInt(messageId);
  if (id === 0n) return null;
  const bounds = { minId: String(id - 1n) as MessageId, maxId: String(id + 1n) as MessageId, limit: 1 };
  let isAnswered = true;
  for (const [guildId, there] of Map.groupBy(channels, (channel) => channel.guildId)) {
    if (guildId === null) continue;
    const channelIds = there.map((channel) => channel.id);
    for (let start = 0; start < Math.min(channelIds.length, MAX_REQUESTS * MAX_CHANNELS); start += MAX_CHANNELS) {
      const request = { ...bounds, channelIds: channelIds.slice(start, start + MAX_CHANNELS) };
      const answer = await discord.search(guildId, request, signal).catch((error: unknown) => {
        if (!(error instanceof EarshotError) || error.code === "cancelled") throw error;
        return null;
      });
      const found = answer?.state === "ready" ? answer.messages.find((one) => one.message_id === messageId) : undefined;
      if (found) return isLeftOut(found.author.id) ? null : found.channel_id;
      isAnswered &&= answer?.state === "ready";
    }
  }
  return isAnswered ? null : undefined;
}
