import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../sandbox/index.ts";
import type { ChannelId, MessageId } from "../../src/domain/ids.ts";
import type { HistoryPage } from "../../src/ports/discord.ts";
import { openTestEdge } from "../support/edge.ts";
import { openProxy } from "../support/proxy.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive(options?: SandboxOptions) {
  const sandbox = await openTestSandbox(options);
  const proxy = await openProxy(sandbox);
  const edge = await openTestEdge({ ...sandbox, api: proxy.api });
  const channel = (key: string) => sandbox.community.channels.get(key) as ChannelId;
  const asked = (part: string) => proxy.requests.filter((line) => line.includes(part)).length;
  return { sandbox, proxy, edge, channel, asked };
}

describe("reading history through the edge", () => {
  it("returns pages newest first, before, after and around a message", async () => {
    const { sandbox, edge, channel } = await arrive();
    const said = Array.from(
      { length: 9 },
      (_, index) => sandbox.as("sarah").say("general", String(index)).id as MessageId,
    );
    const middle = said[4] as MessageId;
    const texts = async (page: HistoryPage) =>
      (await edge.discord.history(channel("general"), page)).messages.map(({ content }) => content);
    expect(await texts({ limit: 3 })).toEqual(["8", "7", "6"]);
    expect(await texts({ limit: 2, before: middle })).toEqual(["3", "2"]);
    expect(await texts({ limit: 2, after: middle })).toEqual(["6", "5"]);
    expect(await texts({ limit: 3, around: middle })).toEqual(["5", "4", "3"]);
  });

  it("keeps one request in flight per channel", async () => {
    const { sandbox, proxy, edge, channel } = await arrive({ rateLimits: false });
    sandbox.faults.slowRest({ match: "/messages", ms: 40, times: 8 });
    const read = (key: string) => edge.discord.history(channel(key), { limit: 1 });
    await Promise.all([read("general"), read("general"), read("general"), read("news"), read("news")]);
    expect(proxy.mostAtOnce(channel("general"))).toBe(1);
    expect(proxy.mostAtOnce(channel("news"))).toBe(1);
  });

  it("waits as long as Discord asks on a route whose headers promise more than it allows", async () => {
    const { sandbox, edge, channel, asked } = await arrive();
    sandbox.as("sarah").say("general", "hello");
    const pages = await Promise.all(
      Array.from({ length: 8 }, () => edge.discord.history(channel("general"), { limit: 1 })),
    );
    expect(pages.every((page) => page.messages[0]?.content === "hello")).toBe(true);
    expect(asked(`${channel("general")}/messages`)).toBeLessThanOrEqual(10);
  });

  it("retries after rate limits and server errors", async () => {
    const { sandbox, edge, channel } = await arrive();
    sandbox.as("sarah").say("general", "hello");
    sandbox.faults.stormRest({ match: "/messages", times: 2, retryAfter: 0.2 });
    sandbox.faults.failRest({ match: "/messages", status: 502, times: 2 });
    expect((await edge.discord.history(channel("general"), { limit: 1 })).messages).toHaveLength(1);
  });

  it("fails with unavailable instead of returning nothing when the server keeps failing", async () => {
    const { sandbox, edge, channel } = await arrive();
    sandbox.faults.failRest({ match: "/messages", status: 503, times: 10 });
    await expect(edge.discord.history(channel("general"), { limit: 1 })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("fails with the time to retry instead of waiting for minutes", async () => {
    const { sandbox, edge, channel } = await arrive();
    sandbox.faults.stormRest({ match: "/messages", times: 1, retryAfter: 300 });
    await expect(edge.discord.history(channel("general"), { limit: 1 })).rejects.toMatchObject({
      code: "rate_limited",
      retryAfter: expect.closeTo(300, -1),
    });
  });

  it("sends no request that the bot's permissions already forbid", async () => {
    const { sandbox, edge, channel, asked } = await arrive();
    await expect(edge.discord.history(channel("staff-room"), { limit: 1 })).rejects.toMatchObject({
      code: "not_found",
    });
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
    await edge.find("access_lost");
    await expect(edge.discord.history(channel("general"), { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
    expect(asked("/messages")).toBe(0);
  });

  it("gives the same error for a channel that does not exist and for one that is forbidden", async () => {
    const { edge, channel } = await arrive();
    const absent = await edge.discord
      .history("123456" as ChannelId, { limit: 1 })
      .catch((error: Error) => error.message);
    const denied = await edge.discord
      .history(channel("staff-room"), { limit: 1 })
      .catch((error: Error) => error.message);
    expect(absent).toBe(denied);
  });

  it("can be cancelled", async () => {
    const { sandbox, edge, channel } = await arrive();
    sandbox.faults.slowRest({ match: "/messages", ms: 5_000, times: 1 });
    const controller = new AbortController();
    const reading = edge.discord.history(channel("general"), { limit: 1 }, controller.signal);
    const waiting = edge.discord.history(channel("general"), { limit: 1 }, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  });

  it("works in an archived thread that no event has mentioned", async () => {
    const { sandbox, edge } = await arrive();
    const sarah = sandbox.as("sarah");
    const thread = sarah.openThread({ in: "general" }, "old");
    sarah.say(thread.id, "long ago");
    sandbox.admin.updateThread(thread.id, { archived: true });
    const later = await openTestEdge(sandbox);
    const { messages } = await later.discord.history(thread.id as ChannelId, { limit: 1 });
    expect(messages[0]).toMatchObject({ content: "long ago", thread_id: thread.id });
    expect(edge.discord.state).toBe("ready");
  });

  it("reports whether Discord returned a full page", async () => {
    const { sandbox, edge, channel } = await arrive();
    for (const text of ["a", "b", "c"]) sandbox.as("sarah").say("general", text);
    expect((await edge.discord.history(channel("general"), { limit: 3 })).isFull).toBe(true);
    expect((await edge.discord.history(channel("general"), { limit: 4 })).isFull).toBe(false);
  });
});
