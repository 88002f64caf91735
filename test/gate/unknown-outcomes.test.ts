import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/gate.ts";

const POST = /^POST \/channels\/\d+\/messages/;
const UNKNOWN = { code: "outcome_unknown" };
const LONG = [..."abc"].map((letter) => letter.repeat(1_900)).join("\n\n");

async function arrive() {
  const world = await openWorld();
  const events = () =>
    world.audited
      .flatMap((entry) => (entry.kind === "event" ? [entry.row.name] : []))
      .filter((name) => /^send/.test(name));
  return { ...world, events };
}

describe("a message whose outcome is unknown", () => {
  it.each([{ key: "k1" }, {}])(
    "but was sent is found by repeating the call, which sends nothing (%o)",
    async (more) => {
      const { sandbox, id, said, events, as } = await arrive();
      const sarah = as("sarah").in("general");
      const draft = { channel_id: id("general"), text: "once", ...more };
      sandbox.faults.hangUpRest({ match: POST, after: true });
      await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
      expect(said("general")).toEqual(["once"]);
      expect(await sarah.calls("discord.send", draft)).toMatchObject({ message_ids: [expect.any(String)] });
      expect(said("general")).toEqual(["once"]);
      expect(events()).toEqual(["send_begun", "send_outcome_unknown", "send_found"]);
    },
  );

  it("and was accepted before each of several failures is one message, and found", async () => {
    const { sandbox, id, said, as } = await arrive();
    const sarah = as("sarah").in("general");
    const draft = { channel_id: id("general"), text: "once" };
    sandbox.faults.failRest({ match: POST, status: 500, after: true, times: 4 });
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(said("general")).toEqual(["once"]);
    await sarah.calls("discord.send", draft);
    expect(said("general")).toEqual(["once"]);
  });

  it("and was accepted before a single failure is reported as sent", async () => {
    const { sandbox, id, said, as } = await arrive();
    const sarah = as("sarah").in("general");
    sandbox.faults.failRest({ match: POST, status: 500, after: true });
    await sarah.calls("discord.send", { channel_id: id("general"), text: "once" });
    expect(said("general")).toEqual(["once"]);
  });

  it("and was not sent is sent by repeating the call", async () => {
    const { sandbox, id, said, as } = await arrive();
    const sarah = as("sarah").in("general");
    const draft = { channel_id: id("general"), text: "once" };
    sandbox.faults.hangUpRest({ match: POST });
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(said("general")).toEqual([]);
    await sarah.calls("discord.send", draft);
    expect(said("general")).toEqual(["once"]);
  });

  it("stays unknown while the channel cannot be read, and nothing is sent meanwhile", async () => {
    const { sandbox, id, said, as } = await arrive();
    const sarah = as("sarah").in("general");
    const draft = { channel_id: id("general"), text: "once" };
    sandbox.faults.hangUpRest({ match: POST, after: true });
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    sandbox.faults.failRest({ match: /^GET .*messages/, status: 503, times: 4 });
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    await sarah.calls("discord.send", draft);
    expect(said("general")).toEqual(["once"]);
  });

  it("is not mistaken for another of the same text", async () => {
    const { sandbox, id, said, as } = await arrive();
    const sarah = as("sarah").in("general");
    const draft = { channel_id: id("general"), text: "ok" };
    await sarah.calls("discord.send", { ...draft, key: "first" });
    sandbox.faults.hangUpRest({ match: POST });
    await expect(sarah.calls("discord.send", { ...draft, key: "second" })).rejects.toMatchObject(UNKNOWN);
    await sarah.calls("discord.send", { ...draft, key: "second" });
    expect(said("general")).toEqual(["ok", "ok"]);
  });

  it("in the middle of a long text is completed by repeating the call, each part once", async () => {
    const { sandbox, id, said, as } = await arrive();
    const sarah = as("sarah").in("general");
    const draft = { channel_id: id("general"), text: LONG };
    let posts = 0;
    sandbox.faults.hangUpRest({ match: (line) => POST.test(line) && ++posts === 2, after: true });
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(said("general")).toHaveLength(2);
    await sarah.calls("discord.send", draft);
    expect(said("general").map((text) => text[0])).toEqual(["a", "b", "c"]);
  });

  it("after a confirmation is completed by repeating the call, without another confirmation", async () => {
    const { sandbox, id, said, asked, gate, person, as } = await arrive();
    sandbox.as("mark").say("general", "the crane is here");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.channel.messages", { channel_id: id("general") });
    const draft = { channel_id: id("pier"), text: "the crane" };
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject({ code: "confirmation_needed" });
    sandbox.faults.hangUpRest({ match: POST, after: true });
    await expect(gate.confirm(asked[0]?.id ?? "", person("sarah"))).rejects.toMatchObject(UNKNOWN);
    sandbox.faults.failRest({ match: /^GET .*messages/, status: 503, times: 4 });
    await expect(sarah.calls("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(await sarah.calls("discord.send", draft)).toMatchObject({ message_ids: [expect.any(String)] });
    expect(await sarah.calls("discord.send", draft)).toMatchObject({ message_ids: [expect.any(String)] });
    expect(said("pier")).toEqual(["the crane"]);
    expect(asked).toHaveLength(1);
  });
});

describe("a cancelled send", () => {
  it("sends nothing more between two parts, and says how much was sent", async () => {
    const { sandbox, id, said, edge, as } = await arrive();
    const sarah = as("sarah").in("general");
    const stop = new AbortController();
    edge.discord.listen((event) => {
      if (event.type === "message" && event.message.content.startsWith("a")) stop.abort();
    });
    const sending = sarah.calls("discord.send", { channel_id: id("general"), text: LONG }, stop.signal);
    await expect(sending).rejects.toMatchObject({
      code: "cancelled",
      message: expect.stringContaining("1 message was sent"),
    });
    expect(said("general")).toHaveLength(1);
    sandbox.as("sarah").say("general", "quiet");
    await edge.find("message", ({ message }) => message.content === "quiet");
    expect(said("general")).toHaveLength(1);
  });

  it("that waits for a rate limit is never sent", async () => {
    const stop = new AbortController();
    let onWait = () => {};
    const { sandbox, id, said, as } = await openWorld({
      edgeDelay(ms, signal) {
        onWait();
        return setTimeout(ms, undefined, { signal });
      },
    });
    const sarah = as("sarah").in("general");
    sandbox.faults.stormRest({ match: POST, retryAfter: 2 });
    onWait = () => stop.abort();
    const sending = sarah.calls("discord.send", { channel_id: id("general"), text: "late" }, stop.signal);
    await expect(sending).rejects.toMatchObject({ code: "cancelled" });
    // Behind it in the same bucket: when this is there, the other would have been.
    await sarah.calls("discord.send", { channel_id: id("general"), text: "next" });
    expect(said("general")).toEqual(["next"]);
  });
});
