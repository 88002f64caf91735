import { BoundedMap } from "../domain/bounded-map.ts";
import type { UserId } from "../domain/ids.ts";
import type { ForgetReceipt } from "../memory/memory.ts";
import type { Confirmations } from "../policy/confirmations.ts";
import type { Clock } from "../ports/clock.ts";
import type { Search } from "../ports/search.ts";
import type { Timelines } from "../ports/timelines.ts";
import type { OwnMemory } from "./own-memory.ts";

/** What became of everything that was held about a person. */
export interface EraseReceipt extends ForgetReceipt {
  /** Actions that waited for their confirmation. */
  readonly confirmations: number;
  /** False where that was done a moment ago: what is held may have been read again since. */
  readonly areMessagesErased: boolean;
}

/** Throws `unavailable` when facts could not be erased; everything else is gone then. */
export type ErasePerson = (actor: UserId) => Promise<EraseReceipt>;

export interface EraseDeps {
  /** Null where nothing is remembered. */
  readonly ownMemory: Pick<OwnMemory, "erase"> | null;
  readonly confirmations: Pick<Confirmations, "drop">;
  readonly timelines: Pick<Timelines, "letGoOf">;
  readonly search: Pick<Search, "clearCache">;
  readonly clock: Clock;
}

/** Whole channels are read again for it: that must not be had at will. */
const MIN_MESSAGES_INTERVAL_MS = 10 * 60_000;
const MAX_TRACKED = 50_000;
const NO_FACTS: ForgetReceipt = { facts: 0, isScrubbed: true };

/** Erases what is held about the person who asks for it. Works while the audit cannot be written. */
export function createEraser(deps: EraseDeps): ErasePerson {
  const { ownMemory, confirmations, timelines, search, clock } = deps;
  const recent = new BoundedMap<UserId, true>({
    maxEntries: MAX_TRACKED,
    ttlMs: MIN_MESSAGES_INTERVAL_MS,
    clock,
  });
  return async (actor) => {
    const dropped = confirmations.drop(actor);
    const areMessagesErased = !recent.has(actor);
    if (areMessagesErased) {
      recent.set(actor, true);
      timelines.letGoOf(actor);
      search.clearCache();
    }
    const receipt = ownMemory ? await ownMemory.erase(actor) : NO_FACTS;
    return { ...receipt, confirmations: dropped, areMessagesErased };
  };
}
