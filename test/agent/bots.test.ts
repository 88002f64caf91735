import { expect, it } from "vitest";
import { openBotAskers } from "../../src/agent/bot-askers.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import type { Message } from "../../src/domain/message.ts";
import { openTestAgent } from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

it("a bot that mentions the agent in reply to each of its answers is answered five times at most until a person speaks", async () => {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const clock = { time: Date.now(), now: () => clock.time };
  const parts: { mayAnswer?: (message: Message) => boolean } = {};
  const world = await openTestAgent(sandbox, {
    answerer: createBuiltinAnswerer(),
    mayAnswerBot: (message) => parts.mayAnswer?.(message) ?? false,
  });
  const { discord } = world.edge;
  const store = { load: async () => [], put: async () => {}, remove: async () => {} };
  const gabriel = sandbox.as("gabriel");
  const askers = await openBotAskers({
    ...{
      store,
      botId: discord.botId,
      answersBots: [gabriel.id as never],
      directory: discord.directory,
      clock,
      log: quiet,
    },
  });
  parts.mayAnswer = (message) => askers.mayAnswer(message);
  let answers = 0;
  // Each answer is answered at once, and a minute passes: nothing but the limit ends it.
  discord.listen((event) => {
    askers.note(event);
    if (event.type !== "message" || event.message.author.id !== discord.botId || event.message.guild_id === null)
      return;
    answers += 1;
    clock.time += 61_000;
    if (answers < 50) gabriel.reply(event.message.message_id, `<@${discord.botId}> who knows about the ${answers}?`);
  });
  /** The bot's reply to this many answers was heard, and with that it was decided whether it is answered. */
  const isHeard = (count: number) =>
    world.edge.find("message", ({ message }) => message.content.endsWith(`the ${count}?`));
  gabriel.say("general", `<@${discord.botId}> what is going on?`);
  await isHeard(5);
  await world.answerTo(sandbox.as("olga").dm("hello").id);
  expect(answers).toBe(5);
  sandbox.as("sarah").say("general", "Stop it, you two.");
  gabriel.say("general", `<@${discord.botId}> what did she say?`);
  await isHeard(10);
  await world.answerTo(sandbox.as("olga").dm("hello").id);
  expect(answers).toBe(10);
});
