import { type AudienceRef, toAudienceKey } from "../../domain/audience.ts";
import type { FactReading, Source, SourceState } from "../../domain/source.ts";
import { toFactSource } from "../../ports/stored-source.ts";
import type { Kind, SourceWorld, Teller } from "./kind.ts";
import { isOwnAudience, limitedTo } from "./limits.ts";

const TITLE = "something that is remembered";

/**
 * One version of a fact, once for each way in which it is limited: its owner's own list says more of it than others hear, and of what is only known from the
 * audit nobody can say to whom it was limited. Hearing it once more takes nothing back of either.
 */
export const fact: Kind<"fact"> = {
  key: (source) => [toFactRef(source), ...(source.audiences?.map(toAudienceKey) ?? ["unknown"])].join(" "),
  title: TITLE,
  audiences: ({ audiences }) => audiences,
  limits: limitedTo,
  subjects: (source) => [source],
  messages: (source) => source.messages,
  state: (source, world) => stateOfBasis(source, world) ?? world.watch.stateOfFact(source),
  isOwn: isOwnFact,
  cite: toFactSource,
  auditTypes: ["memory_fact"],
  restore: restoreFact,
};

/** Facts that were compared count as one source. No fact is in two of them. */
export const facts: Kind<"facts"> = {
  key: ({ set }) => set,
  title: TITLE,
  audiences: ({ set }) => set.audiences,
  limits: ({ set }, world) => limitedTo(set, world),
  subjects: ({ set }) => set.subjects,
  messages: ({ set }) => set.messages,
  state: (source, world) =>
    stateOfBasis({ ...source.set, readAt: source.readAt }, world) ?? world.watch.stateOfFact(source),
  isOwn: ({ set, revision }, teller) => set.list(revision).every((each) => isOwnFact(each, teller)),
};

/** A fact of which only the reference is known: who may hear it is not in the audit. */
export function restoreFact(ref: string): Source<"fact"> {
  const [factId = "", version] = ref.split("@");
  const rests = { messages: [], facts: [], authorMarks: [], expiresAt: null, revision: 0 };
  return { kind: "fact", factId, version: Number(version), subjectId: null, guildId: null, audiences: null, ...rests };
}

/** About themselves, and resting on nothing that is not theirs to tell. */
function isOwnFact({ subjectId, guildId, audiences, messages, facts: under }: FactReading, teller: Teller): boolean {
  return (
    subjectId === teller.actor &&
    (guildId === null || guildId === teller.guildId) &&
    under.every((ref) => teller.wasTold(ref)) &&
    messages.every(({ channelId }) => teller.isTellable(channelId)) &&
    audiences?.every((ref) => isOwnAudience(ref, teller)) === true
  );
}

/** Of one version of a fact. */
export function toFactRef({ factId, version }: Pick<FactReading, "factId" | "version">): string {
  return `${factId}@${version}`;
}

/** Whether what facts rest on was deleted or edited since they were read; null if it was not, as far as was heard. */
function stateOfBasis(
  {
    audiences,
    messages,
    readAt,
  }: Pick<FactReading, "messages"> & { readonly audiences: readonly AudienceRef[] | null; readonly readAt: number },
  { watch, directory }: SourceWorld,
): SourceState | null {
  let isUncertain = audiences === null;
  for (const message of messages) {
    if (watch.isDeleted(message)) return "deleted";
    if (watch.editedAt(message) > readAt) return "changed";
    isUncertain ||= readAt <= watch.missedSince(message.channelId, directory);
  }
  return isUncertain ? "uncertain" : null;
}
