import { describe, expect, it } from "vitest";
import { typedText } from "../../src/domain/message.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { QuestionHolders } from "../../src/policy/question-holders.ts";
import { answerWith, openTestAgent, say } from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const answerer = answerWith(async () => say("From Earshot itself."));

async function arrive({ holdMs }: { holdMs: number }) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const holders = new QuestionHolders({ now: () => Date.now() }, holdMs);
  const world = await openTestAgent(sandbox, { answerer, holders });
  const brain = { name: "brain", grant: { ...OPERATOR_GRANT, answers: true } };
  const { botId } = world.edge.discord;
  const ask = async (text = "where?") => {
    const { id } = sandbox.as("sarah").say("general", `<@${botId}> ${text}`);
    const { message } = await world.edge.find("message", (event) => event.message.message_id === id);
    return message;
  };
  const send = (message: Awaited<ReturnType<typeof ask>>, operation = world.operations.openFor(brain, message)) => {
    const args = { channel_id: message.channel_id, reply_to: message.message_id, text: "From the brain." };
    return world.gate.callTool({ name: "discord.send", args, operation });
  };
  return { sandbox, ...world, holders, brain, ask, send };
}

describe("a connected program that answers people", () => {
  it("is given each question, and Earshot's own agent stays silent", async () => {
    const { holders, brain, ask, send, answerTo, edge } = await arrive({ holdMs: 60_000 });
    const leave = holders.connect(brain);
    const question = await ask();
    await send(question);
    expect(typedText(await answerTo(question.message_id))).toBe("From the brain.");
    leave();
    const next = await ask();
    expect(typedText(await answerTo(next.message_id))).toBe("From Earshot itself.");
    const own = edge.of("message").filter(({ message }) => message.author.id === edge.discord.botId);
    expect(own).toHaveLength(2);
  });

  it("loses a question that it is silent about: ours is the answer, and its own is refused", async () => {
    const { holders, brain, ask, send, answerTo, operations } = await arrive({ holdMs: 50 });
    holders.connect(brain);
    const question = await ask();
    const operation = operations.openFor(brain, question);
    expect(typedText(await answerTo(question.message_id))).toBe("From Earshot itself.");
    await expect(send(question, operation)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is passed over where it may not be told of the question", async () => {
    const { holders, brain, ask, answerTo } = await arrive({ holdMs: 60_000 });
    holders.connect({ ...brain, grant: { ...brain.grant, guilds: [] } });
    expect(typedText(await answerTo((await ask()).message_id))).toBe("From Earshot itself.");
  });
});
