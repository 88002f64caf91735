import type { Clock } from "../ports/clock.ts";
import type { FactStore } from "../ports/fact-store.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { KeyRing } from "./key-ring.ts";
import { toFactKeyName, toSubject, toSubjectKeyName } from "./key-ring.ts";

interface EndDeps {
  readonly facts: FactStore;
  readonly keys: KeyStore;
  readonly ring: KeyRing;
  readonly clock: Clock;
  /** Names of the keys of subjects that may have no fact left. Kept between calls, because a call may fail. */
  readonly subjects: Set<string>;
}

/** Rows read at a time to find their subjects. */
const PAGE = 1_000;

/** By fact id: the fact that supersedes it once others have ended; null for none. */
export type Followers = ReadonlyMap<string, string | null>;

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
 * First the rows are marked, then the keys are deleted, then the rows: an unmarked row without a key has lost its key. The mark is written
 * together with the changes to `superseded_by` of the remaining facts, because a fact superseded by a missing one would never be found.
 * Throws if the rows cannot be marked.
 */
export async function endFacts(ids: readonly string[], followers: Followers, deps: EndDeps): Promise<Ending> {
  const { facts, keys, ring, clock } = deps;
  // Unreadable rows end all the same.
  await isDone(noteSubjects(ids, deps));
  await facts.change({ supersede: followers, beginToEnd: { ids, at: clock.now() } });
  const areKeysDeleted = await isDone(ring.delete(ids.map(toFactKeyName)));
  if (!areKeysDeleted) return { areKeysDeleted, isScrubbed: false };
  const areRowsDeleted = await isDone(facts.change({ delete: ids }));
  const areSubjectsDeleted = await isDone(deleteUnusedSubjects(deps));
  const areScrubbed = await Promise.all([facts, keys].map((store) => store.scrub().catch(() => false)));
  return { areKeysDeleted, isScrubbed: areRowsDeleted && areSubjectsDeleted && areScrubbed.every(Boolean) };
}

async function noteSubjects(ids: readonly string[], { facts, subjects }: EndDeps): Promise<void> {
  for (let start = 0; start < ids.length; start += PAGE)
    for (const { row } of await facts.findByIds(ids.slice(start, start + PAGE))) subjects.add(toSubjectKeyName(row));
}

async function deleteUnusedSubjects({ facts, ring, subjects }: EndDeps): Promise<void> {
  const unused: string[] = [];
  for (const name of subjects) if (!(await isSubjectInUse(facts, name))) unused.push(name);
  await ring.delete(unused);
  subjects.clear();
}

function isSubjectInUse(facts: FactStore, keyName: string): Promise<boolean> {
  const { scope_type: scopeType, scope_id: scopeId } = toSubject(keyName);
  return facts.has({ scopeType, scopeId, withSuperseded: true });
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}
