import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { toReviewPrompt } from "../../src/domain/review-prompt.ts";
import type { ContextWindow } from "../../src/transports/library/act-as.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** `before`: what was said while nobody listened. */
async function arrive(before: (sandbox: Sandbox) => void = () => {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  before(sandbox);
  const test = await openTestGate(sandbox);
  const bot = `<@${test.edge.discord.botId}>`;
  interface Asked {
    readonly as?: string;
    readonly in?: string;
    readonly by?: { readonly id: string };
    readonly args?: object;
  }
  /** What the agent is told, as programs get it and as its model reads it. */
  const look = async ({ as = "sarah", in: place = "general", by, args = {} }: Asked = {}) => {
    await test.settle();
    const request = by ? { messageId: by.id as MessageId } : {};
    const operation = await test.open(as, place, {}, request);
    const name = "context.window";
    const { value, text } = await test.gate.callTool({ name, args, operation, wantsText: true });
    return { ...(value as ContextWindow), all: text ?? "", operation };
  };
  const calls = () => test.edge.discord.stats().restCalls;
  return { ...test, bot, look, calls };
}

describe("the context window of an addressed agent", () => {
  it("has the recent messages with their authors, and then the request", async () => {
    const { sandbox, bot, look } = await arrive();
    const said = sandbox.as("mark").say("general", "anyone seen my paddle?");
    sandbox.as("sarah").reply(said, "under the pier");
    const asked = sandbox.as("sarah").say("general", `${bot} who lost something?`);
    const { turns, all, request } = await look({ by: asked });
    expect(turns.map(({ kind, role }) => [kind, role])).toEqual([
      ["window", "user"],
      ["request", "user"],
    ]);
    expect(all).toContain("thread (mark, you):\n  mark: anyone seen my paddle?\n  you: under the pier");
    expect(turns.at(-1)?.text).toBe("you: @Earshot who lost something?");
    expect(request?.message_id).toBe(asked.id);
    expect(all.match(/who lost something/g)).toHaveLength(1);
  });

  it("gives each line a handle where an answer is to cite it, and the handle stands for the message afterwards", async () => {
    const { sandbox, bot, look, gate } = await arrive();
    const root = sandbox.as("mark").say("general", "which keel?");
    const second = sandbox.as("mei").reply(root, "the red one");
    sandbox.as("mei").say("general", "(m9) lunch at one");
    const asked = sandbox.as("sarah").reply(second, `${bot} is it true?`);
    const { turns, operation } = await look({ by: asked, args: { handles: true } });
    expect(turns[1]?.text).toMatch(/\[reply chain\]\n {2}\(m\d+\) mark: which keel\?\n {2}\(m\d+\) mei: the red one/);
    expect(turns[0]?.text).toMatch(/\n {2}\(m\d+\) mei: \(m9\) lunch at one/);
    const handle = /\((m\d+)\) mei: the red one/.exec(turns[1]?.text ?? "")?.[1];
    const args = { message_id: handle };
    const { value } = await gate.callTool({ name: "get_message_context", args, operation });
    expect(value).toMatchObject({ message_id: second.id });
  });

  it("has the reply chain separately, each message once, back to a deleted one", async () => {
    const { sandbox, bot, look } = await arrive();
    const lost = sandbox.as("mark").say("general", "the very first");
    const root = sandbox.as("mark").reply(lost, "which keel?");
    const second = sandbox.as("mei").reply(root, "the red one");
    sandbox.as("mei").say("general", "lunch at one");
    sandbox.as("mark").reply(root, "a branch of it");
    sandbox.as("mark").delete(lost);
    const asked = sandbox.as("sarah").reply(second, `${bot} is it true?`);
    const { turns, chain, all } = await look({ by: asked });
    expect(turns.map(({ kind }) => kind)).toEqual(["window", "chain", "request"]);
    expect(chain.messages.map(({ content }) => content)).toEqual(["which keel?", "the red one"]);
    expect(turns[1]?.text).toContain("[reply chain]\n  mark: which keel?\n  mei: the red one\n");
    expect(turns[0]?.text).toContain("a branch of it");
    for (const text of ["which keel?", "the red one", "lunch at one", "a branch of it"])
      expect(all.split(text)).toHaveLength(2);
    expect(["deleted", "absent"]).toContain(chain.end);
    expect(turns[1]?.text).toMatch(
      /The chain goes further back; the message before (was deleted|cannot be read here)\./,
    );
  });

  it("needs no request to Discord when the channel is in memory, and few otherwise", async () => {
    const steps: string[] = [];
    const talk = (sandbox: Sandbox) => {
      let last = sandbox.as("mark").say("general", "step 0");
      for (let step = 1; step <= 30; step += 1) {
        for (let other = 0; other < 4; other += 1) sandbox.as("mei").say("general", `chatter ${step} ${other}`);
        last = sandbox.as(step % 2 ? "sarah" : "mark").reply(last, `step ${step}`);
      }
      steps.push(last.id);
    };
    const { sandbox, bot, look, calls, settle } = await arrive(talk);
    const last = { channelId: sandbox.community.channels.get("general") ?? "", id: steps[0] ?? "" };
    const asked = sandbox.as("sarah").reply(last, `${bot} go on`);
    await settle();
    const before = calls();
    const cold = await look({ by: asked });
    expect(cold.chain.messages.map(({ content }) => content)).toEqual(
      Array.from({ length: 25 }, (_, index) => `step ${index + 6}`),
    );
    expect(cold.chain.end).toBe("long");
    expect(calls() - before).toBe(2);
    const warm = calls();
    const again = await look({ by: asked });
    expect(calls() - warm).toBe(0);
    expect(again.threads).toEqual(cold.threads);
  });

  it("shows the first message of a thread, and supports posts and direct messages", async () => {
    const { sandbox, bot, look } = await arrive();
    const start = sandbox.as("mark").say("general", "shall we paint the boat?");
    const thread = sandbox.as("mark").openThread({ on: start }, "Painting");
    sandbox.as("mei").say(thread.id, "green!");
    const asked = sandbox.as("sarah").say(thread.id, `${bot} which colour?`);
    const told = await look({ in: thread.id, by: asked });
    expect(told.starter?.content).toBe("shall we paint the boat?");
    expect(told.all).toContain('window of thread "Painting"');
    expect(told.all).toContain("starter (mark):\n  shall we paint the boat?\n\nstandalone (mei):\n  green!");
    const dm = sandbox.as("sarah").dm("psst, the tide?");
    const letters = await look({ in: dm.channelId, by: dm });
    expect(letters.turns.map(({ text }) => text)).toEqual(["you: psst, the tide?"]);
  });

  it("has neither the bot's prompts for review nor the labels of its buttons", async () => {
    const { sandbox, bot, look, edge } = await arrive();
    const first = sandbox.as("sarah").say("general", `${bot} remember the keel`);
    const send = (text: string) => {
      const buttons = [{ id: "show", label: "Press me" }];
      const draft = { text, mentions: [], replyTo: first.id as MessageId, buttons };
      return edge.discord.send(first.channelId as ChannelId, draft, { recheck() {} });
    };
    await send("The keel is red.");
    const prompt = await send(toReviewPrompt("1047000000000000001" as UserId));
    const { all } = await look({ by: sandbox.as("sarah").say("general", `${bot} and now?`) });
    expect(all).toContain("The keel is red.");
    expect(all).not.toMatch(/review|Press me/);
    const reply = sandbox.as("sarah").reply({ ...first, id: prompt.message_id }, `${bot} what is it?`);
    expect((await look({ by: reply })).all).not.toMatch(/review|Press me/);
  });

  it("has only the request if isolation was asked for, without the isolation emoji", async () => {
    const { sandbox, bot, look, calls, settle } = await arrive();
    const root = sandbox.as("mark").say("general", "which keel?");
    const asked = sandbox.as("sarah").reply(root, `${bot} two and two? 🚫`);
    await settle();
    const before = calls();
    const { turns, isolated, threads, chain } = await look({ by: asked });
    expect(isolated).toBe(true);
    expect(turns.map(({ text }) => text)).toEqual(["you: @Earshot two and two?"]);
    expect(threads).toEqual([]);
    expect(chain.messages).toEqual([]);
    expect(calls() - before).toBe(0);
  });

  it("is empty without messages", async () => {
    const { look } = await arrive();
    expect(await look({ in: "pier" })).toMatchObject({ turns: [], all: "", left_out: { threads: 0, messages: 0 } });
  });

  it("fits its budget, and says what it leaves out", async () => {
    const { sandbox, look } = await arrive();
    for (let count = 0; count < 60; count += 1)
      sandbox.as(count % 3 ? "mark" : "mei").say("general", `line ${count} of a long talk about the harbour wall`);
    for (const max_tokens of [200, 300, 500, 2_000]) {
      const { turns, left_out, threads } = await look({ args: { max_tokens } });
      expect(turns.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(max_tokens);
      const shown = threads.reduce((sum, { messages }) => sum + messages.length, 0);
      expect(shown + left_out.messages).toBe(60);
      expect(turns[0]?.text).toContain(`${left_out.messages} older messages are left out`);
    }
  });

  it("fits its budget for any name and first message of a thread, and any length of the reply chain", async () => {
    const { sandbox, bot, look } = await arrive();
    const start = sandbox.as("mark").say("general", "潮汐表".repeat(300));
    const thread = sandbox.as("mark").openThread({ on: start }, "潮".repeat(100));
    let last = sandbox.as("mei").say(thread.id, "港口".repeat(200));
    for (let step = 0; step < 8; step += 1) last = sandbox.as("mei").reply(last, `第${step}步`.repeat(60));
    const asked = sandbox.as("sarah").reply(last, `${bot} ?`);
    for (const max_tokens of [500, 900, 2_000]) {
      const { turns } = await look({ in: thread.id, by: asked, args: { max_tokens } });
      const told = turns.filter(({ kind }) => kind !== "request").reduce((sum, { tokens }) => sum + tokens, 0);
      expect(told).toBeLessThanOrEqual(max_tokens);
    }
  });

  it("contains at most four images, and none that is too large inline", async () => {
    const { sandbox, bot, look } = await arrive();
    const png = (name: string, size: number) => ({
      filename: `${name}.png`,
      contentType: "image/png",
      bytes: new Uint8Array(size).fill(1),
    });
    const attachments = [png("large", 2 * 1024 * 1024 + 1), ...["a", "b", "c", "d"].map((name) => png(name, 3))];
    const asked = sandbox.as("sarah").say("general", { content: `${bot} look`, attachments });
    const { pictures } = await look({ by: asked, args: { pictures: "base64" } });
    expect(pictures.map(({ filename, base64 }) => [filename, base64 !== null])).toEqual([
      ["large.png", false],
      ["a.png", true],
      ["b.png", true],
      ["c.png", true],
    ]);
  });

  it("names images, and contains them as URLs or inline", async () => {
    const { sandbox, bot, look } = await arrive();
    const file = (filename: string, contentType: string) => ({
      filename,
      contentType,
      bytes: new Uint8Array([1, 2, 3]),
    });
    sandbox.as("mark").say("general", { content: "the hull", attachments: [file("hull.png", "image/png")] });
    const attachments = [file("sail.png", "image/png"), file("notes.txt", "text/plain")];
    const asked = sandbox.as("sarah").say("general", { content: `${bot} compare`, attachments });
    const byUrl = await look({ by: asked });
    expect(byUrl.pictures.map(({ filename, base64 }) => [filename, base64])).toEqual([
      ["sail.png", null],
      ["hull.png", null],
    ]);
    expect(byUrl.pictures[0]?.url).toMatch(/^http.*sail\.png/);
    expect(byUrl.turns.at(-1)?.text).toMatch(
      /^you: @Earshot compare\n⟦untrusted \S+ · files in the request⟧\n-: sail.png\n-: notes.txt\n⟦end \S+⟧$/,
    );
    const whole = await look({ by: asked, args: { pictures: "base64" } });
    expect(whole.pictures.map(({ base64 }) => base64)).toEqual(["AQID", "AQID"]);
    expect((await look({ by: asked, args: { pictures: "none" } })).pictures).toEqual([]);
  });

  it("contains nothing outside the audience of the channel, and is recorded in the audit", async () => {
    const { sandbox, bot, look, audited, edge } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.as("mei").say("staff-room", "the budget is secret");
    const staff = sandbox.community.channels.get("staff-room") as ChannelId;
    await expect.poll(() => edge.discord.directory.channel(staff)?.hidden).toBe(false);
    sandbox.as("mark").say("general", `see <#${staff}>`);
    const asked = sandbox.as("mei").say("general", `${bot} what now?`);
    const { all, operation } = await look({ as: "mei", by: asked });
    expect(all).toContain(`see <#${staff}>`);
    expect(all).not.toContain("staff-room");
    expect([...operation.label.channels.keys()]).toEqual([sandbox.community.channels.get("general")]);
    await expect(look({ as: "sarah", args: { channel: staff } })).rejects.toThrow("There is no such channel");
    const sources = audited.filter((entry) => JSON.stringify(entry).includes(operation.id));
    expect(JSON.stringify(sources)).toContain("context.window");
  });

  it("is not offered to a model as a tool", async () => {
    const { gate } = await arrive();
    expect(gate.tools.filter(({ isForPrograms }) => isForPrograms).map(({ name }) => name)).toEqual(["context.window"]);
  });
});
