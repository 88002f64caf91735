import type { AudienceRef } from "../../domain/audience-ref.ts";
import type { Kind } from "./kind.ts";
import { isOwnAudience, limitedTo } from "./limits.ts";
import { toGuildId } from "./subjects.ts";

/** A passage of a document, or what a profile says: each version by itself. */
export const record: Kind<"record"> = {
  key: ({ type, ref, version }) => `${type} ${ref}@${version ?? ""}`,
  limits: limitedTo,
  /** What is told about somebody in a server is told for as long as they are in it, also by way of a fact that rests on it and is shared elsewhere, or nowhere. */
  subjects({ subjectId, guildId, audiences }, directory) {
    const guildIds = new Set([guildId, ...(audiences ?? []).map((ref) => toGuildId(ref, directory))]);
    return [...guildIds].map((each) => ({ subjectId, guildId: each }));
  },
  state(source, { watch }) {
    if (source.subjectId !== null && watch.isLeftOut(source.subjectId)) return "deleted";
    return source.audiences === null ? "uncertain" : watch.stateOfRecord(source);
  },
  /** What the operator gave to some is nobody's to tell to more; only a profile is also its person's own. */
  isOwn({ subjectId, guildId, audiences }, teller) {
    const isTheirs = (ref: AudienceRef) =>
      subjectId === teller.actor ? isOwnAudience(ref, teller) : teller.areAllIn(ref);
    return (guildId === null || guildId === teller.guildId) && audiences?.every(isTheirs) === true;
  },
};
