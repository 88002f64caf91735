import { type Audience, type AudienceRef, flows, toAudienceKey } from "../../domain/audience.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Limit, SourceWorld, Subject, Teller } from "./kind.ts";

/** The current audience of a fact or record. Nothing flows if the bot cannot tell who it is. */
export function toAudience(
  ref: AudienceRef,
  directory: Pick<Directory, "canRead" | "audience" | "members">,
  botId: UserId,
): Audience {
  switch (ref.kind) {
    case "person":
      return { kind: "people", people: new Set([ref.id]) };
    case "guild":
      return directory.members(ref.id, null);
    case "role":
      return directory.members(ref.guildId, ref.id);
    case "channel":
      return directory.canRead(botId, ref.id) ? directory.audience(ref.id) : { kind: "world" };
  }
}

export function toLimit(key: string, audience: Audience): Limit {
  return { key, allows: (readers) => flows(audience, readers) };
}

/** Whether all readers are in all of these audiences. */
export function areAllIn(
  readers: Audience,
  refs: readonly AudienceRef[],
  {
    directory,
    botId,
  }: { readonly directory: Pick<Directory, "canRead" | "audience" | "members">; readonly botId: UserId },
): boolean {
  return refs.every((ref) => flows(toAudience(ref, directory, botId), readers));
}

/** Null for unknown audiences. */
export function limitedTo(
  { audiences }: { readonly audiences: readonly AudienceRef[] | null },
  { directory, watch }: SourceWorld,
): readonly Limit[] | null {
  return audiences?.map((ref) => toLimit(toAudienceKey(ref), toAudience(ref, directory, watch.botId))) ?? null;
}

/** Whether a person may tell others what is limited to this audience. Content shared with a role is only for its members. */
export function isOwnAudience(ref: AudienceRef, { actor, guildId, isTellable }: Teller): boolean {
  switch (ref.kind) {
    case "person":
      return ref.id === actor;
    case "guild":
      return ref.id === guildId;
    case "channel":
      return isTellable(ref.id);
    case "role":
      return false;
  }
}

/** Content that a person shares with a server stands while they are a member. */
export function isSubjectThere({ subjectId, guildId }: Subject, directory: Pick<Directory, "member">): boolean {
  return subjectId === null || guildId === null || directory.member(guildId, subjectId) !== undefined;
}

/** The server of an audience; null for one person, for a DM and for an unknown channel. */
export function toGuildId(ref: AudienceRef, directory: Pick<Directory, "channel">): GuildId | null {
  switch (ref.kind) {
    case "guild":
      return ref.id;
    case "role":
      return ref.guildId;
    case "channel":
      return directory.channel(ref.id)?.guildId ?? null;
    case "person":
      return null;
  }
}
