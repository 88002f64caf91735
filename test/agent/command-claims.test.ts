import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { MessageRecord } from "../../sandbox/world/records.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { type AnswerStore, toCommandQuestion } from "../../src/ports/answer-store.ts";
import { killAt, openTestAgent, quoting, temporaryDatabase } from "../support/agent.ts";
import { until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openAgentCommand } from "./open-agent-command.ts";

async function open(sandbox: Sandbox, file: string, wrapStore?: (store: AnswerStore) => AnswerStore) {
  const world = await openTestAgent(sandbox, { answerer: quoting, file, ...(wrapStore && { wrapStore }) });
  const commands = openAgentCommand(world);
  await commands.offered;
  return { ...world, commands };
}

/** What the bot has said in #general, or promised to say. */
function saidByBot(sandbox: Sandbox): MessageRecord[] {
  const id = sandbox.community.channels.get("general") ?? "";
  const bot = sandbox.community.people.get("earshot");
  return [...(sandbox.world.channels.get(id)?.messages ?? [])].filter(({ authorId }) => authorId === bot);
}

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const source = sandbox.as("mei").say("general", "The zeppelin lands at noon.");
  const ask = () => sandbox.as("sarah").run("agent", { question: "zeppelin", private: false }, { in: "general" });
  return { sandbox, file: temporaryDatabase(), source, ask };
}

describe("a process that is killed while it answers a command in public", () => {
  it.each([
    ["before", "claim"],
    ["after", "claim"],
    ["after", "plan"],
  ] as const)("leaves no promise of an answer behind after the next start: %s %s", async (when, step) => {
    const { sandbox, file, ask } = await arrive();
    const killed = Promise.withResolvers<void>();
    const first = await open(sandbox, file, killAt(step, when, killed.resolve));
    const asked = ask();
    await killed.promise;
    await first.abandon();
    expect(saidByBot(sandbox).map(({ content }) => content)).toEqual(step === "claim" ? [] : [""]);
    const second = await open(sandbox, file);
    if (when === "after")
      await expect.poll(() => second.store.find(toCommandQuestion(asked.id))).toMatchObject({ state: "done" });
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
    await second.commands.close();
  });

  it("follows its sources after the next start, as soon as others can read it", async () => {
    const { sandbox, file, ask, source } = await arrive();
    const killed = Promise.withResolvers<void>();
    const first = await open(sandbox, file, killAt("finish", "before", killed.resolve));
    const asked = ask();
    await killed.promise;
    await first.abandon();
    expect(saidByBot(sandbox).map(({ content }) => content)).toEqual([expect.stringContaining("lands at noon")]);
    const second = await open(sandbox, file);
    await expect.poll(() => second.store.find(toCommandQuestion(asked.id))).toMatchObject({ state: "done" });
    expect(saidByBot(sandbox)).toHaveLength(1);
    sandbox.as("mei").delete(source);
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
    await second.commands.close();
  });
});

it("a command that is heard twice is answered once, and nobody is told of a problem", async () => {
  const { sandbox, file, ask } = await arrive();
  const { commands, ...world } = await open(sandbox, file);
  const again = openAgentCommand(world);
  await again.offered;
  const asked = ask();
  await expect.poll(() => world.store.find(toCommandQuestion(asked.id))).toMatchObject({ state: "done" });
  for (const one of [commands, again]) await one.close();
  expect(saidByBot(sandbox).map(({ content }) => content)).toEqual([expect.stringContaining("lands at noon")]);
  expect([...asked.ephemeral.values()]).toEqual([]);
});

describe("a command while the store cannot write", () => {
  const full = () => Promise.reject(new EarshotError("unavailable", "The disk is full."));

  it("is refused to the person alone when it cannot be claimed, and nothing is promised to others", async () => {
    const { sandbox, file, ask } = await arrive();
    const { commands } = await open(sandbox, file, (store) => ({ ...store, claim: full }));
    onTestFinished(() => commands.close());
    const asked = ask();
    const told = await until(() => [...asked.ephemeral.values()].find(({ content }) => content !== ""), "not told");
    expect(told.content).toBe("The disk is full.");
    expect(saidByBot(sandbox)).toEqual([]);
  });

  it("keeps its answer when only its end cannot be noted", async () => {
    const { sandbox, file, ask } = await arrive();
    let ends = 0;
    const finish = () => {
      ends += 1;
      return full();
    };
    const { commands } = await open(sandbox, file, (store) => ({ ...store, finish }));
    const asked = ask();
    await expect.poll(() => ends).toBe(1);
    await commands.close();
    expect(saidByBot(sandbox).map(({ content }) => content)).toEqual([expect.stringContaining("lands at noon")]);
    expect([...asked.ephemeral.values()]).toEqual([]);
  });
});

it("an answer that quotes a question goes when the person who asked it is erased", async () => {
  const { sandbox, file, ask } = await arrive();
  const { agent, commands, store } = await open(sandbox, file);
  onTestFinished(() => commands.close());
  const sarah = (sandbox.community.people.get("sarah") ?? "") as UserId;
  const asked = ask();
  await expect.poll(() => store.find(toCommandQuestion(asked.id))).toMatchObject({ state: "done" });
  expect(saidByBot(sandbox).map(({ content }) => content)).toEqual([expect.stringMatching(/^> zeppelin\n/)]);
  await agent.eraser.erase("1" as UserId);
  expect(saidByBot(sandbox)).toHaveLength(1);
  await agent.eraser.erase(sarah);
  expect(saidByBot(sandbox)).toEqual([]);
});
