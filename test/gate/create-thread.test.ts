import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openWorld } from "../support/gate.ts";

interface Created {
  readonly thread_id: string;
  readonly message_id: string;
}

async function arrive() {
  const world = await openWorld();
  const { channels } = world.sandbox.world;
  const threads = (key: string) =>
    [...channels.values()].filter(({ parentId, thread }) => thread && parentId === world.id(key));
  const firstOf = ({ thread_id, message_id }: Created) => channels.get(thread_id)?.messages.get(message_id)?.content;
  return { ...world, threads, firstOf };
}

const POST_THREADS = /^POST \/channels\/\d+\/threads/;
const RAFFLE = { name: "Raffle", text: "Who brings the prizes?" };

describe("discord.thread.create", () => {
  it("starts a thread in a channel, from a message, and in an announcement channel, with its first message", async () => {
    const { sandbox, id, threads, firstOf, as } = await arrive();
    const { id: messageId } = sandbox.as("mark").say("general", "shall we have a raffle?");
    const sarah = as("sarah").in("general");
    const started = await sarah.calls<Created>("discord.thread.create", { channel_id: id("general"), ...RAFFLE });
    expect(firstOf(started)).toBe(RAFFLE.text);
    const from = { channel_id: id("general"), message_id: messageId, ...RAFFLE };
    const onMessage = await sarah.calls<Created>("discord.thread.create", from);
    expect([onMessage.thread_id, firstOf(onMessage)]).toEqual([messageId, RAFFLE.text]);
    expect(threads("general").map(({ name, type }) => [name, type])).toEqual([
      ["Raffle", 11],
      ["Raffle", 11],
    ]);
    const news = as("sarah").in("news");
    await news.calls("discord.thread.create", { channel_id: id("news"), ...RAFFLE });
    expect(threads("news").map(({ type }) => type)).toEqual([10]);
  });

  it("is in the audit before and after it is done, with its decision, what was made and the hashes of its words", async () => {
    const { as, id, audited, audit } = await arrive();
    const sarah = as("sarah").in("general");
    const started: Created[] = [];
    for (const key of ["general", "help"])
      started.push(await sarah.calls("discord.thread.create", { channel_id: id(key), ...RAFFLE }));
    await sarah.calls("discord.send", { channel: id("general"), text: RAFFLE.text });
    const events = audited.flatMap(({ kind, row }) => (kind === "event" ? [row] : []));
    const of = (name: string) =>
      events.filter((row) => row.name === name).map(({ detail_json }) => JSON.parse(detail_json) as object);
    const decided = audited.flatMap(({ kind, row }) => (kind === "decision" && row.effect === "thread" ? [row] : []));
    expect(decided).toMatchObject(
      ["general", "help"].map((key) => ({
        tool: "discord.thread.create",
        target: `channel:${id(key)}`,
        allowed: true,
      })),
    );
    const hashes = { bytes_hash: audit.hash(RAFFLE.text), name_hash: audit.hash(RAFFLE.name) };
    const begun = ["general", "help"].map((key, index) => {
      return { tool: "discord.thread.create", channel_id: id(key), ...hashes, decision_id: decided[index]?.id };
    });
    expect(of("thread_begun")).toEqual(begun);
    expect(of("thread_done")).toEqual(
      begun.map(({ decision_id: _, ...detail }, index) => ({ ...detail, thread_id: started[index]?.thread_id })),
    );
    // The first message of each, and the one that was sent by itself.
    const made = started.map(({ thread_id, message_id }) => ({ channel_id: thread_id, message_id }));
    expect(of("send_done")).toMatchObject([...made, { channel_id: id("general"), message_id: expect.any(String) }]);
    expect(JSON.stringify(events)).not.toContain(RAFFLE.name);
  });

  it("posts to a forum with tags by name, and what was posted can be edited", async () => {
    const { sandbox, id, threads, firstOf, as } = await arrive();
    const sarah = as("sarah").in("general");
    const post = { channel_id: id("help"), ...RAFFLE, tags: ["Tools"] };
    const posted = await sarah.calls<Created>("discord.thread.create", post);
    expect(firstOf(posted)).toBe(RAFFLE.text);
    const [thread] = threads("help");
    expect(thread?.thread?.appliedTags).toEqual(
      sandbox.world.channels.get(id("help"))?.tags.flatMap((tag) => (tag.name === "tools" ? [tag.id] : [])),
    );
    await sarah.calls("discord.edit", {
      channel_id: posted.thread_id,
      message_id: posted.message_id,
      text: "Never mind.",
    });
    expect(firstOf(posted)).toBe("Never mind.");
    const refused = { code: "invalid" };
    await expect(sarah.calls("discord.thread.create", { ...post, tags: ["none"] })).rejects.toMatchObject(refused);
    await expect(sarah.calls("discord.thread.create", { ...post, channel_id: id("general") })).rejects.toMatchObject(
      refused,
    );
    await expect(sarah.calls("discord.thread.create", { channel_id: id("pier"), ...RAFFLE })).rejects.toMatchObject({
      code: "unsupported",
    });
    expect(threads("help")).toHaveLength(1);
  });

  it("is refused where the actor may not start threads, also where they asked", async () => {
    const { sandbox, id, settle, threads, as } = await arrive();
    const question = sandbox.as("sarah").say("general", "a thread, please");
    sandbox.admin.setOverwrite("general", "person:sarah", { deny: ["CreatePublicThreads"] });
    sandbox.admin.setOverwrite("help", "person:sarah", { deny: ["SendMessages"] });
    await settle();
    const sarah = as("sarah").in("general", {}, { messageId: question.id as never });
    const refused = { code: "forbidden", message: "The person asking may not start threads in that channel." };
    for (const key of ["general", "help"])
      await expect(sarah.calls("discord.thread.create", { channel_id: id(key), ...RAFFLE })).rejects.toMatchObject(
        refused,
      );
    expect([...threads("general"), ...threads("help")]).toEqual([]);
  });

  it("says nothing that not everybody there may know", async () => {
    const { sandbox, id, settle, as, threads } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:sarah", { allow: ["ViewChannel"] });
    sandbox.as("mei").say("staff-room", "the crane is broken");
    await settle();
    const sarah = as("sarah").in("general", {}, { isPrivate: true });
    await sarah.calls("discord.channel.messages", { channel_id: id("staff-room") });
    for (const key of ["general", "help"])
      await expect(sarah.calls("discord.thread.create", { channel_id: id(key), ...RAFFLE })).rejects.toMatchObject({
        code: "forbidden",
      });
    expect([...threads("general"), ...threads("help")]).toEqual([]);
  });

  it("waits for the actor elsewhere once something was read, and starts exactly what was confirmed, once", async () => {
    const { sandbox, id, asked, gate, threads, firstOf, as } = await arrive();
    sandbox.as("mark").say("general", "ahoy");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.channel.messages", { channel_id: id("general") });
    const post = { channel_id: id("help"), name: "See https://evil.example/?q=1", text: "ahoy", tags: ["solved"] };
    await expect(sarah.calls("discord.thread.create", post)).rejects.toMatchObject({ code: "confirmation_needed" });
    const name = "See hxxps://evil[.]example/?q=1";
    const exact = { kind: "thread", channelId: id("help"), messageId: null, name, text: "ahoy", tags: ["solved"] };
    expect(asked.map(({ action }) => action)).toEqual([exact]);
    await gate.confirm(asked[0]?.id ?? "", sandbox.as("sarah").id as UserId);
    expect(threads("help").map((thread) => thread.name)).toEqual([name]);
    expect(firstOf(await sarah.calls("discord.thread.create", post))).toBe("ahoy");
    expect(threads("help")).toHaveLength(1);
  });

  it("finds the thread again when Discord did not say that it was started", async () => {
    const { sandbox, id, threads, firstOf, settle, as } = await arrive();
    const sarah = as("sarah").in("general");
    const args = { channel_id: id("help"), ...RAFFLE };
    sandbox.faults.hangUpRest({ match: POST_THREADS, after: true });
    await expect(sarah.calls("discord.thread.create", args)).rejects.toMatchObject({ code: "outcome_unknown" });
    await settle();
    expect(firstOf(await sarah.calls("discord.thread.create", args))).toBe(RAFFLE.text);
    expect(threads("help")).toHaveLength(1);
  });
});
