import { MessageReferenceType } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { OPERATOR } from "../actions/access.ts";
import type { MessageDraft } from "../actions/message-draft.ts";
import { createMessage } from "../actions/messages.ts";
import { addReaction } from "../actions/reactions.ts";
import { openThread } from "../actions/threads.ts";
import { createWebhook, executeWebhook } from "../actions/webhooks.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

function say(draft: MessageDraft | string, { by = server.people.sam.id, channelId = server.channels.general.id } = {}) {
  server.clock.advance(1000);
  return createMessage(server.world, by, { channelId, draft: typeof draft === "string" ? { content: draft } : draft });
}

/** Contents of the hits. */
async function search(query: object): Promise<string[]> {
  const found = await server.client().guilds.searchForMessages(server.guild.id, query);
  if (!("messages" in found)) throw new Error("no result");
  return found.messages.map(([hit]) => hit?.content ?? "");
}

describe("a search for words", () => {
  it("finds messages with all words, in any case and form, newest first", async () => {
    say("The turtles laid eggs");
    say("A turtle!");
    say("Nothing here");
    expect(await search({ content: "TURTLE" })).toEqual(["A turtle!", "The turtles laid eggs"]);
    expect(await search({ content: "turtle eggs" })).toEqual(["The turtles laid eggs"]);
    expect(await search({ content: "turtle", sort_order: "asc" })).toEqual(["The turtles laid eggs", "A turtle!"]);
  });

  it("puts adjacent words first when sorted by relevance", async () => {
    say("boat name");
    say("the name that my uncle gave long ago to his old green boat");
    expect(await search({ content: "boat name", sort_by: "relevance" })).toEqual([
      "boat name",
      "the name that my uncle gave long ago to his old green boat",
    ]);
  });
});

describe("a search filters", () => {
  it("by author and by kind of author", async () => {
    say("from sam");
    say("from rita", { by: server.people.rita.id });
    await server.client().channels.createMessage(server.channels.general.id, { content: "from the bot" });
    const webhook = createWebhook(server.world, OPERATOR, { channelId: server.channels.general.id, name: "Feed" });
    server.clock.advance(1000);
    executeWebhook(server.world, { webhookId: webhook.id, token: webhook.token, draft: { content: "from the feed" } });
    expect(await search({ author_id: [server.people.rita.id] })).toEqual(["from rita"]);
    expect(await search({ author_type: ["bot"] })).toEqual(["from the bot"]);
    expect(await search({ author_type: ["webhook"] })).toEqual(["from the feed"]);
    expect(await search({ author_type: ["-user"] })).toEqual(["from the feed", "from the bot"]);
  });

  it("by channel, by ids, by pin, by mention and by reply", async () => {
    const first = say("one");
    const second = say(`two <@${server.people.rita.id}>`);
    const reply = say({ content: "three", reference: { messageId: first.id } }, { by: server.people.rita.id });
    say("elsewhere", { channelId: server.channels.random.id });
    server.channels.general.pins.set(first.id, server.clock.now());
    expect(await search({ channel_id: [server.channels.random.id] })).toEqual(["elsewhere"]);
    expect(await search({ min_id: first.id, max_id: reply.id })).toEqual([second.content]);
    expect(await search({ pinned: true })).toEqual(["one"]);
    expect(await search({ mentions: [server.people.rita.id] })).toEqual([second.content]);
    expect(await search({ replied_to_message_id: [first.id] })).toEqual(["three"]);
    expect(await search({ replied_to_user_id: [server.people.sam.id] })).toEqual(["three"]);
  });

  it("by the kind of content of a message", async () => {
    const { general, random } = server.channels;
    say("plain");
    say("see https://tides.example/today");
    say({
      content: "file",
      attachments: [{ filename: "map.png", contentType: "image/png", bytes: new Uint8Array(3) }],
    });
    say({ content: "embed", embeds: [{ title: "t" }] });
    say({ content: "poll", poll: { question: "q", answers: [{ text: "a" }] } });
    const origin = say("origin", { channelId: random.id });
    say({ reference: { type: MessageReferenceType.Forward, messageId: origin.id, channelId: random.id } });
    const within = { channel_id: [general.id] };
    expect(await search({ ...within, has: ["link"] })).toEqual(["see https://tides.example/today"]);
    expect(await search({ ...within, link_hostname: ["tides.example"] })).toHaveLength(1);
    expect(await search({ ...within, has: ["image"] })).toEqual(["file"]);
    expect(await search({ ...within, attachment_extension: ["png"] })).toEqual(["file"]);
    expect(await search({ ...within, attachment_filename: ["map.png"] })).toEqual(["file"]);
    expect(await search({ ...within, has: ["embed"] })).toEqual(["embed"]);
    expect(await search({ ...within, has: ["poll"] })).toEqual(["poll"]);
    expect(await search({ ...within, has: ["snapshot"] })).toEqual([""]);
    expect(await search({ ...within, has: ["-link", "-file", "-embed", "-poll", "-snapshot"] })).toEqual(["plain"]);
  });
});

it("a search returns 25 hits per page, the total, and further pages by offset", async () => {
  for (let index = 0; index < 60; index += 1) say(`m${index}`, { by: server.people.rita.id });
  const { guilds } = server.client();
  const first = await guilds.searchForMessages(server.guild.id, {});
  expect(first).toMatchObject({ total_results: 60, doing_deep_historical_index: false });
  expect(await search({})).toHaveLength(25);
  expect(await search({ offset: 50 })).toEqual(["m9", "m8", "m7", "m6", "m5", "m4", "m3", "m2", "m1", "m0"]);
  expect(await refusalOf(guilds.searchForMessages(server.guild.id, { offset: 9976 }))).toMatchObject({ code: 50035 });
  expect(await refusalOf(guilds.searchForMessages(server.guild.id, { limit: 26 }))).toMatchObject({ code: 50035 });
});

it("a search finds only what the bot may read, without reactions, and names the threads", async () => {
  const { sam, rita } = server.people;
  const seen = say("treasure in general");
  say("treasure of the staff", { by: rita.id, channelId: server.channels.staff.id });
  const secret = openThread(server.world, sam.id, {
    channelId: server.channels.general.id,
    name: "s",
    isPrivate: true,
  });
  say("treasure in a private thread", { channelId: secret.id });
  const open = openThread(server.world, sam.id, { channelId: server.channels.random.id, name: "o" });
  say("treasure in a thread", { channelId: open.id });
  addReaction(server.world, rita.id, { channelId: seen.channelId, messageId: seen.id, emoji: "👍" });
  const found = await server.client().guilds.searchForMessages(server.guild.id, { content: "treasure" });
  if (!("messages" in found)) throw new Error("no result");
  expect(found.messages.map(([hit]) => hit?.content)).toEqual(["treasure in a thread", "treasure in general"]);
  expect(found.messages.flat().some((hit) => "reactions" in hit)).toBe(false);
  expect(found.threads?.map(({ id }) => id)).toEqual([open.id]);
});

it("a search leaves out age-restricted channels unless asked", async () => {
  say("night talk", { channelId: server.channels.random.id });
  server.channels.random.nsfw = true;
  expect(await search({ content: "night" })).toEqual([]);
  expect(await search({ content: "night", include_nsfw: true })).toEqual(["night talk"]);
});

it("a search answers 202 with a code, not an error, while the index is built", async () => {
  server.guild.searchIndexReady = false;
  const found = await server.client().guilds.searchForMessages(server.guild.id, { content: "x" });
  expect(found).toMatchObject({ code: 110_000, documents_indexed: 0 });
  expect(server.exchanges.at(-1)?.status).toBe(202);
});

it("a search is refused to applications without MESSAGE_CONTENT", async () => {
  server.bot.privileged.messageContent = false;
  expect(await refusalOf(server.client().guilds.searchForMessages(server.guild.id, {}))).toMatchObject({
    status: 403,
    code: 50001,
  });
});
