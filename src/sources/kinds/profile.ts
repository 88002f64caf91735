import { createHash } from "node:crypto";
import { type GuildId, toId, type UserId } from "../../domain/ids.ts";
import { normaliseName } from "../../domain/memory/fact.ts";
import type { ProfileQuery, ProfileSource } from "../../ports/profile-source.ts";
import { toFactSource } from "../../ports/stored-source.ts";
import type { Kind, Teller } from "./kind.ts";
import { isOwnAudience, limitedTo, toGuildId } from "./limits.ts";

/** One key of somebody's profile: each version by itself. */
export const profile: Kind<"profile"> = {
  title: "a profile",
  key: ({ ref, version }) => `${ref}@${version ?? ""}`,
  audiences: ({ audiences }) => audiences,
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
  /** What the operator gave to some is nobody's to tell to more, but for whom it is about. */
  isOwn({ subjectId, guildId, audiences }, teller) {
    const isTheirs: Teller["areAllIn"] = (ref) =>
      subjectId === teller.actor ? isOwnAudience(ref, teller) : teller.areAllIn(ref);
    return (guildId === null || guildId === teller.guildId) && audiences?.every(isTheirs) === true;
  },
  cite: ({ ref, version, subjectId }) => (version === null ? null : toFactSource({ factId: ref, subjectId })),
  auditTypes: ["crm"],
  /** Who may hear it is not in the audit, except for what Discord itself says of a member, which is for the members of that server. */
  restore(ref) {
    const parsed = parseProfileRef(ref);
    const { person: subjectId = null, guildId = null } = (parsed?.origin === "discord" && parsed.query) || {};
    const audiences = guildId && [{ kind: "guild", id: guildId } as const];
    return { kind: "profile", ref, version: null, subjectId, guildId, audiences };
  },
};

interface ProfileRef {
  readonly origin: string;
  readonly query: ProfileQuery;
  /** Of the key. */
  readonly mark: string;
}

/** How labels and the audit name one key of somebody's profile; what Discord says depends on the server. */
export function toProfileRef(
  { origin }: Pick<ProfileSource, "origin">,
  { person, guildId }: ProfileQuery,
  key: string,
): string {
  return `${origin}/${(origin === "discord" && guildId) || "-"}/${person}/${toMark(key)}`;
}

export function parseProfileRef(ref: string): ProfileRef | null {
  const [origin = "", guild, id, mark = ""] = ref.split("/");
  const person = toId<UserId>(id);
  return person && { origin, query: { person, guildId: toId<GuildId>(guild) }, mark };
}

const MARK_LENGTH = 12;

/** Keys are words, which refs do not hold. */
export function toMark(key: string): string {
  return createHash("sha256").update(normaliseName(key)).digest("hex").slice(0, MARK_LENGTH);
}
