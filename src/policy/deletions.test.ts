import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId } from "../domain/ids.ts";
import { Label } from "../domain/label.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { Deletions } from "./deletions.ts";

const GUILD = "1" as GuildId;
const CHANNEL = "11" as ChannelId;
const DM = "12" as ChannelId;
const guildOf = (id: string) => (id === CHANNEL ? GUILD : null);

function arrive() {
  let now = 1_000;
  const deletions = new Deletions({ now: () => now });
  const remove = (...ids: string[]) =>
    deletions.note({ type: "message_delete", channelId: CHANNEL, messageIds: ids as MessageId[] });
  const gap = (guildIds: GuildId[], shard: number) =>
    deletions.note({ type: "gap", from: "", to: "", reason: "events_lost", guildIds, shard } satisfies DiscordEvent);
  const read = (channel: ChannelId, ...ids: string[]) => {
    const label = new Label();
    label.join({ channels: [channel], guilds: [], messages: ids as MessageId[], links: [] }, now);
    return label;
  };
  return {
    deletions,
    remove,
    gap,
    read,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe("deletions", () => {
  it("concern what was read and nothing else", () => {
    const { deletions, remove, read } = arrive();
    const label = read(CHANNEL, "101", "102");
    expect(deletions.concern(label)).toBe(false);
    remove("103");
    expect(deletions.concern(label)).toBe(false);
    remove("104", "102");
    expect(deletions.concern(label)).toBe(true);
    expect(deletions.concern(new Label())).toBe(false);
  });

  it("may have been missed in a gap after the reading, in the servers concerned", () => {
    const { deletions, gap, read, pass } = arrive();
    const [inGuild, inDm] = [read(CHANNEL, "101"), read(DM, "102")];
    pass(1);
    gap(["2" as GuildId], 1);
    expect(deletions.mayHaveMissed(inGuild, guildOf)).toBe(false);
    gap([GUILD], 1);
    expect(deletions.mayHaveMissed(inGuild, guildOf)).toBe(true);
    expect(deletions.mayHaveMissed(inDm, guildOf)).toBe(false);
    gap([], 0);
    expect(deletions.mayHaveMissed(inDm, guildOf)).toBe(true);
    pass(1);
    expect(deletions.mayHaveMissed(read(CHANNEL, "103"), guildOf)).toBe(false);
    expect(deletions.mayHaveMissed(read(CHANNEL), guildOf)).toBe(false);
  });

  it("may have been missed when the bot left the server meanwhile", () => {
    const { deletions, read } = arrive();
    const label = read(CHANNEL, "101");
    deletions.note({ type: "guild_removed", guildId: GUILD, channelIds: [] });
    expect(deletions.mayHaveMissed(label, guildOf)).toBe(true);
  });

  it("may have been missed while the server could not be reached", () => {
    const { deletions, read } = arrive();
    const label = read(CHANNEL, "101");
    deletions.note({ type: "guild", guildId: "2" as GuildId });
    expect(deletions.mayHaveMissed(label, guildOf)).toBe(false);
    deletions.note({ type: "guild", guildId: GUILD });
    expect(deletions.mayHaveMissed(label, guildOf)).toBe(true);
  });

  it("concern other servers as soon as one of those read from may have been missed", () => {
    const { deletions, gap, read } = arrive();
    const label = read(CHANNEL, "101");
    label.join({ channels: [DM], guilds: [], messages: [], links: [] }, 2_000);
    gap([GUILD], 1);
    expect(deletions.mayHaveMissed(label, guildOf)).toBe(true);
  });

  it("are no matter for who has read no message, whatever was missed", () => {
    const { deletions, gap } = arrive();
    const named = new Label();
    named.join({ channels: [CHANNEL], guilds: [], messages: [], links: [] }, 1_000);
    gap([GUILD], 0);
    expect(deletions.mayHaveMissed(named, guildOf)).toBe(false);
    expect(deletions.mayHaveMissed(new Label(), guildOf)).toBe(false);
  });

  it("are told by nothing else that happens", () => {
    const { deletions, read } = arrive();
    const label = read(CHANNEL, "101");
    deletions.note({ type: "access_lost", channelId: CHANNEL, guildId: GUILD, lineage: [] });
    deletions.note({ type: "connection", state: "ready" });
    expect(deletions.concern(label) || deletions.mayHaveMissed(label, guildOf)).toBe(false);
  });

  it("count from the last time a message was told to be gone", () => {
    const { deletions, remove, read, pass } = arrive();
    const label = read(CHANNEL, "101");
    remove("101");
    pass(40 * 60_000);
    remove("101");
    pass(40 * 60_000);
    remove("102");
    expect(deletions.concern(label)).toBe(true);
  });

  it("are forgotten after an hour, and then nobody claims to know", () => {
    const { deletions, remove, read, pass } = arrive();
    const early = read(CHANNEL, "101");
    remove("101");
    pass(59 * 60_000);
    remove("200");
    expect(deletions.concern(early)).toBe(true);
    expect(deletions.mayHaveMissed(read(CHANNEL, "300"), guildOf)).toBe(false);
    pass(60_000);
    remove("201");
    expect(deletions.concern(early)).toBe(false);
    expect(deletions.mayHaveMissed(early, guildOf)).toBe(true);
    expect(deletions.mayHaveMissed(read(CHANNEL, "300"), guildOf)).toBe(false);
  });

  it("are bounded in number, and what was read before the forgotten ones is uncertain", () => {
    const { deletions, remove, read, pass } = arrive();
    const early = read(CHANNEL, "1");
    pass(1);
    remove("1");
    pass(1);
    for (let id = 10; id < 200_010; id += 1) remove(`${id}`);
    expect(deletions.concern(early) || deletions.mayHaveMissed(early, guildOf)).toBe(true);
    expect(deletions.mayHaveMissed(read(CHANNEL, "7"), guildOf)).toBe(false);
  });
});
