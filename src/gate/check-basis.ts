import { EarshotError } from "../domain/errors.ts";
import { type Fact, factsUnder, messagesOf } from "../domain/memory/fact.ts";
import type { Memory } from "../memory/memory.ts";
import type { Timelines } from "../ports/timelines.ts";

/** Whether what a fact rests on stands as it was read. */
export type BasisState = "standing" | "edited" | "deleted" | "uncertain";

export interface BasisDeps {
  readonly memory: Pick<Memory, "hasSameWords" | "openById">;
  readonly timelines: Pick<Timelines, "message">;
}

/** Looks at every message and every other fact that a fact rests on. What cannot be looked at makes it uncertain. */
export async function checkBasis(fact: Fact, deps: BasisDeps, signal?: AbortSignal): Promise<BasisState> {
  let state: BasisState = "standing";
  for (const { id, version } of factsUnder(fact)) {
    const other = await deps.memory.openById(id);
    if (!other) return "deleted";
    if (other.version !== version || other.supersededBy !== null) state = "edited";
  }
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
