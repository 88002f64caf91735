import { describe, expect, it } from "vitest";
import type { Garbled } from "../../sandbox/faults/rest-faults.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { openBareDiscord } from "../support/bare-discord.ts";
import { openTestEdge } from "../support/edge.ts";
import { readRequiredFields } from "../support/required-fields.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTestTimelines } from "../support/timelines.ts";

const IN_PLACE_OF_A_LIST: readonly Garbled[] = [
  "html",
  "null",
  "string",
  "object",
  "holes",
  "truncated",
  "empty",
  "mislabelled",
  "no_content",
];
const IN_PLACE_OF_AN_OBJECT: readonly Garbled[] = [
  "html",
  "null",
  "string",
  "object",
  "list",
  "holes",
  "truncated",
  "empty",
  "mislabelled",
  "no_content",
];

const UNREADABLE = { code: "unavailable", message: expect.stringContaining("could not be read") };

async function arrive(members = true) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const edge = await openTestEdge(sandbox, { features: { members } });
  const channel = (key: string) => sandbox.community.channels.get(key) as ChannelId;
  const guildId = sandbox.community.guild.id as GuildId;
  return { sandbox, edge, channel, guildId };
}

describe("an unreadable answer from Discord", () => {
  it.each(IN_PLACE_OF_A_LIST)("is an outage, not an empty history: %s", async (as) => {
    const { sandbox, edge, channel } = await arrive();
    sandbox.as("sarah").say("general", "hello");
    sandbox.faults.garbleRest({ match: "GET /channels", as });
    await expect(edge.discord.history(channel("general"), { limit: 5 })).rejects.toMatchObject(UNREADABLE);
    expect((await edge.discord.history(channel("general"), { limit: 5 })).messages).toHaveLength(1);
  });

  it.each(IN_PLACE_OF_AN_OBJECT)("is an outage, not a missing message or missing reactions: %s", async (as) => {
    const { sandbox, edge, channel } = await arrive();
    const said = sandbox.as("sarah").say("general", "hello").id as MessageId;
    sandbox.faults.garbleRest({ match: "GET /channels", as, times: 2 });
    await expect(edge.discord.message(channel("general"), said)).rejects.toMatchObject(UNREADABLE);
    await expect(edge.discord.reactions(channel("general"), said)).rejects.toMatchObject(UNREADABLE);
    expect((await edge.discord.message(channel("general"), said))?.content).toBe("hello");
  });

  it.each(IN_PLACE_OF_AN_OBJECT)("is an outage, not an empty search result: %s", async (as) => {
    const { sandbox, edge, channel, guildId } = await arrive();
    sandbox.as("sarah").say("general", "hello");
    sandbox.faults.garbleRest({ match: "/messages/search", as });
    const request = { channelIds: [channel("general")], content: "hello", limit: 5 } as const;
    await expect(edge.discord.search(guildId, request)).rejects.toMatchObject({ code: "unavailable" });
    expect(await edge.discord.search(guildId, request)).toMatchObject({ state: "ready" });
  });

  it.each(IN_PLACE_OF_AN_OBJECT)(
    "is an outage, not a missing channel, when an unknown channel is looked up: %s",
    async (as) => {
      const { sandbox } = await arrive();
      const sarah = sandbox.as("sarah");
      const thread = sarah.openThread({ in: "general" }, "old");
      sarah.say(thread.id, "long ago");
      sandbox.admin.updateThread(thread.id, { archived: true });
      const later = await openTestEdge(sandbox);
      sandbox.faults.garbleRest({ match: `GET /channels/${thread.id}`, as });
      await expect(later.discord.history(thread.id as ChannelId, { limit: 1 })).rejects.toMatchObject(UNREADABLE);
      expect((await later.discord.history(thread.id as ChannelId, { limit: 1 })).messages).toHaveLength(1);
    },
  );

  it.each(IN_PLACE_OF_AN_OBJECT)("is an outage, not a missing member: %s", async (as) => {
    const { sandbox, edge, channel, guildId } = await arrive(false);
    const mark = sandbox.community.people.get("mark") as UserId;
    const { directory } = edge.discord;
    sandbox.faults.garbleRest({ match: "/members/", as });
    await expect(directory.learnMember(mark, guildId)).rejects.toMatchObject(UNREADABLE);
    await directory.learnMember(mark, guildId);
    expect(directory.canRead(mark, channel("general"))).toBe(true);
  });

  it.each(IN_PLACE_OF_A_LIST)("is an outage, not an empty member list of a private thread: %s", async (as) => {
    const { sandbox, edge } = await arrive(false);
    const sarah = sandbox.as("sarah");
    const thread = sarah.openThread({ in: "general", isPrivate: true }, "us two");
    sarah.bringIntoThread(thread.id, "earshot");
    await edge.find("channel", ({ channelId }) => channelId === thread.id);
    const { directory } = edge.discord;
    sandbox.faults.garbleRest({ match: "/thread-members", as });
    await expect(directory.learn(sarah.id as UserId, thread.id as ChannelId)).rejects.toMatchObject(UNREADABLE);
    await directory.learn(sarah.id as UserId, thread.id as ChannelId);
    expect(directory.canRead(sarah.id as UserId, thread.id as ChannelId)).toBe(true);
  });

  it.each(IN_PLACE_OF_AN_OBJECT)("stops the start when the bot's own account is looked up: %s", async (as) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    sandbox.faults.garbleRest({ match: /^GET \/(applications|users)\/@me$/, as });
    await expect(openTestEdge(sandbox)).rejects.toMatchObject(UNREADABLE);
  });

  it.each(IN_PLACE_OF_AN_OBJECT)("stops the start when the gateway address is looked up: %s", async (as) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    sandbox.faults.garbleRest({ match: "/gateway/bot", as, times: 5 });
    await expect(openTestEdge(sandbox)).rejects.toMatchObject(UNREADABLE);
  });

  it.each(IN_PLACE_OF_A_LIST)("is an outage when the registered commands are listed: %s", async (as) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const missing: unknown[] = [];
    const delay = async () => void missing.push(edge.discord.stats().missingCommands);
    const edge = await openTestEdge(sandbox, { delay });
    const offer = { kind: "menu", name: "Explain" } as const;
    sandbox.faults.garbleRest({ match: /^GET .*commands/, as });
    await edge.discord.offerCommands([offer]);
    expect(missing).toEqual([
      [{ name: '"Explain"', since: expect.any(Number), reason: UNREADABLE.message, isRefused: false }],
    ]);
    expect(edge.discord.stats().missingCommands).toEqual([]);
  });

  it.each(IN_PLACE_OF_AN_OBJECT)("is an outage when a direct message is opened: %s", async (as) => {
    const { sandbox, edge } = await arrive();
    const mark = sandbox.community.people.get("mark") as UserId;
    sandbox.faults.garbleRest({ match: "POST /users/@me/channels", as });
    await expect(edge.discord.openDm(mark)).rejects.toMatchObject({ code: "unavailable" });
    expect(await edge.discord.openDm(mark)).toMatch(/^\d+$/);
  });

  it("leaves the outcome of a reaction unknown when it is an HTML page", async () => {
    const { sandbox, edge, channel } = await arrive();
    const said = sandbox.as("sarah").say("general", "hello").id as MessageId;
    sandbox.faults.garbleRest({ match: "PUT /channels", as: "html" });
    await expect(edge.discord.react(channel("general"), said, "👍")).rejects.toMatchObject({ code: "outcome_unknown" });
  });

  it("is not cached by a timeline", async () => {
    const { sandbox, timelines, channel } = await openTestTimelines();
    const general = channel("general");
    sandbox.faults.garbleRest({ match: `/channels/${general}/messages`, as: "html" });
    await expect(timelines.recent(general, { limit: 5 })).rejects.toMatchObject(UNREADABLE);
    sandbox.as("sarah").say("general", "hello");
    const read = await timelines.recent(general, { limit: 5 });
    expect(read.messages.map(({ content }) => content)).toContain("hello");
  });
});

it.skipIf(readRequiredFields() === undefined)(
  "a post in a forum is known by its thread where the server does not send its message along (skipped without Discord's OpenAPI file)",
  async () => {
    const bare = await openBareDiscord((field) => field !== "message", { rateLimits: false });
    if (!bare) throw new Error("the OpenAPI file is there");
    const { sandbox, api } = bare;
    const edge = await openTestEdge({ ...sandbox, api });
    const help = sandbox.community.channels.get("help") as ChannelId;
    const draft = { name: "Ropes", post: { text: "which knot?", tagIds: [] } };
    const { threadId, message } = await edge.discord.startThread(help, draft);
    expect(message).toMatchObject({ message_id: threadId, content: "which knot?" });
  },
);
