import { requireGuild } from "../../actions/access.ts";
import { missingAccess } from "../../actions/errors.ts";
import { toApiChannel, toApiThreadMember } from "../../render/channels.ts";
import type { ChannelRecord } from "../../world/records.ts";
import { type BotRequest, Reply, route } from "../route.ts";
import { findMessages, searchableChannels } from "../search/find-messages.ts";
import { parseSearch } from "../search/search-query.ts";
import { showMessage } from "../show-message.ts";

export const searchRoutes = [route("GET", "/guilds/{guild_id}/messages/search", searchMessages)];

/** Finds what the bot may read, and needs the MESSAGE_CONTENT intent to do so. */
function searchMessages(request: BotRequest) {
  const { world, application, actor, param } = request;
  const guild = requireGuild(world, actor, param("guild_id"));
  const query = parseSearch(request.query);
  if (!application.privileged.messageContent) throw missingAccess();
  if (!guild.searchIndexReady) {
    const message = "Index not yet available. Try again later";
    return new Reply(202, { message, code: 110_000, documents_indexed: 0, retry_after: 0 });
  }
  const channels = searchableChannels(guild, actor, query);
  const { total, page } = findMessages(world, channels, query);
  const threads = new Map<string, ChannelRecord>();
  for (const { channelId } of page) {
    const channel = world.channels.get(channelId);
    if (channel?.thread) threads.set(channelId, channel);
  }
  const joined = [...threads.values()].filter(({ thread }) => thread?.members.has(actor));
  return {
    doing_deep_historical_index: false,
    total_results: total,
    messages: page.map((message) => {
      const { reactions: _reactions, ...shown } = showMessage(world, application, message);
      return [{ ...shown, hit: true }];
    }),
    ...(threads.size > 0 && {
      threads: [...threads.values()].map((thread) => toApiChannel(world, thread, actor)),
      members: joined.map((thread) => toApiThreadMember(world, thread, { userId: actor })),
    }),
  };
}
