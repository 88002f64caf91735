import type { Clock } from "../ports/clock.ts";
import type { FactStore, StoredFact } from "../ports/fact-store.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { KeyRing } from "./key-ring.ts";
import { subjectOf, toFactKeyName, toSubject, toSubjectKeyName } from "./key-ring.ts";

interface EndDeps {
  readonly facts: FactStore;
  readonly keys: KeyStore;
  readonly ring: KeyRing;
  readonly clock: Clock;
  /** Names of the keys of subjects that may have no fact left. Kept between calls, because a call may fail. */
  readonly subjects: Set<string>;
}

export interface Ending {
  /** False while keys.db cannot be written: the facts are no longer used, and a later sweep or the next start deletes the keys. */
  readonly areKeysDeleted: boolean;
  /** The files contain no byte of the keys either. */
  readonly isScrubbed: boolean;
}

/** The result of forgetting. */
export interface ForgetReceipt extends Ending {
  /** Number of facts, including their history. */
  readonly facts: number;
}

/**
 * First the rows are marked, then the keys are deleted, then the rows: an unmarked row without a key has lost its key. The traces are written
 * together with the mark, because without them older values would come back. Throws if the rows cannot be marked.
 */
export async function endFacts(ids: readonly string[], traces: readonly StoredFact[], deps: EndDeps): Promise<Ending> {
  const { facts, keys, ring, clock } = deps;
  // Unreadable rows end all the same.
  await isDone(noteSubjects(ids, deps));
  await facts.change({ add: traces, beginToEnd: { ids, at: clock.now() } });
  const areKeysDeleted = await isDone(ring.delete(ids.map(toFactKeyName)));
  if (!areKeysDeleted) return { areKeysDeleted, isScrubbed: false };
  const areRowsDeleted = await isDone(facts.change({ delete: ids }));
  const areSubjectsDeleted = await isDone(deleteUnusedSubjects(deps));
  const areScrubbed = await Promise.all([facts, keys].map((store) => store.scrub().catch(() => false)));
  return { areKeysDeleted, isScrubbed: areRowsDeleted && areSubjectsDeleted && areScrubbed.every(Boolean) };
}

async function noteSubjects(ids: readonly string[], { facts, subjects }: EndDeps): Promise<void> {
  for (const { row } of await facts.findByIds(ids)) subjects.add(toSubjectKeyName(subjectOf(row)));
}

async function deleteUnusedSubjects({ facts, ring, subjects }: EndDeps): Promise<void> {
  const unused = await facts.withoutFacts([...subjects].map(toSubject));
  await ring.delete(unused.map(toSubjectKeyName));
  subjects.clear();
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}
