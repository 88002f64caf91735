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
  /** Talks with the agent: with whom, where and when. */
  readonly talks: number;
  /** Actions that waited for their confirmation. */
  readonly confirmations: number;
  /** False where that was done a moment ago: what is held may have been read again since. */
  readonly areMessagesErased: boolean;
}

/** A part that holds something about people, or what they wrote. */
export interface Eraser {
  readonly name: string;
  /** Erases what the part holds about a person; what the receipt says of it. Safe to repeat. */
  erase(person: UserId): Partial<EraseReceipt> | Promise<Partial<EraseReceipt>>;
}

/** Throws `unavailable` when a part could not erase what it holds; everything else is gone then. */
export type ErasePerson = (person: UserId) => Promise<EraseReceipt>;

const NOTHING: EraseReceipt = {
  ...{ facts: 0, areKeysDeleted: true, isScrubbed: true },
  ...{ talks: 0, confirmations: 0, areMessagesErased: true },
};
/** Whole channels are read again for it: that must not be had at will. */
const MIN_MESSAGES_INTERVAL_MS = 10 * 60_000;
const MAX_TRACKED = 50_000;

/** Every part that holds something about people. Each registers where it is created; erasing a person goes through all of them. */
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

/** Which talks there were with a person. To be added after the facts, whose `isScrubbed` it takes back where it has to. */
export function createTalkEraser(episodes: Pick<Episodes, "erase">): Eraser {
  return {
    name: "talks",
    async erase(person) {
      const { talks, isScrubbed } = await episodes.erase(person);
      return isScrubbed ? { talks } : { talks, isScrubbed };
    },
  };
}

/** How many tokens of a model a person has used. To be added after the facts, as talks are. */
export function createSpendEraser(spending: Pick<Spending, "erase">): Eraser {
  return {
    name: "spending",
    async erase(person) {
      const { isScrubbed } = await spending.erase(person);
      return isScrubbed ? {} : { isScrubbed };
    },
  };
}

/** Messages that are held, and what searches keep of them. */
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
