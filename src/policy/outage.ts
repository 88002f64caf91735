import { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { Directory } from "../ports/directory.ts";
import { refuseGuild } from "./apply-rules.ts";
import type { Grant } from "./grant.ts";
import type { Rules } from "./rules.ts";

interface Concern {
  readonly grant: Grant;
  readonly rules: Rules;
  readonly actor: UserId;
  /** The only server concerned; null if it may be any of the actor's. */
  readonly home: GuildId | null;
}

/**
 * Whether one of these servers cannot be reached, so that absence cannot be claimed. Independent of the requested channel: otherwise the
 * answer would reveal which channels exist.
 */
export function hasOutage(
  directory: Pick<Directory, "guilds" | "member">,
  { grant, rules, actor, home }: Concern,
): boolean {
  const isConcerned = (id: GuildId) =>
    refuseGuild({ grant, rules }, id) === null && (home ? id === home : directory.member(id, actor) !== undefined);
  return directory.guilds().some(({ id, available }) => !available && isConcerned(id));
}

export function outage(): EarshotError {
  return new EarshotError("unavailable", "Discord cannot be asked about the server at the moment; try again later.");
}
