import { type AudienceRef, toAudienceKey } from "../../domain/audience.ts";
import type { FactReading, Source, SourceState } from "../../domain/source.ts";
import { toFactSource } from "../../ports/stored-source.ts";
import type { Kind, SourceWorld, Teller } from "./kind.ts";
import { isOwnAudience, limitedTo } from "./limits.ts";

const TITLE = "something that is remembered";

/**
 * One version of a fact, once per set of audiences: its owner's own list discloses more of it than others get, and a fact restored from
 * the audit has an unknown audience. Another reading never loosens an earlier one.
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

/** Facts that were compared count as one source. Sets of one label are disjoint. */
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

/** A fact restored from the audit, which contains only its reference and not its audience. */
export function restoreFact(ref: string): Source<"fact"> {
  const [factId = "", version] = ref.split("@");
  const rests = { messages: [], facts: [], authorMarks: [], expiresAt: null, revision: 0 };
  return { kind: "fact", factId, version: Number(version), subjectId: null, guildId: null, audiences: null, ...rests };
}

/** About the actor, and resting only on sources that the actor may tell. */
function isOwnFact({ subjectId, guildId, audiences, messages, facts: under }: FactReading, teller: Teller): boolean {
  return (
    subjectId === teller.actor &&
    (guildId === null || guildId === teller.guildId) &&
    under.every((ref) => teller.wasTold(ref)) &&
    messages.every(({ channelId }) => teller.isTellable(channelId)) &&
    audiences?.every((ref) => isOwnAudience(ref, teller)) === true
  );
}

export function toFactRef({ factId, version }: Pick<FactReading, "factId" | "version">): string {
  return `${factId}@${version}`;
}

/** Whether a message or fact that these facts rest on was deleted or edited since they were read; null if not, as far as is known. */
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
