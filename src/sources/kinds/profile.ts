import { createHash } from "node:crypto";
import { type GuildId, toId, type UserId } from "../../domain/ids.ts";
import { normaliseName } from "../../domain/memory/fact.ts";
import type { ProfileQuery, ProfileSource } from "../../ports/profile-source.ts";
import { toFactSource } from "../../ports/stored-source.ts";
import type { Kind, Teller } from "./kind.ts";
import { isOwnAudience, limitedTo, toGuildId } from "./limits.ts";

/** One key of a person's profile, in one version. */
export const profile: Kind<"profile"> = {
  title: "a profile",
  key: ({ ref, version }) => `${ref}@${version ?? ""}`,
  audiences: ({ audiences }) => audiences,
  limits: limitedTo,
  /** A profile value of a server stands while its person is a member there, even by way of a fact that rests on it and is shared
   * elsewhere or nowhere. */
  subjects({ subjectId, guildId, audiences }, directory) {
    const guildIds = new Set([guildId, ...(audiences ?? []).map((ref) => toGuildId(ref, directory))]);
    return [...guildIds].map((each) => ({ subjectId, guildId: each }));
  },
  state(source, { watch }) {
    if (source.subjectId !== null && watch.isLeftOut(source.subjectId)) return "deleted";
    return source.audiences === null ? "uncertain" : watch.stateOfRecord(source);
  },
  /** Content that the operator limits to an audience may not be told to anyone else, except by its subject. */
  isOwn({ subjectId, guildId, audiences }, teller) {
    const isTheirs: Teller["areAllIn"] = (ref) =>
      subjectId === teller.actor ? isOwnAudience(ref, teller) : teller.areAllIn(ref);
    return (guildId === null || guildId === teller.guildId) && audiences?.every(isTheirs) === true;
  },
  cite: ({ ref, version, subjectId }) => (version === null ? null : toFactSource({ factId: ref, subjectId })),
  auditTypes: ["crm"],
  /** The audit does not contain its audience, except for Discord's own data about a member, which is for the members of that server. */
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
  /** Hash of the key. */
  readonly mark: string;
}

/** The reference to one key of a profile in labels and the audit. Discord's own data depends on the server. */
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

/** References must not contain text, and keys are text, so they are hashed. */
export function toMark(key: string): string {
  return createHash("sha256").update(normaliseName(key)).digest("hex").slice(0, MARK_LENGTH);
}
