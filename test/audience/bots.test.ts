import { describe, expect, it, onTestFinished } from "vitest";
import type { Community } from "../../sandbox/index.ts";
import { openDiscord } from "../../src/discord/open-discord.ts";
import { barrier } from "../../src/domain/audience.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** One room is closed to bots; a person can read both. */
const community: Community = {
  guild: { name: "Quay", owner: "olga", everyone: ["ViewChannel", "ReadMessageHistory"] },
  people: [
    { key: "olga", username: "olga" },
    { key: "earshot", username: "earshot", bot: true },
    { key: "jukebox", username: "jukebox", bot: true, roles: ["bots"] },
  ],
  roles: [{ key: "bots", name: "Bots" }],
  channels: [
    { key: "quiet", name: "quiet", kind: "text", overwrites: [{ who: "bots", deny: ["ViewChannel"] }] },
    { key: "general", name: "general", kind: "text" },
  ],
  posts: [],
};

async function barrierWith(options: { countBots?: boolean }) {
  const sandbox = await openTestSandbox({ community });
  const features = { members: true, messageContent: true, reactions: true, directMessages: true };
  const discord = await openDiscord(
    { api: sandbox.api, token: sandbox.token, features, ...options },
    {
      clock: { now: () => Date.now() },
      log: { debug() {}, info() {}, warn() {}, error() {} },
      lastHeard: { load: async () => null, save: async () => {} },
    },
  );
  onTestFinished(() => discord.close());
  const [quiet, general] = ["quiet", "general"].map((key) => {
    const id = sandbox.community.channels.get(key);
    return discord.directory.audience(id as ChannelId);
  });
  return quiet && general && barrier(quiet, general);
}

describe("other bots in an audience", () => {
  it("do not count by default", async () => {
    expect(await barrierWith({})).toBeNull();
    expect(await barrierWith({ countBots: false })).toBeNull();
  });

  it("count when the operator configures it", async () => {
    expect(await barrierWith({ countBots: true })).toMatchObject({ kind: "somebody", member: null });
  });
});
