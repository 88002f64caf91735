import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { Discord, GuildSearchRequest } from "../../src/ports/discord.ts";
import { openTestEdge } from "../support/edge.ts";
import { openProxy } from "../support/proxy.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const PATH = "/messages/search";

async function arrive(options?: SandboxOptions) {
  const sandbox = await openTestSandbox(options);
  const proxy = await openProxy(sandbox);
  const { discord } = await openTestEdge({ ...sandbox, api: proxy.api });
  const asked = () => proxy.requests.filter((line) => line.includes(PATH));
  return { sandbox, discord, asked, ...address(sandbox, discord) };
}

/** Shorthands for asking in the small community. */
function address({ community }: Sandbox, discord: Discord) {
  const guildId = community.guild.id as GuildId;
  const channel = (key: string) => community.channels.get(key) as ChannelId;
  const person = (key: string) => community.people.get(key) as UserId;
  const search = (request: Partial<GuildSearchRequest> = {}, signal?: AbortSignal) =>
    discord.search(guildId, { channelIds: [channel("general")], limit: 25, ...request }, signal);
  /** What the hits say. */
  const found = async (request: Partial<GuildSearchRequest> = {}) => {
    const answer = await search(request);
    if (answer.state !== "ready") throw new Error("the index is not ready");
    return answer.messages.map(({ content }) => content);
  };
  return { guildId, channel, person, search, found };
}

describe("Discord's own search through the edge", () => {
  it("returns messages in the same shape as history, newest first or by relevance", async () => {
    const { sandbox, search, found, channel, guildId } = await arrive();
    const sarah = sandbox.as("sarah");
    sarah.say("general", "boat name");
    sarah.say("general", "the name that my uncle gave long ago to his old green boat");
    expect(await found({ content: "boat name" })).toEqual([
      "the name that my uncle gave long ago to his old green boat",
      "boat name",
    ]);
    const answer = await search({ content: "uncle" });
    expect(answer).toMatchObject({
      state: "ready",
      isFull: false,
      messages: [{ channel_id: channel("general"), guild_id: guildId, author: { name: "Skipper", bot: false } }],
    });
    expect(JSON.stringify(answer)).not.toContain("total");
  });

  it("filters by author, mention, kind and id", async () => {
    const { sandbox, found, person } = await arrive();
    const first = sandbox.as("sarah").say("general", "one");
    sandbox.as("mark").say("general", `two <@${person("mei")}>`);
    const third = sandbox.as("sarah").say("general", "three https://tides.example/today");
    expect(await found({ authorIds: [person("mark")] })).toEqual([`two <@${person("mei")}>`]);
    expect(await found({ authorIds: [person("mark"), person("sarah")] })).toHaveLength(3);
    expect(await found({ mentions: [person("mei")] })).toEqual([`two <@${person("mei")}>`]);
    expect(await found({ has: ["link"] })).toEqual(["three https://tides.example/today"]);
    expect(await found({ minId: first.id as MessageId, maxId: third.id as MessageId })).toEqual([
      `two <@${person("mei")}>`,
    ]);
  });

  it("pages through the results and reports whether there may be more", async () => {
    const { sandbox, search, found } = await arrive();
    const said = Array.from({ length: 5 }, (_, index) => sandbox.as("sarah").say("general", `m${index}`));
    const maxId = said[1]?.id as MessageId;
    expect(await found({ limit: 2 })).toEqual(["m4", "m3"]);
    expect(await found({ limit: 2, maxId })).toEqual(["m0"]);
    expect(await search({ limit: 2 })).toMatchObject({ isFull: true });
    expect(await search({ limit: 2, maxId })).toMatchObject({ isFull: false });
  });

  it("searches only the requested channels that the bot may read", async () => {
    const { sandbox, search, found, channel, asked } = await arrive();
    sandbox.as("mei").say("staff-room", "secret tides");
    sandbox.as("sarah").say("news", "tides elsewhere");
    sandbox.as("sarah").say("general", "tides here");
    const all = [channel("general"), channel("staff-room"), "123456" as ChannelId];
    expect(await found({ content: "tides", channelIds: all })).toEqual(["tides here"]);
    expect(asked()).toHaveLength(1);
    expect(new URLSearchParams(asked()[0]?.split("?")[1]).getAll("channel_id")).toEqual([channel("general")]);
    expect(await search({ channelIds: [channel("staff-room")] })).toEqual({
      state: "ready",
      messages: [],
      isFull: false,
    });
    expect(asked()).toHaveLength(1);
  });

  it("searches a channel only in the guild it belongs to", async () => {
    const { discord, channel, asked } = await arrive();
    const request = { channelIds: [channel("general")], limit: 5 } as const;
    expect(await discord.search("123456" as GuildId, request)).toMatchObject({ messages: [] });
    expect(asked()).toEqual([]);
  });

  it("searches threads and age-restricted channels when they are requested", async () => {
    const { sandbox, found, channel } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "plans");
    sandbox.as("sarah").say(thread.id, "night plans");
    sandbox.as("sarah").say("general", "night talk");
    sandbox.admin.updateChannel("general", { nsfw: true });
    expect(await found({ content: "night" })).toEqual(["night talk"]);
    expect(await found({ content: "night", channelIds: [channel("general"), thread.id as ChannelId] })).toEqual([
      "night talk",
      "night plans",
    ]);
  });

  it("reports an index that is not ready instead of an empty result", async () => {
    const { sandbox, search } = await arrive();
    sandbox.admin.setSearchIndexReady(false);
    expect(await search({ content: "x" })).toEqual({ state: "not_ready", retryAfter: 5 });
    sandbox.admin.setSearchIndexReady(true);
    expect(await search({ content: "x" })).toEqual({ state: "ready", messages: [], isFull: false });
  });

  it("rejects what Discord would reject, without sending a request", async () => {
    const { search, channel, asked } = await arrive();
    const tooMany = Array.from({ length: 501 }, () => channel("general"));
    const wrong: Partial<GuildSearchRequest>[] = [
      { channelIds: [] },
      { channelIds: tooMany },
      { limit: 0 },
      { limit: 26 },
      { limit: 1.5 },
      { content: "x".repeat(1_025) },
      { authorIds: Array.from({ length: 101 }, (_, index) => String(index) as UserId) },
    ];
    for (const request of wrong) await expect(search(request)).rejects.toMatchObject({ code: "invalid" });
    expect(asked()).toEqual([]);
  });

  it("retries after a short rate limit and reports the retry time of a long one", async () => {
    const { sandbox, search } = await arrive();
    sandbox.faults.stormRest({ match: PATH, times: 1, retryAfter: 0.2 });
    expect(await search()).toMatchObject({ state: "ready" });
    sandbox.faults.stormRest({ match: PATH, times: 1, retryAfter: 300 });
    await expect(search()).rejects.toMatchObject({ code: "rate_limited", retryAfter: expect.closeTo(300, -1) });
  });

  it("fails with unavailable during an outage and works again afterwards", async () => {
    const { sandbox, search } = await arrive();
    sandbox.faults.failRest({ match: PATH, status: 503, times: 4 });
    await expect(search()).rejects.toMatchObject({ code: "unavailable" });
    sandbox.faults.clear();
    expect(await search()).toMatchObject({ state: "ready" });
  });

  it("can be cancelled", async () => {
    const { sandbox, search } = await arrive();
    sandbox.faults.slowRest({ match: PATH, ms: 5_000, times: 1 });
    const controller = new AbortController();
    const searching = search({}, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(searching).rejects.toMatchObject({ code: "cancelled" });
    await expect(search({}, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
  });

  it("is not attempted again after Discord refused it", async () => {
    const { sandbox, search, asked } = await arrive();
    sandbox.admin.setPrivileged("earshot", { messageContent: false });
    await expect(search()).rejects.toMatchObject({ code: "unavailable" });
    await expect(search()).rejects.toMatchObject({ code: "unavailable" });
    expect(asked()).toHaveLength(1);
  });
});

/** The sandbox's API, except that search answers come from `answer`. */
async function arriveAtOther(answer: (real: Answer) => { status: number; body: unknown }) {
  const sandbox = await openTestSandbox();
  let asked = 0;
  const server = createServer(async (incoming, outgoing) => {
    const real = await fetch(`${sandbox.url}${incoming.url}`, {
      headers: { authorization: incoming.headers.authorization ?? "" },
    });
    const isSearch = incoming.url?.includes(PATH) ?? false;
    if (isSearch) asked += 1;
    const body = (await real.json()) as Answer;
    const given = isSearch ? answer(body) : { status: real.status, body };
    outgoing.writeHead(given.status, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(given.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const { discord } = await openTestEdge({ ...sandbox, api });
  return { sandbox, asked: () => asked, ...address(sandbox, discord) };
}

interface Answer {
  readonly messages: readonly (readonly Record<string, unknown>[])[];
  readonly total_results: number;
}

describe("search on a server that is not quite Discord", () => {
  it.each([
    [404, { message: "404: Not Found", code: 0 }],
    [405, { message: "405: Method Not Allowed", code: 0 }],
    [501, { message: "Not Implemented" }],
  ])("is unavailable when the server answers with %i, and the server is not asked again", async (status, body) => {
    const { search, asked } = await arriveAtOther(() => ({ status, body }));
    await expect(search()).rejects.toMatchObject({ code: "unavailable" });
    const before = asked();
    await expect(search({ content: "again" })).rejects.toMatchObject({ code: "unavailable" });
    expect(asked()).toBe(before);
  });

  it("is still requested after the server did not know one guild", async () => {
    let isKnown = false;
    const { search } = await arriveAtOther((body) =>
      isKnown ? { status: 200, body } : { status: 404, body: { message: "Unknown Guild", code: 10_004 } },
    );
    await expect(search()).rejects.toMatchObject({ code: "not_found" });
    isKnown = true;
    expect(await search()).toMatchObject({ state: "ready" });
  });

  it("drops other channels, repeated hits, surrounding messages and malformed messages, and takes the guild from the request", async () => {
    const { sandbox, search, channel } = await arriveAtOther((real) => {
      const [hit] = real.messages[0] ?? [];
      const other = { ...hit, channel_id: "123456", id: "1" };
      const around = { ...hit, id: "2", hit: false };
      const messages = [
        [other],
        null,
        [null],
        "text",
        [],
        [{}],
        [{ ...hit, id: "no id" }],
        [{ ...hit, channel_id: null }],
        [around, { ...hit, id: "4", guild_id: "999" }, around],
        [around, { ...around, id: "3" }],
        [hit],
        ...Array.from({ length: 40 }, (_, index) => [{ ...hit, id: String(1_000 + index) }]),
      ];
      return { status: 200, body: { ...real, messages, total_results: "many" } };
    });
    sandbox.as("sarah").say("general", "hello");
    const answer = await search();
    if (answer.state !== "ready") throw new Error("not ready");
    expect(answer.messages).toHaveLength(25);
    expect(answer.messages[0]?.content).toBe("hello");
    expect(new Set(answer.messages.map(({ message_id }) => message_id)).size).toBe(25);
    for (const message of answer.messages)
      expect(message).toMatchObject({ channel_id: channel("general"), guild_id: sandbox.community.guild.id });
    const ids = answer.messages.map(({ message_id }) => String(message_id));
    expect(ids).toContain("4");
    expect(ids.filter((id) => ["1", "2", "3"].includes(id))).toEqual([]);
  });

  it.each([
    ["nothing", {}],
    ["a list", []],
    ["no list", { messages: "none", total_results: 0 }],
  ])("does not report an empty result when the server answers with %s", async (_, body) => {
    const { search } = await arriveAtOther(() => ({ status: 200, body }));
    await expect(search()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("takes the retry time of an unfinished index from the server, within limits", async () => {
    let retryAfter: unknown = 12.3;
    const { search } = await arriveAtOther(() => ({ status: 202, body: { code: 110_000, retry_after: retryAfter } }));
    expect(await search()).toEqual({ state: "not_ready", retryAfter: 13 });
    for (const odd of [-1, "soon", null, 0]) {
      retryAfter = odd;
      expect(await search()).toEqual({ state: "not_ready", retryAfter: 5 });
    }
    retryAfter = 1e12;
    expect(await search()).toEqual({ state: "not_ready", retryAfter: 3_600 });
  });
});
