import { describe, expect, it, onTestFinished } from "vitest";
import type { Community } from "../../sandbox/index.ts";
import { openDiscord } from "../../src/discord/open-discord.ts";
import { barrier } from "../../src/domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const community: Community = {
  guild: { name: "Quay", owner: "olga", everyone: ["ViewChannel", "ReadMessageHistory"] },
  people: [
    { key: "olga", username: "olga" },
    { key: "wren", username: "wren" },
    { key: "earshot", username: "earshot", bot: true },
  ],
  roles: [],
  channels: [{ key: "general", name: "general", kind: "text" }],
  posts: [],
};

describe("a member who is pending on Discord", () => {
  it.each([
    ["with the member list", true],
    ["by a request for the member", false],
  ])("may not know what is shared with the server until the screening is passed, %s", async (_, members) => {
    const sandbox = await openTestSandbox({ community });
    sandbox.admin.updateGuild({ features: ["COMMUNITY", "MEMBER_VERIFICATION_GATE_ENABLED"] });
    sandbox.admin.updateMember("wren", { pending: true });
    const features = { members, messageContent: true, reactions: true, directMessages: true };
    let now = Date.now();
    const discord = await openDiscord(
      { api: sandbox.api, token: sandbox.token, features },
      {
        clock: { now: () => now },
        log: { debug() {}, info() {}, warn() {}, error() {} },
        lastHeard: { load: async () => null, save: async () => {} },
      },
    );
    onTestFinished(() => discord.close());
    const { directory } = discord;
    const guildId = sandbox.community.guild.id as GuildId;
    const wren = sandbox.community.people.get("wren") as UserId;
    const general = sandbox.community.channels.get("general") as ChannelId;
    const toWren = async () => {
      await directory.learnMember(wren, guildId);
      return barrier(directory.members(guildId, null), { kind: "people", people: new Set([wren]) });
    };
    const toGeneral = () => barrier(directory.members(guildId, null), directory.audience(general));

    expect(await toWren()).toMatchObject({ kind: "somebody", member: wren, pending: true });
    const somebody = { kind: "somebody", member: null, roles: new Set(), pending: true };
    expect(toGeneral()).toEqual(somebody);
    sandbox.admin.updateMember("wren", { pending: false });
    now += 31_000;
    await expect.poll(toWren).toBeNull();
    // Without the list, anybody may still be pending.
    expect(toGeneral()).toEqual(members ? null : somebody);
  });
});
