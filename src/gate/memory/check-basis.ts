import { EarshotError } from "../../domain/errors.ts";
import { type Fact, factsUnder, messagesOf } from "../../domain/memory/fact.ts";
import type { Memory } from "../../memory/memory.ts";
import { isSubjectThere } from "../../policy/fact-audience.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";

/** Whether what a fact rests on stands as it was read. */
export type BasisState = "standing" | "edited" | "deleted" | "uncertain";

export interface BasisDeps {
  readonly memory: Pick<Memory, "hasSameWords" | "openById" | "isFollowed">;
  readonly timelines: Pick<Timelines, "message">;
  readonly discord: Pick<Discord, "directory">;
}

/** Looks at every message and every other fact that a fact rests on. What cannot be looked at makes it uncertain. */
export async function checkBasis(fact: Fact, deps: BasisDeps, signal?: AbortSignal): Promise<BasisState> {
  let state: BasisState = await checkFactsUnder(fact, deps);
  if (state === "deleted") return state;
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
  return state;
}

/** Whether all facts that it rests on are still remembered, and theirs to share whom they are about; or one was corrected. */
async function checkFactsUnder(fact: Fact, { memory, discord }: BasisDeps): Promise<BasisState> {
  const { directory } = discord;
  let state: BasisState = "standing";
  for (const { id, version } of factsUnder(fact)) {
    const other = await memory.openById(id);
    if (!other) return "deleted";
    const { subjectId, guildId } = other;
    if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
    if (!isSubjectThere(other, directory)) return "deleted";
    if (other.version !== version || (await memory.isFollowed(other))) state = "edited";
  }
  return state;
}
