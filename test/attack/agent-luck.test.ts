import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { EditPace } from "../../src/agent/edit-pace.ts";
import { MessageAgent } from "../../src/agent/message-agent.ts";
import { QUESTION_DELETED } from "../../src/agent/reply.ts";
import { toListener } from "../../src/discord/message-events.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import type { DiscordEvent, EventListener } from "../../src/ports/discord.ts";
import { openTestAgent, temporaryDatabase } from "../support/agent.ts";
import { createFakeTime } from "../support/fake-time.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { createScriptedAnswerer } from "../support/scripted-answerer.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const answerer = createScriptedAnswerer();
  const options = { answerer, file: temporaryDatabase(), time: createFakeTime() };
  const world = await openTestAgent(sandbox, options);
  const { botId } = world.edge.discord;
  const said = (): string[] => {
    const { messages } = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "") ?? {};
    return [...(messages ?? [])].filter(({ authorId }) => authorId === botId).map(({ content }) => content);
  };
  const ask = (text: string) => sandbox.as("sarah").say("general", `<@${botId}> ${text}`);
  const restart = async () => {
    await world.agent.close();
    const at = Date.now();
    await world.abandon();
    return openTestAgent(sandbox, { ...options, lastHeard: { load: async () => at, save: async () => {} } });
  };
  return { ...world, sandbox, answerer, botId, said, ask, restart };
}

it("answers are changed again soon after the clock was set back by an hour", async () => {
  const time = createFakeTime();
  const pace = new EditPace(time);
  const { signal } = new AbortController();
  const channel = "1" as ChannelId;
  await pace.turn(channel, { signal });
  time.advance(-3_600_000);
  await pace.turn(channel, { signal });
  await pace.turn(channel, { signal });
  expect(Math.max(...time.waits)).toBeLessThanOrEqual(1_500);
});

describe("a question that is edited", () => {
  it("is answered when the program ends before the answer to the edited question was said", async () => {
    const { sandbox, ask, answerer, botId, restart, said } = await arrive();
    const question = ask("zeppelin");
    await answerer.next();
    sandbox.as("sarah").edit(question, `<@${botId}> zeppelin lands`);
    await answerer.next();
    answerer.finishBy((answer) => answer.finish("At noon."));
    const { store } = await restart();
    await expect.poll(() => store.find(question.id)).toMatchObject({ state: "done" });
    expect(said()).toEqual(["Without a source: At noon."]);
  });

  it("is claimed, too, when it was edited before its turn came", async () => {
    const { sandbox, ask, answerer, botId, store, edge } = await arrive();
    ask("zeppelin");
    ask("airship");
    const first = await answerer.next();
    await answerer.next();
    const question = ask("balloon");
    await edge.find("message", ({ message }) => message.message_id === question.id);
    sandbox.as("sarah").edit(question, `<@${botId}> balloons`);
    await edge.find("message_update", ({ message }) => message.message_id === question.id);
    first.finish("At noon.");
    await answerer.next();
    expect(await store.find(question.id)).toMatchObject({ state: "claimed", attempts: 1 });
  });
});

it("a question that is found again after a gap while it is being answered is still called off when it is deleted", async () => {
  let tell: (event: DiscordEvent) => void = () => {};
  const listen = (listener: EventListener) => {
    tell = toListener(listener);
    return () => {};
  };
  const signals: AbortSignal[] = [];
  const deps = {
    discord: { botId: "1", listen },
    store: { finish: async () => {} },
    reply: {
      // The first attempt has claimed the question.
      async answer(_: Message, { signal }: { signal: AbortSignal }) {
        signals.push(signal);
        if (signals.length === 1 && !signal.aborted) await once(signal, "abort");
      },
    },
    holders: { offer: () => false, take() {} },
    clock: { now: () => 0 },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  };
  const agent = new MessageAgent(deps as never);
  const message = { message_id: "7", author: { id: "3" } } as Message;
  const first = agent.answer(message);
  await expect.poll(() => signals.length).toBe(1);
  await agent.answer(message, { isLate: true });
  tell({ type: "message_delete", channelId: "2" as ChannelId, messageIds: [message.message_id] });
  await first;
  expect(signals.map(({ reason }) => reason)).toEqual([QUESTION_DELETED]);
});
