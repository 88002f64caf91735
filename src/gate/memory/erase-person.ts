import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";
import type { Episodes } from "../../memory/episodes.ts";
import type { Spending } from "../../policy/spending.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Search } from "../../ports/search.ts";
import type { Timelines } from "../../ports/timelines.ts";

/** The result of erasing everything about a person. */
export interface EraseReceipt extends ForgetReceipt {
  /** Number of talks with the agent. */
  readonly talks: number;
  /** Number of actions that waited for their confirmation. */
  readonly confirmations: number;
  /** False if their messages were erased a moment ago; some may have been cached again since. */
  readonly areMessagesErased: boolean;
}

/** A part that stores data about people, or their messages. */
export interface Eraser {
  readonly name: string;
  /** Erases the part's data about a person; returns its share of the receipt. Safe to repeat. */
  erase(person: UserId): Partial<EraseReceipt> | Promise<Partial<EraseReceipt>>;
}

/** Throws `unavailable` if a part failed; all other parts are erased then. */
export type ErasePerson = (person: UserId) => Promise<EraseReceipt>;

const NOTHING: EraseReceipt = {
  ...{ facts: 0, areKeysDeleted: true, isScrubbed: true },
  ...{ talks: 0, confirmations: 0, areMessagesErased: true },
};
/** Limits how often a person can cause whole channels to be read again. */
const MIN_MESSAGES_INTERVAL_MS = 10 * 60_000;
const MAX_TRACKED = 50_000;

/** All erasers. Each part registers where it is created. */
export class Erasers {
  readonly #all: Eraser[] = [];

  add(eraser: Eraser): void {
    this.#all.push(eraser);
  }

  /** @see ErasePerson. Works while the audit cannot be written. */
  readonly erasePerson: ErasePerson = async (person) => {
    const attempts = this.#all.map(async (eraser) => eraser.erase(person));
    const results = await Promise.allSettled(attempts);
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    if (failures.length > 0) throw toUnavailable(failures[0]);
    return Object.assign({}, NOTHING, ...results.map((result) => result.status === "fulfilled" && result.value));
  };
}

/** An eraser that the receipt does not mention. */
export function toEraser(name: string, forget: (person: UserId) => void): Eraser {
  return {
    name,
    erase(person) {
      forget(person);
      return {};
    },
  };
}

/** Erases talks with a person. Add it after the facts' eraser, because it may reset `isScrubbed`. */
export function createTalkEraser(episodes: Pick<Episodes, "erase">): Eraser {
  return {
    name: "talks",
    async erase(person) {
      const { talks, isScrubbed } = await episodes.erase(person);
      return isScrubbed ? { talks } : { talks, isScrubbed };
    },
  };
}

/** Erases a person's model usage. Add it after the facts' eraser, as for talks. */
export function createSpendEraser(spending: Pick<Spending, "erase">): Eraser {
  return {
    name: "spending",
    async erase(person) {
      const { isScrubbed } = await spending.erase(person);
      return isScrubbed ? {} : { isScrubbed };
    },
  };
}

/** Drops cached messages, and data that searches derive from them. */
export function createMessageEraser(
  { timelines, search }: { timelines: Pick<Timelines, "letGoOf">; search: Pick<Search, "letGoOf"> },
  clock: Clock,
): Eraser {
  const recent = new BoundedMap<UserId, true>({
    maxEntries: MAX_TRACKED,
    ttlMs: MIN_MESSAGES_INTERVAL_MS,
    clock,
  });
  return {
    name: "messages",
    erase(person) {
      if (recent.has(person)) return { areMessagesErased: false };
      timelines.letGoOf(person);
      search.letGoOf(person);
      recent.set(person, true);
      return { areMessagesErased: true };
    },
  };
}

function toUnavailable(cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  const problem = "Not everything that is held about you could be erased; do this again in a few minutes.";
  return new EarshotError("unavailable", problem, { cause });
}
