import { EarshotError } from "../domain/errors.ts";
import { type GuildId, toId, type UserId } from "../domain/ids.ts";
import { type Named, resolveWholeName } from "../domain/names/resolve-name.ts";
import { quoteInput } from "../domain/text/escape.ts";
import { nearestNames } from "../domain/text/unknown-name.ts";
import type { Directory } from "../ports/directory.ts";
import { refuseGuild } from "./apply-rules.ts";
import type { Grant } from "./grant.ts";
import type { Rules } from "./rules.ts";

type KnownNames = Pick<Directory, "guilds" | "channels" | "people" | "isMeetingPeople">;
type NamesDirectory = KnownNames & Pick<Directory, "findPeople" | "member" | "learnMember">;

type NamedKind = "people" | "channels";

/** Comparing a name with more would take too long. */
const MAX_COMPARED = 5_000;

/** People or channels with a name as Discord shows it, in any server; accents, case and decoration do not matter. For the operator: nothing is hidden. */
function findNamed(kind: NamedKind, name: string, directory: KnownNames): readonly Named[] {
  return matching(
    name,
    directory.guilds().flatMap(({ id }) => candidatesIn(id, kind, directory)),
  );
}

/** Includes people whom only Discord knows, by name or id. Throws `unavailable` or `rate_limited` if Discord cannot be asked. */
export async function lookUpNamed(kind: NamedKind, name: string, directory: NamesDirectory): Promise<readonly Named[]> {
  const known = findNamed(kind, name, directory);
  if (kind === "channels") return known;
  const partial = directory.guilds().filter(({ id, membersComplete }) => !membersComplete && !isLoading(id, directory));
  const userId = toId<UserId>(name);
  if (userId) {
    await Promise.all(partial.map(({ id }) => directory.learnMember(userId, id)));
    return directory.guilds().some(({ id }) => directory.member(id, userId)) ? [{ id: userId, names: [] }] : [];
  }
  const asked = await Promise.all(partial.map(({ id }) => directory.findPeople(id, name.replace(/^@/, ""))));
  return matching(name, [...known, ...asked.flat()]);
}

/** The only one with a name, for the operator, who is told which name may have been meant. Throws `invalid` where there is none, else as `requireNamed`. */
export async function findForOperator(kind: NamedKind, name: string, directory: NamesDirectory): Promise<Named> {
  const found = await lookUpNamed(kind, name, directory);
  const names = directory.guilds().flatMap(({ id }) => candidatesIn(id, kind, directory).flatMap((one) => one.names));
  const nearest = nearestNames(
    name.replace(/^[@#]/, "").toLowerCase(),
    found.length > 0 ? [] : names.slice(0, MAX_COMPARED),
  );
  return requireOne(found, { kind, name, nearest }, directory);
}

/** The only one with a name. Throws `not_found`, `invalid` where there are several, and `unavailable` while the member list is loading. */
export function requireNamed(kind: NamedKind, name: string, directory: KnownNames): Named {
  return requireOne(findNamed(kind, name, directory), { kind, name }, directory);
}

/**
 * The person for whom a client wants to act, by id or displayed name. Searches only people for whom the client may act: another person's
 * name gets the same error as an unknown one. `charge` is called for each request to Discord. Throws as `requireNamed`.
 */
export async function findActor(
  asked: string,
  terms: { readonly grant: Grant; readonly rules: Rules; charge(): void },
  directory: NamesDirectory,
): Promise<UserId> {
  const id = toId<UserId>(asked);
  if (id) return id;
  const { actors } = terms.grant;
  const isFor = (person: Named) => actors === "anyone" || actors.some((actor) => actor === person.id);
  const covered: NamesDirectory = {
    guilds: () => directory.guilds().filter((guild) => refuseGuild(terms, guild.id) === null),
    channels: () => [],
    people: (guildId) => [...directory.people(guildId)].filter(isFor),
    findPeople: async (guildId, name) => {
      terms.charge();
      return (await directory.findPeople(guildId, name)).filter(isFor);
    },
    isMeetingPeople: (guildId) => directory.isMeetingPeople(guildId),
    member: (guildId, userId) => directory.member(guildId, userId),
    learnMember: (userId, guildId) => directory.learnMember(userId, guildId),
  };
  const found = await lookUpNamed("people", asked, covered);
  return requireOne(found, { kind: "people", name: asked }, covered).id as UserId;
}

function requireOne(
  [only, ...others]: readonly Named[],
  { kind, name, nearest }: { readonly kind: NamedKind; readonly name: string; readonly nearest?: readonly string[] },
  directory: KnownNames,
): Named {
  const what = kind === "people" ? "person" : "channel";
  const called = `${what} called ${quoteInput(name)}`;
  if (only && others.length === 0) return only;
  if (only) {
    const ids = [only, ...others].map(({ id }) => id).join(", ");
    throw new EarshotError("invalid", `There is more than one ${called}: ${ids}. Use one of these ids.`);
  }
  if (kind === "people" && directory.guilds().some(({ id }) => isLoading(id, directory)))
    throw new EarshotError(
      "unavailable",
      `No ${called} is known yet: the member list is still being loaded. Try again in a minute, or use the ${what}'s id.`,
    );
  const problem = toId(name) ? `No ${what} with the id ${name} is in a server of the bot.` : `No ${called} is known.`;
  const next = nearest?.[0] ? `Did you mean ${nearest[0]}?` : `Check the name, or use the ${what}'s id.`;
  throw new EarshotError(nearest ? "invalid" : "not_found", `${problem} ${next}`);
}

function isLoading(id: GuildId, directory: KnownNames): boolean {
  return directory.isMeetingPeople(id);
}

function candidatesIn(guildId: GuildId, kind: NamedKind, directory: KnownNames): Named[] {
  if (kind === "people") return [...directory.people(guildId)];
  const channels = directory.channels(guildId).filter((channel) => channel.kind !== "category");
  return channels.map(({ id, name }) => ({ id, names: [name] }));
}

/** A person in several servers is one candidate, with the names of each. */
function matching(name: string, candidates: readonly Named[]): readonly Named[] {
  const merged = new Map<string, Named>();
  for (const { id, names } of candidates)
    merged.set(id, { id, names: [...new Set([...(merged.get(id)?.names ?? []), ...names])] });
  const resolution = resolveWholeName(name, merged.values());
  if (resolution.kind === "none") return [];
  return resolution.kind === "one" ? [resolution.candidate] : resolution.candidates;
}
