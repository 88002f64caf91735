import type { GuildId, UserId } from "../../domain/ids.ts";
import { type Fact, normaliseName } from "../../domain/memory/fact.ts";
import type { View } from "../../tools/view.ts";
import type { FactReads } from "./fact-reads.ts";
import type { ProfileReads } from "./profile-reads.ts";

/** Of people and servers, among those that may be named here. */
interface Names {
  person(name: string): Promise<UserId>;
  /** Without a name, that of the request, or all. */
  guilds(name: string | undefined): Promise<readonly GuildId[]>;
}

interface FactParts {
  finder(): { readonly names: Names };
  facts(): FactReads;
  profiles(): ProfileReads;
}

interface FactsAbout {
  readonly actor: UserId;
  /** As named; the actor if absent. */
  readonly person: string | undefined;
  /** Any if absent. */
  readonly key: string | undefined;
}

/** What is remembered about a person under a key, and what their profile says under it. */
export async function readFactsAbout(
  { actor, person, key }: FactsAbout,
  { finder, facts, profiles }: FactParts,
): ReturnType<View["factsAbout"]> {
  const subjectId = person === undefined ? actor : await finder().names.person(person);
  const isWanted = toKeyFilter(key);
  const { fields, isUnavailable } = await profiles().read(subjectId, (name) => isWanted({ name }));
  const heard = await facts().readAbout(subjectId, isWanted, fields);
  return { ...heard, isActor: subjectId === actor, isProfileUnavailable: isUnavailable };
}

/** What is shared under a key in a server and its projects. */
export async function readSharedFacts(
  { key, server }: { key: string | undefined; server: string | undefined },
  { finder, facts }: Pick<FactParts, "finder" | "facts">,
): ReturnType<View["sharedFacts"]> {
  const guildIds = await finder().names.guilds(server);
  const scopes = ["project", "org"] as const;
  const queries = guildIds.flatMap((guildId) => scopes.map((scopeType) => ({ scopeType, guildId })));
  return facts().read(queries, toKeyFilter(key));
}

/** Names are compared without regard to case. */
function toKeyFilter(key: string | undefined): (fact: Pick<Fact, "name">) => boolean {
  return ({ name }) => key === undefined || normaliseName(name) === normaliseName(key);
}
