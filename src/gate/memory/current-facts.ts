import { toAudienceKey } from "../../domain/audience.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { audiencesOf, type Fact, normaliseName, recordsUnder, VERIFICATIONS } from "../../domain/memory/fact.ts";
import type { Source } from "../../domain/source.ts";
import { isForAll, listFollowers } from "../../memory/fact-history.ts";
import type { Memory } from "../../memory/memory.ts";
import { toBasis, toHome } from "../../memory/seal.ts";
import { projectOf } from "../../policy/apply-rules.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Directory } from "../../ports/directory.ts";
import type { StoredFact } from "../../ports/fact-store.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import { isSubjectThere } from "../../sources/kinds/limits.ts";
import { currentAudiences } from "./check-basis.ts";

/** The parts of a fact that decide its audience. */
export type LimitedFact = Pick<Fact, "subjectId" | "guildId" | "home" | "basis">;

/** Properties of listed facts that are the same for every actor. */
export interface CurrentFacts {
  /** Facts that have not ended together with a fact that replaced them. */
  readonly current: readonly StoredFact[];
  /** The subjects of facts shared in each server. */
  readonly people: ReadonlyMap<GuildId, ReadonlySet<UserId>>;
  /** Whether a successor hides it: for everyone who may know the successor, even if that is dormant. `known`: ids of the facts that they
   * may know. */
  isReplaced(fact: Pick<Fact, "supersededBy">, known: ReadonlySet<string>): boolean;
}

const limited = new WeakMap<StoredFact, LimitedFact>();

/** The parts that decide a fact's audience, without opening it. Cached. */
export function toLimited(stored: StoredFact): LimitedFact {
  const before = limited.get(stored);
  if (before) return before;
  const { row, sources } = stored;
  const made = { subjectId: row.subject_id, guildId: row.guild_id, home: toHome(row), basis: sources.map(toBasis) };
  limited.set(stored, made);
  return made;
}

export function toCurrentFacts(stored: readonly StoredFact[], now: number): CurrentFacts {
  const byId = new Map(stored.map((one) => [one.row.id, one]));
  const expired = new Set<string>();
  const people = new Map<GuildId, Set<UserId>>();
  for (const { row } of stored) {
    const { expires_at, guild_id, subject_id } = row;
    if (expires_at !== null && expires_at <= now) expired.add(row.id);
    if (guild_id === null) continue;
    const there = people.get(guild_id) ?? new Set();
    people.set(guild_id, subject_id === null ? there : there.add(subject_id));
  }
  // A superseded fact is used only for people who may not know its successors. It ends with a successor that everyone who may know it could
  // know.
  const isCurrent = (one: StoredFact) => {
    for (const id of listFollowers(one.row.superseded_by, byId)) {
      const follower = byId.get(id);
      if (!follower || (expired.has(id) && isForAll(toLimited(follower), toLimited(one)))) return false;
    }
    return true;
  };
  const isReplaced: CurrentFacts["isReplaced"] = ({ supersededBy }, known) =>
    supersededBy !== null && listFollowers(supersededBy, byId).some((id) => known.has(id));
  const current = stored.filter((one) => one.row.superseded_by === null || isCurrent(one));
  return { current, people, isReplaced };
}

/** Removes opened facts that another one replaces for people who may know that one. Facts by or about people who opted out replace
 * nothing. */
export function withoutReplaced(
  opened: readonly Fact[],
  { isReplaced }: Pick<CurrentFacts, "isReplaced">,
  memory: Pick<Memory, "isConsented">,
): readonly Fact[] {
  const ids = new Set<string>();
  return opened.filter((fact) => {
    if (isReplaced(fact, ids)) return false;
    if (memory.isConsented(fact)) ids.add(fact.id);
    return true;
  });
}

interface ProjectDeps {
  readonly rules: Rules;
  readonly directory: Pick<Directory, "channel">;
}

/** The strongest fact of each subject and name, in the position of the first. */
export function pickStrongest(facts: readonly Fact[], deps: ProjectDeps): readonly Fact[] {
  const picked = new Map<string, Fact>();
  for (const fact of facts) {
    // Scope and name contain no line break.
    const key = [fact.scope, projectOf(fact, deps) ?? fact.scopeId, normaliseName(fact.name)].join("\n");
    const rival = picked.get(key);
    if (!rival || isStronger(fact, rival)) picked.set(key, fact);
  }
  return [...picked.values()];
}

function isStronger(one: Fact, other: Fact): boolean {
  const strength = ({ verification }: Fact) => VERIFICATIONS.indexOf(verification);
  return strength(one) > strength(other) || (strength(one) === strength(other) && one.createdAt > other.createdAt);
}

interface DecideFactsDeps {
  readonly records: RecordKinds;
  readonly directory: Pick<Directory, "member">;
  isLeftOut(userId: UserId): boolean;
}

/** Decides the audience only: the sources of a fact are checked separately. */
const ANY_FACT = {
  ...{ kind: "fact" as const, factId: "", version: 0, messages: [], facts: [], authorMarks: [] },
  ...{ expiresAt: null, revision: Number.MAX_SAFE_INTEGER },
};

/**
 * Returns a synchronous check whether facts may be used, valid for one moment: nothing may be awaited between two calls. Thousands of facts
 * have few different audiences, so each combination is decided once.
 */
export function decideFacts(
  { actor, mayHear }: { readonly actor: UserId; mayHear(source: Source<"fact">): boolean },
  { records, directory, isLeftOut }: DecideFactsDeps,
): (fact: LimitedFact) => boolean {
  const decided = new Map<string, boolean>();
  return (fact) => {
    const { subjectId, guildId } = fact;
    if (!isSubjectThere(fact, directory) || (subjectId !== null && isLeftOut(subjectId))) return false;
    const decide = () => mayHear({ ...ANY_FACT, subjectId, guildId, audiences: currentAudiences(fact, records) });
    // The audience of a record can change between two requests.
    if (recordsUnder(fact).length > 0) return decide();
    // Decisions depend only on whether the actor is the subject.
    const subject = subjectId === null ? "none" : subjectId === actor ? "actor" : "other";
    const question = `${guildId} ${subject} ${toLimitsKey(fact)}`;
    const isHeard = decided.get(question) ?? decide();
    decided.set(question, isHeard);
    return isHeard;
  };
}

/** Equal for facts with the same audiences. */
function toLimitsKey(fact: LimitedFact): string {
  return audiencesOf(fact).map(toAudienceKey).join();
}
