import { assert, asyncProperty, boolean, constantFrom, nat, record, array as sequence } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { killAt, openTestAgent, quoting, type TestAgentOptions, temporaryDatabase } from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const BRAIN = { name: "brain", grant: OPERATOR_GRANT };
const SETTINGS = { enabled: false };

/** What the bot has said in general, as everybody sees it. */
function saidByBot(sandbox: Sandbox): string[] {
  const messages = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "")?.messages ?? [];
  const bot = sandbox.community.people.get("earshot");
  return [...messages].filter(({ authorId }) => authorId === bot).map(({ content }) => content);
}

/** A client that answers Sarah in #general with what Mei and Mark said at the pier. */
async function arrive(options: Partial<TestAgentOptions> = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const file = temporaryDatabase();
  const world = await openTestAgent(sandbox, { answerer: quoting, file, settings: SETTINGS, ...options });
  const general = sandbox.community.channels.get("general") as ChannelId;
  const mei = sandbox.as("mei").say("pier", "The zeppelin lands at noon on the old pier.");
  const mark = sandbox.as("mark").say("pier", "Bring a chair.");
  const question = sandbox.as("sarah").say("general", "when does it land?");
  await world.edge.find("message", ({ message }) => message.message_id === question.id);
  const actor = question.authorId as UserId;
  const open = async (hasMessage = true) => {
    const messageId = question.id as MessageId;
    const request = { actor, channelId: general, ...(hasMessage && { messageId }) };
    const operation = await world.operations.open(BRAIN, request);
    return (name: string, args: object) => world.gate.callTool({ name, args, operation });
  };
  const read = (call: Awaited<ReturnType<typeof open>>) => call("discord.channel.messages", { channel: "pier" });
  const say = async (text: string, hasMessage = true) => {
    const call = await open(hasMessage);
    await read(call);
    const { value } = await call("discord.send", { channel: "general", text });
    return { call, message_id: (value as { message_id: string }).message_id };
  };
  const link = ({ id, channelId }: typeof mei) => `https://discord.com/channels/1/${channelId}/${id}`;
  /** What was deleted before has been acted upon. */
  const settle = async () => {
    const { id } = sandbox.as("olga").dm("settled?");
    await world.edge.find("message", ({ message }) => message.message_id === id);
    await new Promise(setImmediate);
  };
  const gone = () => expect.poll(() => saidByBot(sandbox)).toEqual([]);
  /** Ends as if it were killed; what happens meanwhile is not heard. */
  const restart = async (meanwhile: () => void) => {
    const at = Date.now();
    await world.abandon();
    meanwhile();
    const lastHeard = { load: async () => at, save: async () => {} };
    return openTestAgent(sandbox, { answerer: quoting, file, settings: SETTINGS, lastHeard });
  };
  return { ...world, mei, mark, question, open, read, say, link, settle, gone, restart, actor };
}

describe("a client's answer that nobody confirmed", () => {
  it.each([true, false])(
    "goes with anything that was read if it cites nothing (asked by a message: %s)",
    async (has) => {
      const { sandbox, say, mark, gone } = await arrive();
      await say("Around midday.", has);
      expect(saidByBot(sandbox)).toHaveLength(1);
      sandbox.as("mark").delete(mark);
      await gone();
    },
  );

  it("goes with what it links to and what it repeats, and not with what else was read", async () => {
    const { sandbox, say, mei, mark, link, gone, settle, store } = await arrive();
    const other = sandbox.as("olga").say("pier", "We could also take the ferry across the bay tomorrow.");
    await say(`Bring something to sit on: ${link(mark)}`);
    await say(`${link(mark)} – the ZEPPELIN lands at **noon** on the old pier`);
    sandbox.as("olga").delete(other);
    await settle();
    expect(await store.citing(9)).toHaveLength(2);
    sandbox.as("mei").delete(mei);
    await expect.poll(() => saidByBot(sandbox)).toHaveLength(1);
    sandbox.as("mark").delete(mark);
    await gone();
  });

  it("goes with the message that asked", async () => {
    const { sandbox, open, question, gone } = await arrive();
    const call = await open();
    await call("discord.send", { channel: "general", text: "Hello!" });
    expect(saidByBot(sandbox)).toEqual(["Hello!"]);
    sandbox.as("sarah").delete(question);
    await gone();
  });

  it("is given and stays although the person asking is left out", async () => {
    const { sandbox, consent, store, actor, settle, edge, operations, gate, question } = await arrive();
    await consent.leaveOut(actor);
    const { message } = await edge.find("message", (event) => event.message.message_id === question.id);
    const operation = operations.openFor(BRAIN, message);
    const call = (name: string, args: object) => gate.callTool({ name, args, operation });
    await call("context.window", {});
    await call("discord.channel.messages", { channel: "pier" });
    await call("discord.send", { channel: "general", text: "Around midday." });
    await settle();
    expect(saidByBot(sandbox)).toHaveLength(1);
    expect(await store.citing(9)).toHaveLength(1);
  });

  it("follows what its later text rests on, too", async () => {
    const { sandbox, open, read, mei, gone } = await arrive();
    const call = await open();
    const { value } = await call("discord.send", { channel: "general", text: "One moment." });
    await read(call);
    const { message_id } = value as { message_id: string };
    await call("discord.edit", { channel: "general", message_id, text: "Around midday." });
    expect(saidByBot(sandbox)).toEqual(["Around midday."]);
    sandbox.as("mei").delete(mei);
    await gone();
  });

  it("follows what its later text rests on although the first rested on nothing", async () => {
    const { sandbox, open, read, mei, gone } = await arrive();
    const call = await open(false);
    const { value } = await call("discord.send", { channel: "general", text: "One moment." });
    await read(call);
    const { message_id } = value as { message_id: string };
    await call("discord.edit", { channel: "general", message_id, text: "Around midday." });
    expect(saidByBot(sandbox)).toEqual(["Around midday."]);
    sandbox.as("mei").delete(mei);
    await gone();
  });

  it("follows what each of its texts rests on when it is changed twice at once", async () => {
    const { sandbox, edge, say, mei, mark, link, store } = await arrive();
    const other = sandbox.as("olga").say("pier", "We could also take the ferry across the bay tomorrow.");
    await edge.find("message", ({ message }) => message.message_id === other.id);
    const { call, message_id } = await say(`Bring something to sit on: ${link(mark)}`);
    const edit = (text: string) => call("discord.edit", { channel: "general", message_id, text });
    await Promise.all([edit(`At noon: ${link(mei)}`), edit(`By ferry: ${link(other)}`)]);
    const [{ sources = [] } = {}] = await store.citing(9);
    expect(sources.map(({ ref }) => ref.split("/")[1])).toEqual(expect.arrayContaining([mei.id, mark.id, other.id]));
  });

  it.each([true, false])(
    "goes in all its parts when Discord did not say whether one was sent (it was: %s)",
    async (after) => {
      const { sandbox, say, mei, gone } = await arrive();
      let posts = 0;
      const match = (line: string) => /^POST \/channels\/\d+\/messages/.test(line) && ++posts === 2;
      sandbox.faults.hangUpRest({ match, after });
      const saying = say(`Around midday. ${"And so on, and on. ".repeat(300)}`);
      await expect(saying).rejects.toMatchObject({ code: "outcome_unknown" });
      expect(saidByBot(sandbox)).toHaveLength(after ? 2 : 1);
      sandbox.as("mei").delete(mei);
      await gone();
    },
  );

  it("does not go with what the client said before in answer to the same question", async () => {
    const { sandbox, open, settle, store } = await arrive();
    const call = await open();
    const { value } = await call("discord.send", { channel: "general", text: "One moment." });
    await call("discord.channel.messages", { channel: "general" });
    await call("discord.send", { channel: "general", text: "Around midday." });
    await call("discord.delete", { channel: "general", message_id: (value as { message_id: string }).message_id });
    await settle();
    await settle();
    expect(saidByBot(sandbox)).toEqual(["Around midday."]);
    await expect.poll(() => store.citing(9)).toHaveLength(1);
  });

  it("goes in all its parts", async () => {
    const { sandbox, say, mei, gone } = await arrive();
    await say(`Around midday. ${"And so on, and on. ".repeat(300)}`);
    expect(saidByBot(sandbox).length).toBeGreaterThan(2);
    sandbox.as("mei").delete(mei);
    await gone();
  });

  it("goes when its source was deleted while the bot was away", async () => {
    const { sandbox, say, mei, gone, restart } = await arrive();
    await say("Around midday.");
    await restart(() => sandbox.as("mei").delete(mei));
    await gone();
  });

  it.each([
    ["after", "plan", true],
    ["before", "notePosted", true],
    ["before", "notePosted", false],
    ["after", "notePosted", true],
  ] as const)("goes if the process is killed %s %s (asked by a message: %s)", async (when, step, hasMessage) => {
    const killed = Promise.withResolvers<void>();
    const { sandbox, say, mei, gone, restart } = await arrive({ wrapStore: killAt(step, when, killed.resolve) });
    void say("Around midday.", hasMessage);
    await killed.promise;
    expect(saidByBot(sandbox)).toHaveLength(step === "plan" ? 0 : 1);
    const second = await restart(() => sandbox.as("mei").delete(mei));
    await expect.poll(() => second.store.unfinished()).toEqual([]);
    await gone();
  });
});

it("a text that a person confirmed stays although the one in its place followed what was deleted", async () => {
  const { sandbox, say, open, read, gate, mei, settle, actor } = await arrive();
  const { message_id } = await say("Around midday.");
  const call = await open();
  await read(call);
  const edit = { channel: "general", message_id, text: "At noon." };
  const { confirmationId } = await call("discord.edit", edit).then(
    () => ({ confirmationId: "" }),
    (error: { confirmationId: string }) => error,
  );
  await gate.confirm(confirmationId, actor);
  expect(saidByBot(sandbox)).toEqual(["At noon."]);
  sandbox.as("mei").delete(mei);
  await settle();
  await settle();
  expect(saidByBot(sandbox)).toEqual(["At noon."]);
});

it("what a person confirmed stays when its source is deleted", async () => {
  const { sandbox, open, read, gate, mei, mark, settle, actor } = await arrive();
  const call = await open();
  await read(call);
  const reply = { channel: "general", text: "The zeppelin lands at noon on the old pier.", reply_to: "" };
  reply.reply_to = sandbox.as("olga").say("general", "who knows?").id;
  const { confirmationId } = await call("discord.send", reply).then(
    () => ({ confirmationId: "" }),
    (error: { confirmationId: string }) => error,
  );
  await gate.confirm(confirmationId, actor);
  expect(saidByBot(sandbox)).toHaveLength(1);
  sandbox.as("mei").delete(mei);
  sandbox.as("mark").delete(mark);
  await settle();
  await settle();
  expect(saidByBot(sandbox)).toHaveLength(1);
});

const step = record({
  kind: constantFrom("read" as const, "say" as const, "edit" as const, "edit" as const, "delete" as const),
  which: nat(3),
  target: nat(3),
  isCiting: boolean(),
  isAlone: boolean(),
});

/** It says something before it has read anything. */
const BEGINNING = (["say", "read"] as const).map((kind) => {
  return { kind, which: 0, target: 0, isCiting: false, isAlone: true };
});

it("whatever a client says and changes, nothing that nobody confirmed repeats a message that is gone", async () => {
  const property = asyncProperty(
    boolean(),
    sequence(step, { minLength: 4, maxLength: 14 }),
    async (hasMessage, steps) => {
      const { sandbox, open, link, mark, edge, settle } = await arrive();
      const texts = ["north", "south", "east", "west"].map(
        (wind) => `With ${wind} wind the ferry to the islands leaves at noon.`,
      );
      const sources = texts.map((text) => sandbox.as("olga").say("pier", text));
      const last = sources.at(-1);
      await edge.find("message", ({ message }) => message.message_id === last?.id);
      const call = await open(hasMessage);
      const sent: string[] = [];
      const known = new Set<string>();
      const running: Promise<unknown>[] = [];
      const deleted = new Set<string>();
      for (const { kind, which, target, isCiting, isAlone } of [...BEGINNING, ...steps]) {
        const words = [...known].find((one) => one === texts[which]) ?? "One moment.";
        const text = `${words}${isCiting ? ` ${link(mark)}` : ""}`;
        const message_id = sent[target % Math.max(1, sent.length)];
        const act = async () => {
          if (kind === "read") {
            const told = JSON.stringify((await call("discord.channel.messages", { channel: "pier" })).value);
            for (const one of texts) if (told.includes(one)) known.add(one);
          }
          if (kind === "edit" && message_id) await call("discord.edit", { channel: "general", message_id, text });
          if (kind !== "say") return;
          const { value } = await call("discord.send", { channel: "general", text });
          sent.push((value as { message_id: string }).message_id);
        };
        const source = sources[which];
        if (kind === "delete" && source && !deleted.has(source.id)) {
          deleted.add(source.id);
          sandbox.as("olga").delete(source);
        }
        running.push(act().catch(() => {}));
        if (isAlone) await Promise.all(running);
      }
      await Promise.all(running);
      await settle();
      const gone = texts.filter((_, index) => deleted.has(sources[index]?.id ?? ""));
      const left = () => saidByBot(sandbox).filter((text) => gone.some((one) => text.includes(one)));
      await expect.poll(left).toEqual([]);
    },
  );
  await assert(property, { numRuns: 10 });
});
