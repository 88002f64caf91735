import { describe, expect, it } from "vitest";
import { typedText } from "../../src/domain/message.ts";
import { answerWith, openTestAgent, say } from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const TOO_MANY = /^You are asking faster than I can answer\./;
/** Two are answered at a time, and four wait. */
const MAX_OPEN = 6;

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const clock = { time: Date.now(), now: () => clock.time };
  const held = Promise.withResolvers<void>();
  const answerer = answerWith(async ({ text }) => {
    if (text !== "quick") await held.promise;
    return say("Here.");
  });
  const world = await openTestAgent(sandbox, { answerer, time: { clock } });
  const { botId } = world.edge.discord;
  const ask = (person: string, text = "slow", channel = "general") =>
    sandbox.as(person).say(channel, `<@${botId}> ${text}`).id;
  const askMany = (person: string) => Array.from({ length: MAX_OPEN }, () => ask(person));
  const isDeclined = async (id: string) => TOO_MANY.test(typedText(await world.answerTo(id)));
  const answersTo = (id: string) =>
    world.edge.of("message").filter(({ message }) => message.author.id === botId && message.reply_to?.message_id === id)
      .length;
  return { ...world, sandbox, clock, ask, askMany, isDeclined, answersTo, release: held.resolve };
}

describe("somebody who asks more than can be answered at once", () => {
  it("is told so once a minute, and everything that waits is answered once", async () => {
    const { ask, askMany, isDeclined, answersTo, answerTo, release, clock, store } = await arrive();
    const waiting = askMany("sarah");
    const first = ask("sarah");
    expect(await isDeclined(first)).toBe(true);
    expect(await store.find(first)).toMatchObject({ state: "done" });
    const silent = ask("sarah");
    clock.time += 59_999;
    await answerTo(ask("mark", "quick"));
    const alsoSilent = ask("sarah");
    await answerTo(ask("mark", "quick"));
    clock.time += 1;
    const next = ask("sarah");
    expect(await isDeclined(next)).toBe(true);
    expect([silent, alsoSilent].map(answersTo)).toEqual([0, 0]);
    release();
    for (const id of waiting) expect(await isDeclined(id)).toBe(false);
    expect([...waiting, first, next].map(answersTo)).toEqual(Array(MAX_OPEN + 2).fill(1));
  });

  it("is told separately from others, and is answered again as soon as there is room", async () => {
    const { ask, askMany, isDeclined, answersTo, release, answerTo } = await arrive();
    const waiting = [...askMany("sarah"), ...askMany("mark")];
    expect(await isDeclined(ask("sarah"))).toBe(true);
    expect(await isDeclined(ask("mark", "slow", "pier"))).toBe(true);
    release();
    for (const id of waiting) expect(await isDeclined(id)).toBe(false);
    expect(typedText(await answerTo(ask("sarah", "quick")))).toBe("Here.");
    expect(waiting.every((id) => answersTo(id) === 1)).toBe(true);
  });

  it("sees that go with the question, as any answer does", async () => {
    const { sandbox, ask, askMany, answerTo, edge, release } = await arrive();
    askMany("sarah");
    const question = ask("sarah");
    const { message_id } = await answerTo(question);
    sandbox.as("sarah").delete(question);
    await edge.find("message_delete", ({ messageIds }) => messageIds.includes(message_id));
    release();
  });
});
