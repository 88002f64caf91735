import type { GuildId, UserId } from "../../domain/ids.ts";
import type { AudienceRef } from "../../domain/label.ts";
import { audiencesOf, type Fact } from "../../domain/memory/fact.ts";
import type { Directory } from "../../ports/directory.ts";

type People = Pick<Directory, "people" | "canRead" | "member">;

/** Of fewer people than this, a number could tell who asked. */
const MIN_OTHERS = 3;

/**
 * Whether so few people besides its subject are known to hear a fact that the number of its uses could tell which of them asked. What only its subject
 * hears tells of nobody else.
 */
export function isHeardByFew(
  { subjectId, guildId, ...fact }: Pick<Fact, "subjectId" | "guildId" | "home" | "basis">,
  directory: People,
): boolean {
  const audiences = audiencesOf(fact);
  if (guildId === null || audiences.some(({ kind }) => kind === "person")) return false;
  const isIn =
    (person: UserId) =>
    ({ kind, id }: AudienceRef) =>
      kind === "channel"
        ? directory.canRead(person, id)
        : kind === "guild" && directory.member(id, person) !== undefined;
  return areFew({ guildId, besides: subjectId, isAmong: (person) => audiences.every(isIn(person)) }, directory);
}

/** Whether fewer people than that, besides one, are known to be among some in a server. */
export function areFew(
  {
    guildId,
    besides,
    isAmong,
  }: { readonly guildId: GuildId; readonly besides: UserId | null; isAmong(person: UserId): boolean },
  directory: Pick<Directory, "people">,
): boolean {
  let others = 0;
  for (const { id, bot } of directory.people(guildId)) {
    if (bot || id === besides || !isAmong(id)) continue;
    others += 1;
    if (others === MIN_OTHERS) return false;
  }
  return true;
}
