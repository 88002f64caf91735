import type { AudienceRef } from "../../domain/audience-ref.ts";
import type { GuildId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Subject } from "./kind.ts";

/** What somebody shares with a server is theirs to share for as long as they are in it. */
export function isSubjectThere({ subjectId, guildId }: Subject, directory: Pick<Directory, "member">): boolean {
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
