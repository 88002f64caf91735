import { expect } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { buttonId, buttonsOf } from "./open-harbour.ts";
import { openMemoryHarbour } from "./open-memory-harbour.ts";

const SHARED = { memory: { people: "shared" } };

/** A harbour in which people can have something remembered about themselves. The clock of the memory may be behind. */
export async function openRemembering(rules: object = SHARED, behind = { ms: 0 }) {
  const harbour = await openMemoryHarbour({ rules }, behind);
  const { sandbox, memory, ownMemory, answer } = harbour;
  const run = (who: string, what: string, options: Record<string, string | number> = {}, channel = "general") =>
    sandbox.as(who).run(`memory ${what}`, options, { in: channel });
  const say = async (who: string, what: string, options: Record<string, string | number> = {}) =>
    (await answer(run(who, what, options))).content;
  /** The notes of a preview, the one with the buttons last. */
  const preview = async (who: string, options: Record<string, string | number>, channel = "general") => {
    const asking = run(who, "remember", options, channel);
    await expect
      .poll(() => (lastOf(asking) ? buttonsOf(lastOf(asking) as MessageRecord).length : 0))
      .toBeGreaterThan(1);
    return { text: textOf(asking), last: lastOf(asking) as MessageRecord };
  };
  const decide = async (who: string, last: MessageRecord, label = "Remember") => {
    sandbox.as(who).click(last, buttonId(last, label));
    await expect.poll(() => last.content).not.toMatch(/One moment|Nothing has been remembered yet|```/);
    return last.content;
  };
  const remember = async (who: string, options: Record<string, string | number>) =>
    decide(who, (await preview(who, options)).last);
  const listOf = async (who: string) =>
    (await ownMemory.list(sandbox.as(who).id as UserId)).map(({ fact }) => [fact.name, fact.value]);
  const suggested = async (who: string, typed: string, command = "forget") => {
    const asking = sandbox.as(who).suggest(`memory ${command}`, { fact: typed }, { in: "general", focused: "fact" });
    const answered = await asking.answered;
    return answered.kind === "choices" ? answered.choices : [];
  };
  return { ...harbour, memory, own: ownMemory, run, say, preview, decide, remember, listOf, suggested };
}

/** All that was whispered in answer. */
export function textOf(asking: InteractionRecord): string {
  return [...asking.ephemeral.values()].map(({ content }) => content).join("\n");
}

function lastOf(asking: InteractionRecord): MessageRecord | undefined {
  return [...asking.ephemeral.values()].at(-1);
}
