import type { Channel } from "../domain/guild.ts";
import type { GuildId } from "../domain/ids.ts";
import type { Witness } from "../domain/role-algebra.ts";
import { quoteName } from "../domain/text/escape.ts";
import { type Cause, findWithheld, type Onlooker } from "./find-withheld.ts";

const MAX_LINES = 20;
const MAX_NAMES = 4;

/**
 * Says which channels answers in a server cannot use where, and why, so that an admin understands withheld. What is to be expected is told
 * only when everything is asked for.
 */
export function describeWithheld(guildId: GuildId, onlooker: Onlooker, everything: boolean): string[] {
  const { pairs, flowing, withheld, liveOnly } = findWithheld(guildId, onlooker);
  const mostNames = everything ? Number.POSITIVE_INFINITY : MAX_NAMES;
  const told = withheld.filter(({ cause }) => everything || cause.kind !== "many");
  const lines = told.slice(0, everything ? told.length : MAX_LINES).map(({ destinations, sources, cause }) => {
    const [where, what] = [listChannels(destinations, mostNames), listChannels(sources, mostNames)];
    return `! in ${where}, answers cannot use ${what}: ${describeCause(cause, guildId, onlooker)}`;
  });
  if (told.length > lines.length)
    lines.push(`! and ${told.length - lines.length} more such; doctor --all tells everything`);
  if (liveOnly.length > 0)
    lines.push(
      `! in ${listChannels(liveOnly, mostNames)}, answers use only the last ten minutes of the channel itself: somebody who sees it cannot read it back`,
    );
  if (told.some(({ cause }) => cause.kind === "perhaps"))
    lines.push(
      "  → With the Server Members intent it is decided over the people there are, not over all there could be.",
    );
  return [`✓ what may be used where: ${flowing} of ${pairs} pairs of channels`, ...lines];
}

function describeCause(cause: Cause, guildId: GuildId, onlooker: Onlooker): string {
  switch (cause.kind) {
    case "announcement":
      return "what is said there can travel to other servers";
    case "age_restricted":
      return "age-restricted channels are used only among themselves and in private";
    case "fleeting":
      return "most who are there cannot read back what was said";
    case "many":
      return "many who see the one cannot read the other";
    case "perhaps":
      return `${describeWitness(cause.witness, guildId, onlooker)} would see the one and could not read the other`;
    case "few": {
      const somebody = describeWitness(cause.witness, guildId, onlooker);
      if (cause.people === 1) return `${somebody} sees the one and cannot read the other`;
      return `${cause.people} people, such as ${somebody}, see the one and cannot read the other`;
    }
  }
}

/** A person by name, or the holders of certain roles. */
function describeWitness({ member, roles }: Witness, guildId: GuildId, { directory }: Onlooker): string {
  const held = directory.roles(guildId).filter(({ id }) => roles.has(id));
  const names = list(
    held.map(({ name }) => quoteName(name)),
    MAX_NAMES,
  );
  const named = member && directory.member(guildId, member)?.name;
  const person = named ? quoteName(named) : "somebody";
  return held.length === 0 ? `${person} without any role` : `${person} with just ${names}`;
}

function listChannels(channels: readonly Channel[], most: number): string {
  const sorted = channels.toSorted((a, b) => a.position - b.position);
  return list(
    sorted.map(({ name }) => `#${quoteName(name)}`),
    most,
  );
}

/** With one more than the most, all are told: "and 1 more" is no shorter. */
function list(names: readonly string[], most: number): string {
  return names.length > most + 1
    ? `${names.slice(0, most).join(", ")} and ${names.length - most} more`
    : names.join(", ");
}
