import { describe, expect, it } from "vitest";
import { typedText } from "../../src/domain/message.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { QuestionHolders } from "../../src/policy/question-holders.ts";
import { answerWith, openTestAgent, say } from "../support/agent.ts";
import { until } from "../support/edge.ts";
import { serveRpc } from "../support/full-rpc.ts";
import { connectRaw, type Frame, type RawRpc } from "../support/raw-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const HOLD_MS = 30;
const OURS = "From Earshot itself.";
const answerer = answerWith(async () => say(OURS));

/** Programs over real sockets. The clock stands still: a question is lost only when a test lets time pass. */
async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const clock = { time: Date.now(), now: () => clock.time };
  const holders = new QuestionHolders(clock, HOLD_MS);
  const world = await openTestAgent(sandbox, { answerer, holders });
  const rpc = await serveRpc(world);
  const { botId } = world.edge.discord;
  const connect = (name: string, { cursor, ...grant }: Partial<Grant> & { cursor?: string } = {}) => {
    const token = () => rpc.token(name, { answers: true, events: "addressed", ...grant });
    return connectRaw({ url: rpc.url, token }, name, cursor);
  };
  const ask = (text: string) => sandbox.as("sarah").say("general", `<@${botId}> ${text}`).id;
  const wait = (ms: number) => {
    clock.time += ms;
  };
  /** The texts of all answers to a question, as everybody sees them. */
  const answersTo = (id: string) =>
    [...(sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "")?.messages ?? [])]
      .filter(({ authorId, more }) => authorId === botId && more?.reference?.messageId === id)
      .map(({ content }) => content);
  /** Everything that may still be said was said when a later question has its answer. */
  const settle = async () => {
    wait(10 * HOLD_MS);
    await world.answerTo(sandbox.as("olga").dm("settled?").id);
  };
  const gone = (client: RawRpc) => {
    const left = rpc.transport.stats().connections - 1;
    client.socket.terminate();
    return until(() => rpc.transport.stats().connections === left, "the connection did not end");
  };
  const channel_id = sandbox.community.channels.get("general") ?? "";
  return { ...world, sandbox, rpc, connect, ask, wait, answersTo, settle, gone, channel_id };
}

type World = Awaited<ReturnType<typeof arrive>>;

/** The question as the program hears it, with its operation. */
async function hear(client: RawRpc, id: string): Promise<Frame & { readonly operation_id: string }> {
  const isMeant = ({ op, payload }: Frame) =>
    op === "event/discord.message" && (payload as { message_id: string }).message_id === id;
  const frame = await client.find(isMeant);
  if (frame.operation_id === undefined) throw new Error("the question came without an operation");
  return { ...frame, operation_id: frame.operation_id };
}

/** Answers over the socket; `ok`, or the code of the error. */
async function answer(client: RawRpc, { channel_id }: World, id: string, operationId?: string): Promise<string> {
  const operation = operationId ?? (await hear(client, id)).operation_id;
  const sent = await client.call("discord.send", { channel_id, reply_to: id, text: "From the brain." }, operation);
  return "error" in sent ? sent.error.code : "ok";
}

describe("a connected program that answers people", () => {
  it("is given each question, and its answer is the only one", async () => {
    const world = await arrive();
    const brain = await world.connect("brain", { directMessages: false });
    const question = world.ask("where?");
    expect(await answer(brain, world, question)).toBe("ok");
    await world.settle();
    expect(world.answersTo(question)).toEqual(["From the brain."]);
    // Afterwards it may say more about it: the question is its own.
    expect(await answer(brain, world, question)).toBe("ok");
    expect(world.answersTo(question)).not.toContain(OURS);
  });

  it("keeps a question for as long as its calls are less than the time for silence apart", async () => {
    const world = await arrive();
    const brain = await world.connect("brain");
    const question = world.ask("where?");
    const { operation_id } = await hear(brain, question);
    for (let count = 0; count < 4; count += 1) {
      world.wait(HOLD_MS - 1);
      const read = await brain.call("get_recent_messages", {}, operation_id);
      expect(read).not.toHaveProperty("error");
    }
    world.wait(HOLD_MS - 1);
    expect(await answer(brain, world, question)).toBe("ok");
    await world.gone(brain);
    await world.settle();
    expect(world.answersTo(question)).toEqual(["From the brain."]);
  });

  it("loses a question that it is silent about: ours is the answer, and what it says to it fails with conflict", async () => {
    const world = await arrive();
    const brain = await world.connect("brain");
    const question = world.ask("where?");
    const { operation_id } = await hear(brain, question);
    // A call outside of the question's operation is no sign of work on it.
    await brain.call("describe");
    world.wait(HOLD_MS);
    expect(typedText(await world.answerTo(question))).toBe(OURS);
    expect(await answer(brain, world, question, operation_id)).toBe("conflict");
    const typed = await brain.call("operation.open", {
      actor: world.sandbox.as("sarah").id,
      channel_id: world.channel_id,
      message_id: question,
    });
    const { operation_id: another } = (typed as unknown as { value: { operation_id: string } }).value;
    expect(await answer(brain, world, question, another)).toBe("conflict");
    expect(world.answersTo(question)).toEqual([OURS]);
  });

  it("loses a question when it disconnects and stays away: what it says to it after it has reconnected fails", async () => {
    const world = await arrive();
    const brain = await world.connect("brain");
    const question = world.ask("where?");
    const { operation_id, cursor } = await hear(brain, question);
    await world.gone(brain);
    world.wait(HOLD_MS);
    expect(typedText(await world.answerTo(question))).toBe(OURS);
    const again = await world.connect("brain", cursor === undefined ? {} : { cursor });
    expect(await answer(again, world, question, operation_id)).toBe("conflict");
    expect(world.answersTo(question)).toEqual([OURS]);
    const next = world.ask("when?");
    expect(await answer(again, world, next)).toBe("ok");
    expect(world.answersTo(next)).toEqual(["From the brain."]);
  });

  it("keeps a question over a short loss of its connection", async () => {
    const world = await arrive();
    const brain = await world.connect("brain", { directMessages: false });
    const { cursor = "" } = await hear(brain, world.ask("before?"));
    const question = world.ask("where?");
    await hear(brain, question);
    await world.gone(brain);
    world.wait(HOLD_MS - 1);
    const again = await world.connect("brain", { cursor, directMessages: false });
    expect(await answer(again, world, question)).toBe("ok");
    await world.settle();
    expect(world.answersTo(question)).toEqual(["From the brain."]);
  });

  it("is not waited for once it has disconnected, nor where it may not be told of the question", async () => {
    const world = await arrive();
    const [brain, other] = [await world.connect("brain"), await world.connect("brain")];
    await world.gone(other);
    const first = world.ask("where?");
    expect(await answer(brain, world, first)).toBe("ok");
    await world.gone(brain);
    expect(typedText(await world.answerTo(world.ask("when?")))).toBe(OURS);
    await world.connect("elsewhere", { guilds: [] });
    expect(typedText(await world.answerTo(world.ask("who?")))).toBe(OURS);
    expect(world.answersTo(first)).toEqual(["From the brain."]);
  });
});

describe("two connected programs that answer people", () => {
  it("both hear a question, and only the one that connected first may answer it", async () => {
    const world = await arrive();
    const [first, second] = [await world.connect("first"), await world.connect("second")];
    const question = world.ask("where?");
    expect(await answer(second, world, question)).toBe("conflict");
    expect(await answer(first, world, question)).toBe("ok");
    expect(await answer(second, world, question)).toBe("conflict");
    await world.gone(first);
    const next = world.ask("when?");
    expect(await answer(second, world, next)).toBe("ok");
    expect(world.answersTo(question)).toEqual(["From the brain."]);
    expect(world.answersTo(next)).toEqual(["From the brain."]);
  });

  it("have both lost a question about which the first is silent", async () => {
    const world = await arrive();
    const [first, second] = [await world.connect("first"), await world.connect("second")];
    const question = world.ask("where?");
    const { operation_id } = await hear(second, question);
    world.wait(HOLD_MS - 1);
    // The question is not its own: this renews nothing.
    await second.call("get_recent_messages", {}, operation_id);
    world.wait(1);
    expect(typedText(await world.answerTo(question))).toBe(OURS);
    expect(await answer(first, world, question)).toBe("conflict");
    expect(await answer(second, world, question)).toBe("conflict");
    expect(world.answersTo(question)).toEqual([OURS]);
  });
});
