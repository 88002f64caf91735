import { toAudienceKey } from "../../domain/audience-ref.ts";
import type { UserId } from "../../domain/ids.ts";
import { audiencesOf, recordsUnder } from "../../domain/memory/fact.ts";
import type { Source } from "../../domain/source.ts";
import type { Directory } from "../../ports/directory.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import { isSubjectThere } from "../../sources/kinds/subjects.ts";
import { currentAudiences } from "./check-basis.ts";
import type { LimitedFact } from "./current-facts.ts";

interface DecideFactsDeps {
  readonly records: RecordKinds;
  readonly directory: Pick<Directory, "member">;
  isLeftOut(userId: UserId): boolean;
}

/** What a fact rests on is looked at apart from who may hear it. */
const ANY_FACT = {
  ...{ kind: "fact" as const, factId: "", version: 0, messages: [], facts: [], authorMarks: [] },
  ...{ expiresAt: null, revision: Number.MAX_SAFE_INTEGER },
};

/**
 * Whether facts may be heard, as things are at one moment: nothing may be waited for between two calls of what comes back. Thousands of facts are limited to a
 * few audiences, so each different question is decided once.
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
    // Who may hear a record can change from one request to the next.
    if (recordsUnder(fact).length > 0) return decide();
    // Of the person it is about, only this is asked.
    const subject = subjectId === null ? "none" : subjectId === actor ? "actor" : "other";
    const question = `${guildId} ${subject} ${toLimitsKey(fact)}`;
    const isHeard = decided.get(question) ?? decide();
    decided.set(question, isHeard);
    return isHeard;
  };
}

/** Equal for facts of one home that rest on what the same people can read. */
function toLimitsKey(fact: LimitedFact): string {
  const all = audiencesOf(fact).map(toAudienceKey);
  return all.length === 1 ? (all[0] ?? "") : [...new Set(all)].join();
}
