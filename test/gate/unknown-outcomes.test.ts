import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { Confirmation } from "../../src/policy/confirmations.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const POST = /^POST \/channels\/\d+\/messages/;
const UNKNOWN = { code: "outcome_unknown" };
const LONG = [..."abc"].map((letter) => letter.repeat(1_900)).join("\n\n");

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const asked: Confirmation[] = [];
  const test = await openTestGate(sandbox, { onConfirmation: (one) => void asked.push(one) });
  const id = (key: string) => sandbox.community.channels.get(key) ?? key;
  const within =
    (operation: Operation) =>
    async (name: string, args: object, signal?: AbortSignal): Promise<unknown> =>
      (await test.gate.callTool({ name, args, operation, ...(signal && { signal }) })).value;
  /** What the bot has said there, oldest first. */
  const said = (key: string) =>
    [...(sandbox.world.channels.get(id(key))?.messages ?? [])]
      .filter(({ authorId }) => authorId === test.edge.discord.botId)
      .map(({ content }) => content);
  const events = () =>
    test.audited
      .flatMap((entry) => (entry.kind === "event" ? [entry.row.name] : []))
      .filter((name) => /^send/.test(name));
  const person = (key: string) => sandbox.as(key).id as UserId;
  return { sandbox, ...test, asked, id, within, said, events, person };
}

describe("a message whose outcome is unknown", () => {
  it.each([{ key: "k1" }, {}])(
    "but was sent is found by repeating the call, which sends nothing (%o)",
    async (more) => {
      const { sandbox, open, within, id, said, events } = await arrive();
      const call = within(await open("sarah", "general"));
      const draft = { channel_id: id("general"), text: "once", ...more };
      sandbox.faults.hangUpRest({ match: POST, after: true });
      await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
      expect(said("general")).toEqual(["once"]);
      expect(await call("discord.send", draft)).toMatchObject({ message_ids: [expect.any(String)] });
      expect(said("general")).toEqual(["once"]);
      expect(events()).toEqual(["send_begun", "send_outcome_unknown", "send_found"]);
    },
  );

  it("and was accepted before each of several failures is one message, and found", async () => {
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    const draft = { channel_id: id("general"), text: "once" };
    sandbox.faults.failRest({ match: POST, status: 500, after: true, times: 4 });
    await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(said("general")).toEqual(["once"]);
    await call("discord.send", draft);
    expect(said("general")).toEqual(["once"]);
  });

  it("and was accepted before a single failure is reported as sent", async () => {
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    sandbox.faults.failRest({ match: POST, status: 500, after: true });
    await call("discord.send", { channel_id: id("general"), text: "once" });
    expect(said("general")).toEqual(["once"]);
  });

  it("and was not sent is sent by repeating the call", async () => {
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    const draft = { channel_id: id("general"), text: "once" };
    sandbox.faults.hangUpRest({ match: POST });
    await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(said("general")).toEqual([]);
    await call("discord.send", draft);
    expect(said("general")).toEqual(["once"]);
  });

  it("stays unknown while the channel cannot be read, and nothing is sent meanwhile", async () => {
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    const draft = { channel_id: id("general"), text: "once" };
    sandbox.faults.hangUpRest({ match: POST, after: true });
    await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    sandbox.faults.failRest({ match: /^GET .*messages/, status: 503, times: 4 });
    await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    await call("discord.send", draft);
    expect(said("general")).toEqual(["once"]);
  });

  it("is not mistaken for another of the same text", async () => {
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    const draft = { channel_id: id("general"), text: "ok" };
    await call("discord.send", { ...draft, key: "first" });
    sandbox.faults.hangUpRest({ match: POST });
    await expect(call("discord.send", { ...draft, key: "second" })).rejects.toMatchObject(UNKNOWN);
    await call("discord.send", { ...draft, key: "second" });
    expect(said("general")).toEqual(["ok", "ok"]);
  });

  it("in the middle of a long text is completed by repeating the call, each part once", async () => {
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    const draft = { channel_id: id("general"), text: LONG };
    let posts = 0;
    sandbox.faults.hangUpRest({ match: (line) => POST.test(line) && ++posts === 2, after: true });
    await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(said("general")).toHaveLength(2);
    await call("discord.send", draft);
    expect(said("general").map((text) => text[0])).toEqual(["a", "b", "c"]);
  });

  it("after a confirmation is completed by repeating the call, without another confirmation", async () => {
    const { sandbox, open, within, id, said, asked, gate, person } = await arrive();
    sandbox.as("mark").say("general", "the crane is here");
    const call = within(await open("sarah", "general"));
    await call("discord.channel.messages", { channel_id: id("general") });
    const draft = { channel_id: id("pier"), text: "the crane" };
    await expect(call("discord.send", draft)).rejects.toMatchObject({ code: "confirmation_needed" });
    sandbox.faults.hangUpRest({ match: POST, after: true });
    await expect(gate.confirm(asked[0]?.id ?? "", person("sarah"))).rejects.toMatchObject(UNKNOWN);
    sandbox.faults.failRest({ match: /^GET .*messages/, status: 503, times: 4 });
    await expect(call("discord.send", draft)).rejects.toMatchObject(UNKNOWN);
    expect(await call("discord.send", draft)).toMatchObject({ message_ids: [expect.any(String)] });
    expect(await call("discord.send", draft)).toMatchObject({ message_ids: [expect.any(String)] });
    expect(said("pier")).toEqual(["the crane"]);
    expect(asked).toHaveLength(1);
  });
});

describe("a cancelled send", () => {
  it("sends nothing more between two parts, and says how much was sent", async () => {
    const { sandbox, open, within, id, said, edge } = await arrive();
    const call = within(await open("sarah", "general"));
    const stop = new AbortController();
    edge.discord.listen((event) => {
      if (event.type === "message" && event.message.content.startsWith("a")) stop.abort();
    });
    const sending = call("discord.send", { channel_id: id("general"), text: LONG }, stop.signal);
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
    const { sandbox, open, within, id, said } = await arrive();
    const call = within(await open("sarah", "general"));
    const stop = new AbortController();
    sandbox.faults.stormRest({ match: POST, retryAfter: 2 });
    const sending = call("discord.send", { channel_id: id("general"), text: "late" }, stop.signal);
    setTimeout(() => stop.abort(), 200);
    await expect(sending).rejects.toMatchObject({ code: "cancelled" });
    // Behind it in the same bucket: when this is there, the other would have been.
    await call("discord.send", { channel_id: id("general"), text: "next" });
    expect(said("general")).toEqual(["next"]);
  });
});
