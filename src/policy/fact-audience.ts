import type { Audience } from "../domain/audience.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { AudienceRef, RecordReading } from "../domain/label.ts";
import type { Directory } from "../ports/directory.ts";

/** What somebody shares with a server is theirs to share for as long as they are in it. */
export function isSubjectThere(
  { subjectId, guildId }: { readonly subjectId: UserId | null; readonly guildId: GuildId | null },
  directory: Pick<Directory, "member">,
): boolean {
  return subjectId === null || guildId === null || directory.member(guildId, subjectId) !== undefined;
}

/** The server that those are in; null for one person, for a direct conversation and for a channel that is not known. */
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

/**
 * Whom a record is about, with each server in which they have to be: what is told about somebody in a server is told for as long as they are in it, also by way
 * of a fact that rests on it and is shared elsewhere, or nowhere.
 */
export function toRecordSubjects(
  { subjectId, guildId, audiences }: Pick<RecordReading, "subjectId" | "guildId" | "audiences">,
  directory: Pick<Directory, "channel">,
): readonly Pick<RecordReading, "subjectId" | "guildId">[] {
  const guildIds = new Set([guildId, ...(audiences ?? []).map((ref) => toGuildId(ref, directory))]);
  return [...guildIds].map((each) => ({ subjectId, guildId: each }));
}

export type AudienceDirectory = Pick<Directory, "canRead" | "audience" | "members">;

/** Those to whom a fact or a record is limited, as of now. Where the bot cannot tell who they are, nothing flows to anybody. */
export function toAudience(ref: AudienceRef, directory: AudienceDirectory, botId: UserId): Audience {
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
