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
  /** Names of the keys of subjects that may have no fact left. Kept from one call to the next, because a call may fail. */
  readonly subjects: Set<string>;
}

/** How many rows are looked at together to find their subjects. */
const PAGE = 1_000;

/** By id: which fact follows it once others have ended; null for none. */
export type Followers = ReadonlyMap<string, string | null>;

export interface Ending {
  /** False while keys.db cannot be written: nobody is told the facts any more, and the keys are deleted by a later sweep or the next start. */
  readonly areKeysDeleted: boolean;
  /** No byte of the keys is in the files either. */
  readonly isScrubbed: boolean;
}

/** What became of something that was to be forgotten. */
export interface ForgetReceipt extends Ending {
  /** Facts with their history. */
  readonly facts: number;
}

/**
 * First rows are marked, then keys are deleted, then rows: a row without a key that is not marked has lost its key. What follows the facts that stay
 * changes together with the mark: one that follows nothing is heard by nobody. Throws when the rows cannot be marked.
 */
export async function endFacts(ids: readonly string[], followers: Followers, deps: EndDeps): Promise<Ending> {
  const { facts, keys, ring, clock } = deps;
  // Rows that cannot be read end all the same.
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

/** Whether any fact is left of the subject whose key has this name. */
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
