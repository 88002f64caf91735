import { toAudienceKey } from "../../domain/audience.ts";
import type { UserId } from "../../domain/ids.ts";
import { audiencesOf, byStrength, type Fact, normaliseName, recordsUnder } from "../../domain/memory/fact.ts";
import type { Source } from "../../domain/source.ts";
import { type LimitedFact, strongestOf } from "../../memory/fact-history.ts";
import type { Memory } from "../../memory/memory.ts";
import { projectOf } from "../../policy/apply-rules.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Directory } from "../../ports/directory.ts";
import type { StoredFact } from "../../ports/fact-store.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import { isSubjectThere } from "../../sources/kinds/limits.ts";
import { currentAudiences } from "./check-basis.ts";

/**
 * The current version of each record: the strongest among the audible ones. No other is opened. If it has ended, or is damaged, there is none:
 * it hides the older ones from everyone who could know it. Versions by or about people who opted out count as never stored.
 */
export async function openCurrent(
  audible: readonly StoredFact[],
  memory: Pick<Memory, "open" | "isConsented">,
): Promise<readonly Fact[]> {
  const opened = await memory.open(strongestOf(audible));
  const leftOut = new Set(opened.filter((fact) => !memory.isConsented(fact)).map(({ id }) => id));
  if (leftOut.size === 0) return opened;
  const others = audible.filter(({ row }) => !leftOut.has(row.id));
  return openCurrent(others, memory);
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
    if (!rival || byStrength(fact, rival) < 0) picked.set(key, fact);
  }
  return [...picked.values()];
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
