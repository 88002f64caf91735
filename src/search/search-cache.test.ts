import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId } from "../domain/ids.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { SearchCache } from "./search-cache.ts";

const GUILD = "5" as GuildId;
const [OPEN, CLOSED] = ["10" as ChannelId, "20" as ChannelId];

function open() {
  let asked = 0;
  const search = async () => {
    asked += 1;
    return { state: "ready" as const, messages: [], isFull: false };
  };
  const searches = new SearchCache(search, { now: () => 0 });
  const ask = () => searches.search(GUILD, { channelIds: [OPEN], content: "heron", limit: 25 });
  return { searches, ask, asked: () => asked };
}

const edited = (channelId: ChannelId) =>
  ({
    type: "message_update",
    message: { message_id: "1", channel_id: channelId, edited_ts: "2026-01-01" },
  }) as DiscordEvent;

describe("the search cache", () => {
  it.each<[string, DiscordEvent]>([
    ["an edit", edited(CLOSED)],
    [
      "a deletion",
      { type: "message_delete", channelId: CLOSED, guildId: GUILD, messageIds: ["1" as MessageId] } as DiscordEvent,
    ],
    ["a loss of access", { type: "access_lost", channelId: CLOSED, guildId: GUILD, lineage: [] }],
    ["a deleted channel", { type: "channel_deleted", channelId: CLOSED, guildId: GUILD, lineage: [] }],
    ["a gap of another guild", { type: "gap", shard: 0, guildIds: ["6"] } as unknown as DiscordEvent],
  ])("keeps a result through %s in a channel that was not searched", async (_, event) => {
    const { searches, ask, asked } = open();
    await ask();
    searches.onEvent(event);
    await ask();
    expect(asked()).toBe(1);
  });

  it.each<[string, DiscordEvent]>([
    ["an edit", edited(OPEN)],
    ["a loss of access", { type: "access_lost", channelId: OPEN, guildId: GUILD, lineage: [] }],
    ["a gap", { type: "gap", shard: 0, guildIds: [GUILD] } as unknown as DiscordEvent],
    ["a new description of the guild", { type: "guild", guildId: GUILD }],
  ])("drops a result after %s in a channel that was searched", async (_, event) => {
    const { searches, ask, asked } = open();
    await ask();
    searches.onEvent(event);
    await ask();
    expect(asked()).toBe(2);
  });
});
