import { describe, expect, it } from "vitest";
import type { MessageRecord } from "../../sandbox/world/records.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { Answers } from "../../src/gate/effects/answers.ts";
import { openTestAgent, type TestAgentOptions } from "../support/agent.ts";
import { createFakeTime } from "../support/fake-time.ts";
import { createManualTime } from "../support/manual-time.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { createScriptedAnswerer } from "../support/scripted-answerer.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";

async function arrive(options: Partial<TestAgentOptions> = {}) {
  const requests: string[] = [];
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse: ({ method, path }) => void requests.push(`${method} ${path.replaceAll(/\d{10,}/g, ":id")}`),
  });
  const answerer = createScriptedAnswerer();
  const world = await openTestAgent(sandbox, { answerer, time: createFakeTime(), ...options });
  const { botId } = world.edge.discord;
  const source = sandbox.as("mei").say("general", "The zeppelin lands at noon.");
  const ask = (person = "sarah") => sandbox.as(person).say("general", `<@${botId}> zeppelin`).id;
  const said = (): MessageRecord[] => {
    const { messages } = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "") ?? {};
    return [...(messages ?? [])].filter(({ authorId }) => authorId === botId);
  };
  const texts = () => said().map(({ content }) => content.replaceAll(/\(<https:[^)]+>\)/gu, "()"));
  const shows = (...expected: string[]) => expect.poll(texts).toEqual(expected);
  const isDone = (id: string) =>
    expect.poll(async () => (await world.store.find(id))?.state).toMatch(/^(?:done|withdrawn)$/u);
  return { answerer, requests, ...world, botId, source, ask, said, texts, shows, isDone };
}

const buttonsOf = (message: MessageRecord | undefined) => JSON.stringify(message?.more?.components ?? []);

describe("an answer that is being written", () => {
  it("is one message that grows by whole sentences, and has its buttons at the end", async () => {
    const { ask, answerer, shows, said, isDone, requests, store } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("It lands");
    answer.grow("It lands at noon. [m1] The");
    await shows("It lands at noon. [1]()");
    expect(buttonsOf(said()[0])).toBe("[]");
    await expect.poll(() => store.citing(9)).toMatchObject([{ questionId: question, sources: [{}] }]);
    answer.grow("It lands at noon. [m1] The **crew. And");
    answer.grow("It lands at noon. [m1] The **crew. And** all. So");
    await shows("It lands at noon. [1]() The **crew. And** all.");
    answer.finish("It lands at noon. [m1] The **crew. And** all. So be there");
    await isDone(question);
    await shows("It lands at noon. [1]() The **crew. And** all. So be there");
    expect(buttonsOf(said()[0])).toContain("agent:sources");
    expect(requests.filter((request) => request.startsWith("POST") && request.endsWith("messages"))).toHaveLength(1);
  });

  it("says first that it has no source when it cites nothing, also where its beginning was visible before", async () => {
    const { ask, answerer, shows, isDone } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At noon. The");
    await shows("At noon.");
    answer.finish("At noon. The end.");
    await isDone(question);
    await shows("Without a source: At noon. The end.");
  });

  it("takes at most three messages of which only the last one changes, and says that it is longer", async () => {
    const { ask, answerer, said, isDone, requests } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    const text = (count: number) => Array.from({ length: count }, (_, index) => `Sentence number ${index}. `).join("");
    for (const [count, messages] of [
      [40, 1],
      [120, 2],
      [220, 3],
      [400, 3],
    ] as const) {
      const before = said().map(({ content }) => content);
      answer.grow(`${text(count)}X`);
      await expect.poll(() => said().length).toBe(messages);
      await expect.poll(() => said().at(-1)?.content).not.toBe(before.at(-1));
      for (const [index, content] of before.slice(0, -1).entries()) expect(said()[index]?.content).toBe(content);
    }
    answer.finish(text(400), { sources: new Map() });
    await isDone(question);
    const [first, second, third] = said();
    expect(third?.content).toMatch(/longer than I can show here/u);
    expect([buttonsOf(first), buttonsOf(second)]).toEqual(["[]", "[]"]);
    expect(buttonsOf(third)).toContain("agent:ask");
    for (const { content } of said()) expect(content.length).toBeLessThanOrEqual(2_000);
    expect(requests.filter((request) => request.startsWith("POST") && request.endsWith("messages"))).toHaveLength(3);
  });

  it("becomes the sentence about the error when the answerer fails, in the same message", async () => {
    const { ask, answerer, shows, isDone } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At noon. [m1] The");
    await shows("At noon. [1]()");
    answer.fail(new EarshotError("unavailable", "The model does not answer."));
    await isDone(question);
    await shows("The model does not answer.");
  });

  it("ends quietly when a moderator deletes it, and is not posted again", async () => {
    const { sandbox, ask, answerer, shows, said, isDone, edge } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At noon. [m1] The");
    await shows("At noon. [1]()");
    const id = said()[0]?.id ?? "";
    sandbox.as("mei").delete(id);
    await edge.find("message_delete", ({ messageIds }) => messageIds.includes(id as never));
    answer.grow("At noon. [m1] The end. And");
    answer.finish("At noon. [m1] The end. And more.");
    await isDone(question);
    await shows();
  });

  it("is deleted when the sentence cannot take its place", async () => {
    const { sandbox, ask, answerer, shows, isDone, source } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At noon. [m1] The");
    await shows("At noon. [1]()");
    sandbox.faults.failRest({ match: /^PATCH/u, status: 403, times: 100 });
    sandbox.as("mei").delete(source);
    await isDone(question);
    await shows();
  });

  it("says one constant sentence when it is refused again in the second attempt", async () => {
    const { sandbox, ask, answerer, shows, isDone, source } = await arrive();
    const other = sandbox.as("mark").say("general", "Another zeppelin lands at dusk.");
    const question = ask();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await answerer.next();
      answer.grow(`${answer.found} [m1] The`);
      await shows(`${answer.found} [1]()`);
      if (answer.found === source.content) sandbox.as("mei").delete(source);
      else sandbox.as("mark").delete(other);
      await shows("I took this answer back.");
    }
    await isDone(question);
    await shows("I took this answer back.");
  });

  it("shows nothing of a person any more once that person was erased", async () => {
    const { ask, answerer, shows, texts, agent, source, isDone } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At noon. [m1] The");
    await shows("At noon. [1]()");
    await agent.eraser.erase(source.authorId as never);
    expect(texts()).toEqual(["I took this answer back."]);
    (await answerer.next()).finish("I don't know.", { sources: new Map() });
    await isDone(question);
    await shows("Without a source: I don't know.");
  });

  it("is slowed down by a rate limit and by edits whose outcome is unknown, and is completed", async () => {
    const problems = ["rate_limited", "outcome_unknown", "rate_limited"] as const;
    const left = [...problems];
    const time = createFakeTime();
    const wrapAnswers = (answers: Answers): Answers => ({
      ...answers,
      async edit(...args) {
        const code = left.shift();
        if (code !== "rate_limited") await answers.edit(...args);
        if (code) throw new EarshotError(code, "Not now.");
        return answers.edit(...args);
      },
    });
    const { ask, answerer, shows, isDone } = await arrive({ wrapAnswers, time });
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At noon. [m1] The");
    await shows("At noon. [1]()");
    answer.finish("At noon. [m1] The end.");
    await isDone(question);
    await shows("At noon. [1]() The end.");
    expect(left).toEqual([]);
    expect(Math.max(...time.waits)).toBeGreaterThanOrEqual(12_000);
  });

  // The steps of time leave a server no time to answer, and the pace of edits does not depend on where they are noted.
  it.skipIf(IS_ON_POSTGRES)(
    "shares one change in 1.5 seconds with all answers in the channel, however fast they grow",
    async () => {
      const time = createManualTime(Date.now());
      const { ask, answerer, requests, isDone, said } = await arrive({ time });
      const people = ["sarah", "mark", "mei", "olga", "sarah"];
      const questions = people.map((person) => ask(person));
      const answers = [];
      while (answers.length < questions.length) answers.push(await answerer.next());
      const changes = () => requests.filter((request) => /^(?:POST|PATCH) .*messages(?:\/:id)?$/u.test(request)).length;
      // 20 seconds in steps of 10 ms.
      for (let step = 0; step < 2_000; step += 1) {
        for (const answer of answers) answer.grow("Another sentence. ".repeat(1 + (step % 90)).concat("X"));
        await time.pass(10);
        if (step % 150 === 0) await expect.poll(changes).toBe(1 + step / 150);
      }
      expect(changes()).toBe(14);
      expect(said()).toHaveLength(5);
      for (const answer of answers) answer.finish("Done.", { sources: new Map() });
      for (let expected = 15; said().some(({ content }) => content !== "Without a source: Done."); expected += 1) {
        await time.pass(1_500);
        await expect.poll(changes).toBe(expected);
      }
      for (const question of questions) await isDone(question);
      expect(changes()).toBeLessThanOrEqual(20);
    },
  );

  it("has a hash of each of its edits in the audit, and none of its words", async () => {
    const { ask, answerer, shows, isDone, audited } = await arrive();
    const question = ask();
    const answer = await answerer.next();
    answer.grow("At teatime. The");
    await shows("At teatime.");
    answer.grow("At teatime. The crew. And");
    await shows("At teatime. The crew.");
    answer.finish("At teatime. The crew. And all. [m1]");
    await isDone(question);
    const rows = audited.map(({ row }) => row as { name?: string; detail_json?: string });
    const done = rows.filter(({ name }) => name === "edit_done").map(({ detail_json }) => detail_json ?? "");
    expect(new Set(done.map((detail) => JSON.parse(detail).bytes_hash)).size).toBe(2);
    expect(JSON.stringify(audited)).not.toContain("teatime");
  });
});
