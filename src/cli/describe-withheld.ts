import type { Channel } from "../domain/guild.ts";
import type { GuildId } from "../domain/ids.ts";
import type { Witness } from "../domain/role-algebra.ts";
import { quoteName } from "../domain/text/escape.ts";
import { type Cause, findWithheld, type Onlooker } from "./find-withheld.ts";

const MAX_LINES = 20;
const MAX_NAMES = 4;

/**
 * Lists, with reasons, which channels are never quoted in which others, so that an admin understands a silence. Expected cases appear only with `everything`.
 */
export function describeWithheld(guildId: GuildId, onlooker: Onlooker, everything: boolean): string[] {
  const { pairs, flowing, withheld, liveOnly } = findWithheld(guildId, onlooker);
  const mostNames = everything ? Number.POSITIVE_INFINITY : MAX_NAMES;
  const told = withheld.filter(({ cause }) => everything || cause.kind !== "many");
  const lines = told.slice(0, everything ? told.length : MAX_LINES).map(({ destinations, sources, cause }) => {
    const [where, what] = [listChannels(destinations, mostNames), listChannels(sources, mostNames)];
    const isPair = destinations.length === 1 && sources.length === 1;
    const pair = isPair ? { seen: where, unread: what } : { seen: "the former", unread: "the latter" };
    return `! Answers in ${where} never quote ${what}: ${describeCause(cause, pair, { guildId, onlooker })}`;
  });
  if (told.length > lines.length)
    lines.push(`! And ${told.length - lines.length} more like these; doctor --all lists all of them`);
  if (liveOnly.length > 0)
    lines.push(
      `! Answers in ${listChannels(liveOnly, mostNames)} quote only the last ten minutes of the channel itself: some who see it cannot read its history`,
    );
  if (told.some(({ cause }) => cause.kind === "perhaps"))
    lines.push(
      "  → This is about anybody who could be a member. Once the member list is complete (it needs the Server Members intent), it is about those who are.",
    );
  return [`✓ quoting between channels: possible for ${flowing} of ${pairs} pairs of channels`, ...lines];
}

/** People who see one channel and cannot read the other, by name or as "the former" and "the latter". */
interface Pair {
  readonly seen: string;
  readonly unread: string;
}

interface Server {
  readonly guildId: GuildId;
  readonly onlooker: Onlooker;
}

function describeCause(cause: Cause, { seen, unread }: Pair, server: Server): string {
  const them = `can see ${seen} but cannot read ${unread}`;
  switch (cause.kind) {
    case "announcement":
      return "announcements can travel to other servers";
    case "age_restricted":
      return "age-restricted channels are quoted only in age-restricted channels and in private";
    case "fleeting":
      return "most people who see it cannot read its history";
    case "many":
      return `many people ${them}`;
    case "perhaps":
      return `${describeWitness(cause.witness, "people", server)} ${them}`;
    case "few": {
      const somebody = describeWitness(cause.witness, "somebody", server);
      if (cause.people === 1) return `${somebody} ${them}`;
      return `${cause.people} people (${somebody}, for one) ${them}`;
    }
  }
}

/** A person by name, or the holders of certain roles. */
function describeWitness(
  { member, roles }: Witness,
  unnamed: "people" | "somebody",
  { guildId, onlooker: { directory } }: Server,
): string {
  const held = directory.roles(guildId).filter(({ id }) => roles.has(id));
  const names = list(
    held.map(({ name }) => quoteName(name)),
    MAX_NAMES,
  );
  const named = member && directory.member(guildId, member)?.name;
  const holding = held.length === 0 ? "without a role" : `with only the role${held.length === 1 ? "" : "s"} ${names}`;
  return `${named ? quoteName(named) : unnamed} ${holding}`;
}

function listChannels(channels: readonly Channel[], most: number): string {
  const sorted = channels.toSorted((a, b) => a.position - b.position);
  return list(
    sorted.map(({ name }) => `#${quoteName(name)}`),
    most,
  );
}

/** With one more than the most, all are listed: "and 1 more" is no shorter. */
function list(names: readonly string[], most: number): string {
  return names.length > most + 1
    ? `${names.slice(0, most).join(", ")} and ${names.length - most} more`
    : names.join(", ");
}
