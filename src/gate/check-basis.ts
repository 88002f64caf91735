import { EarshotError } from "../domain/errors.ts";
import { type Fact, messagesOf, toFactId } from "../domain/memory/fact.ts";
import type { Memory } from "../memory/memory.ts";
import { isSubjectThere } from "../policy/fact-audience.ts";
import type { Discord } from "../ports/discord.ts";
import type { Timelines } from "../ports/timelines.ts";

/** Whether what a fact rests on stands as it was read. */
export type BasisState = "standing" | "edited" | "deleted" | "uncertain";

export interface BasisDeps {
  readonly memory: Pick<Memory, "hasSameWords" | "openById">;
  readonly timelines: Pick<Timelines, "message">;
  readonly discord: Pick<Discord, "directory">;
}

/** Looks at every message that a fact rests on, and at every fact of somebody else. What cannot be looked at makes it uncertain. */
export async function checkBasis(fact: Fact, deps: BasisDeps, signal?: AbortSignal): Promise<BasisState> {
  let state: BasisState = "standing";
  for (const { channelId, messageId } of messagesOf(fact)) {
    try {
      const message = await deps.timelines.message(channelId, messageId, signal);
      if (!message) return "deleted";
      if (!(await deps.memory.hasSameWords(fact, message))) state = "edited";
    } catch (error) {
      if (error instanceof EarshotError && error.code !== "cancelled") return "uncertain";
      throw error;
    }
  }
  return (await areTold(fact, deps)) ? state : "deleted";
}

/** Whether all facts about others that a fact rests on are still remembered, and theirs to share. */
async function areTold({ basis }: Fact, { memory, discord }: BasisDeps): Promise<boolean> {
  const { directory } = discord;
  for (const { type, ref, authorMark } of basis) {
    if (type !== "memory_fact" || authorMark === null) continue;
    const other = await memory.openById(toFactId(ref));
    if (!other) return false;
    const { subjectId, guildId } = other;
    if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
    if (!isSubjectThere(other, directory)) return false;
  }
  return true;
}
