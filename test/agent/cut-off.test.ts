import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { answerWith, killAt, openTestAgent, say, temporaryDatabase } from "../support/agent.ts";
import { until } from "../support/edge.ts";
import { createManualTime } from "../support/manual-time.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GIVEN_UP = /^I was interrupted each time I tried to answer this/;

/** What the bot has said, as everybody sees it. */
function saidByBot(sandbox: Sandbox): string[] {
  const id = sandbox.community.channels.get("general") ?? "";
  const bot = sandbox.community.people.get("earshot");
  const all = [...(sandbox.world.channels.get(id)?.messages ?? [])];
  return all.filter(({ authorId }) => authorId === bot).map(({ content }) => content);
}

/** A program that is started again and again in the same folder, with time that passes only when the test lets it. */
async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const file = temporaryDatabase();
  const time = createManualTime(Date.now());
  /** The texts of the questions that were begun since the last start, and how long something waits. */
  const [begun, waits]: [string[], number[]] = [[], []];
  const delay = (ms: number) => {
    waits.push(ms);
    return time.delay(ms);
  };
  const answerer = answerWith(async ({ text }) => {
    begun.push(text);
    if (text.includes("deadly")) await new Promise<never>(() => {});
    return say(`Answer to ${text}`);
  });
  const start = async (more: Partial<Parameters<typeof openTestAgent>[1]> = {}) => {
    begun.length = 0;
    waits.length = 0;
    return openTestAgent(sandbox, { answerer, file, time: { clock: time.clock, delay }, ...more });
  };
  const ask = (who: string, text: string) =>
    sandbox.as(who).say("general", `<@${sandbox.community.people.get("earshot")}> ${text}`).id;
  const isBegun = (text: string) => until(() => begun.includes(text), `${text} was not begun`);
  return { sandbox, time, begun, waits, start, ask, isBegun };
}

describe("a question whose answer a clean stop calls off", () => {
  it("is begun at once at each start, however often that happens", async () => {
    const { sandbox, waits, start, ask, isBegun } = await arrive();
    let agent = await start();
    const question = ask("sarah", "deadly");
    for (let count = 0; count < 2; count += 1) {
      await isBegun("deadly");
      await agent.agent.close();
      await agent.abandon();
      agent = await start();
    }
    await isBegun("deadly");
    expect(waits).toEqual([]);
    await agent.agent.close();
    await agent.abandon();
    sandbox.as("sarah").edit(question, `<@${sandbox.community.people.get("earshot")}> harmless`);
    agent = await start();
    await agent.answerTo(question);
    expect(saidByBot(sandbox)).toEqual(["Answer to harmless"]);
  });
});

describe("a question whose answer meets an outage of Discord", () => {
  it("is begun again after the same pauses, answered once, and told nothing else", async () => {
    const { sandbox, time, waits, start, ask } = await arrive();
    const agent = await start({ edgeDelay: async () => {} });
    sandbox.faults.failRest({ match: /^POST .*\/messages$/, status: 500, times: 1_000 });
    const question = ask("sarah", "hello");
    await expect.poll(() => waits).toEqual([MINUTE]);
    sandbox.faults.clear();
    await time.pass(MINUTE);
    await agent.answerTo(question);
    await expect.poll(() => agent.store.find(question)).toMatchObject({ state: "done" });
    expect(saidByBot(sandbox)).toEqual([expect.stringMatching(/Answer to hello$/)]);
  });
});

describe("a question that ends the process each time", () => {
  it("is begun again after growing pauses, five times, whenever the program is started, and then given up once", async () => {
    const { sandbox, time, begun, waits, start, ask, isBegun } = await arrive();
    const first = await start();
    const question = ask("sarah", "deadly");
    await isBegun("deadly");
    await first.abandon();
    const second = await start();
    await isBegun("deadly");
    expect(waits).toEqual([]);
    await second.abandon();
    for (const pause of [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]) {
      // Whoever starts it again in between does not shorten the pause, nor begin it anew.
      const early = await start();
      await expect.poll(() => waits).toEqual([pause]);
      await early.abandon();
      await time.pass(pause / 4);
      const agent = await start();
      await expect.poll(() => waits).toEqual([(pause * 3) / 4]);
      await time.pass((pause * 3) / 4 - 1);
      expect(begun).toEqual([]);
      await time.pass(1);
      await isBegun("deadly");
      await agent.abandon();
    }
    expect(saidByBot(sandbox)).toEqual([]);
    for (let count = 0; count < 2; count += 1) {
      const agent = await start();
      await expect.poll(() => agent.store.find(question)).toMatchObject({ state: "done" });
      expect(saidByBot(sandbox)).toEqual([expect.stringMatching(GIVEN_UP)]);
      expect(begun).toEqual([]);
      await agent.abandon();
    }
  });

  it("is given up after a day without another attempt, once, also if the process is killed right after that was said", async () => {
    const { sandbox, time, begun, start, ask, isBegun } = await arrive();
    const first = await start();
    const question = ask("sarah", "deadly");
    await isBegun("deadly");
    await first.abandon();
    await time.pass(25 * HOUR);
    const killed = Promise.withResolvers<void>();
    const second = await start({ wrapStore: killAt("notePosted", "before", killed.resolve) });
    await killed.promise;
    await second.abandon();
    await time.pass(MINUTE);
    const third = await start();
    await expect.poll(() => third.store.find(question)).toMatchObject({ state: "done" });
    expect([begun, saidByBot(sandbox)]).toEqual([[], [expect.stringMatching(GIVEN_UP)]]);
  });

  it("is given up together with others of its channel, in reply to the newest that stands", async () => {
    const { sandbox, time, begun, start, ask, isBegun } = await arrive();
    const first = await start();
    const questions = [ask("sarah", "deadly one"), ask("mei", "deadly two"), ask("mark", "deadly three")];
    for (const text of ["deadly one", "deadly two", "deadly three"]) await isBegun(text);
    await first.abandon();
    await time.pass(25 * HOUR);
    sandbox.as("mark").delete(questions[2] ?? "");
    const second = await start();
    for (const id of questions)
      await expect.poll(async () => (await second.store.find(id))?.state ?? "done").toBe("done");
    expect(saidByBot(sandbox)).toEqual([expect.stringContaining("answer this and 2 other questions here, and")]);
    expect(begun).toEqual([]);
  });

  it("is given up without a word where even saying so ends the process", async () => {
    const { sandbox, time, start, ask, isBegun } = await arrive();
    const first = await start();
    const question = ask("sarah", "deadly");
    await isBegun("deadly");
    await first.abandon();
    await time.pass(25 * HOUR);
    for (let count = 0; count < 6; count += 1) {
      const killed = Promise.withResolvers<void>();
      const agent = await start({ wrapStore: killAt("plan", "before", killed.resolve) });
      await killed.promise;
      await agent.abandon();
      await time.pass(6 * HOUR);
    }
    const last = await start();
    await expect.poll(() => last.store.find(question)).toMatchObject({ state: "done", attempts: 7 });
    expect(saidByBot(sandbox)).toEqual([]);
  });

  it("does not keep others from their answers, nor cut them off with it for long", async () => {
    const { sandbox, time, waits, start, ask, isBegun } = await arrive();
    let agent = await start();
    const deadly = ask("sarah", "deadly");
    await isBegun("deadly");
    const slow = ask("mark", "slow and deadly today");
    await isBegun("slow and deadly today");
    await agent.abandon();
    agent = await start();
    await Promise.all([isBegun("deadly"), isBegun("slow and deadly today")]);
    await agent.abandon();
    // By now it harms nobody.
    sandbox.as("mark").edit(slow, `<@${sandbox.community.people.get("earshot")}> harmless`);
    agent = await start();
    await expect.poll(() => waits.length).toBe(1);
    await agent.answerTo(ask("olga", "hello"));
    await time.pass(MINUTE);
    await isBegun("deadly");
    await agent.abandon();
    agent = await start();
    await agent.answerTo(slow);
    expect(await agent.store.find(slow)).toMatchObject({ attempts: 3 });
    expect(await agent.store.find(deadly)).toMatchObject({ state: "claimed", attempts: 3 });
    await expect.poll(() => waits).toEqual([10 * MINUTE]);
  });

  it("is forgotten when it is deleted, or its author erased, while it waits", async () => {
    for (const isErased of [false, true]) {
      const { sandbox, time, begun, waits, start, ask, isBegun } = await arrive();
      let agent = await start();
      const question = ask("sarah", "deadly");
      for (let count = 0; count < 2; count += 1) {
        await isBegun("deadly");
        await agent.abandon();
        agent = await start();
      }
      await expect.poll(() => waits).toEqual([MINUTE]);
      if (isErased) await agent.agent.eraser.erase(sandbox.as("sarah").id as never);
      else sandbox.as("sarah").delete(question);
      await time.pass(MINUTE);
      await expect.poll(() => agent.store.find(question)).toMatchObject({ state: "done" });
      expect([begun, saidByBot(sandbox)]).toEqual([[], []]);
    }
  });
});
