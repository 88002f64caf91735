import type { AudienceRef } from "../../domain/audience-ref.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import { audiencesOf, type Fact } from "../../domain/memory/fact.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";

type People = Pick<Directory, "people" | "canRead" | "member">;

/** Of fewer people than this, a number could tell who asked. */
const MIN_OTHERS = 3;
const FEW_TTL_MS = 10 * 60_000;
const MAX_CACHED = 1_000;

type Heard = Pick<Fact, "subjectId" | "guildId" | "home" | "basis">;

/**
 * Whether the uses of a fact may be counted: not by its person later on, when somebody else hears it among few. Many may hear it by then, and the number
 * would tell what those few did. That few hear something is known only after a look at every member, so it is kept for a while.
 */
export class CountedUses {
  readonly #directory: People;
  readonly #few: BoundedMap<string, true>;

  constructor({ directory, clock }: { readonly directory: People; readonly clock: Clock }) {
    this.#directory = directory;
    this.#few = new BoundedMap({ maxEntries: MAX_CACHED, ttlMs: FEW_TTL_MS, clock });
  }

  mayCount(actor: UserId, fact: Heard): boolean {
    if (fact.subjectId === null || fact.subjectId === actor) return true;
    const key = JSON.stringify([fact.guildId, fact.subjectId, audiencesOf(fact)]);
    if (this.#few.has(key)) return false;
    const isFew = isHeardByFew(fact, this.#directory);
    if (isFew) this.#few.set(key, true);
    return !isFew;
  }
}

/**
 * Whether so few people besides its subject are known to hear a fact that the number of its uses could tell which of them asked. What only its subject
 * hears tells of nobody else.
 */
export function isHeardByFew({ subjectId, guildId, ...fact }: Heard, directory: People): boolean {
  const audiences = audiencesOf(fact);
  if (guildId === null || audiences.some(({ kind }) => kind === "person")) return false;
  // Who is pending hears nothing that is for a server.
  const isMember = (id: GuildId, person: UserId) => {
    const member = directory.member(id, person);
    return member !== undefined && !member.pending;
  };
  const isIn =
    (person: UserId) =>
    ({ kind, id }: AudienceRef) =>
      kind === "channel" ? directory.canRead(person, id) : kind === "guild" && isMember(id, person);
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
