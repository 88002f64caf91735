import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import type { Role } from "../../domain/guild.ts";
import { compareIds, type GuildId, type RoleId, toId, type UserId } from "../../domain/ids.ts";
import { containsKeywords, type Keyword, toKeywords } from "../../domain/search/keywords.ts";
import { COST, type OpenPace, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Person } from "../../ports/directory.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ListedPerson, PeoplePage, PeopleRequest } from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { Finder } from "./finder.ts";
import type { People } from "./people.ts";

export interface MemberListParts extends ReadParts {
  finder(): Finder;
}

export interface MemberListDeps {
  readonly discord: Pick<Discord, "directory">;
  readonly people: People;
  readonly openPace: OpenPace;
}

/** Whom to list: all of it must hold. */
interface Wanted {
  readonly words: readonly Keyword[];
  /** Null for any. */
  readonly roles: ReadonlySet<RoleId> | null;
  readonly after: UserId | null;
  readonly limit: number;
}

/**
 * Lists people and bots of a server for those who may know that server: its members see the whole list, with everybody's roles, in Discord itself.
 * While the list is not complete, only people whose names may come from elsewhere are listed, without roles: what else is known of them may come from
 * hidden channels in which they spoke.
 */
export class MemberList {
  readonly #call: ToolCall;
  readonly #parts: MemberListParts;
  readonly #deps: MemberListDeps;

  constructor(call: ToolCall, parts: MemberListParts, deps: MemberListDeps) {
    this.#call = call;
    this.#parts = parts;
    this.#deps = deps;
  }

  async list(request: PeopleRequest): Promise<PeoplePage> {
    const { directory } = this.#deps.discord;
    const guild = directory.guild(await this.#parts.finder().names.guild(request.server));
    if (!guild || !this.#parts.access.mayNameGuild(guild.id))
      throw this.#parts.access.absent("There is no such server.");
    this.#parts.record.namedGuild(guild.id, guild.name);
    const roles = directory.roles(guild.id).filter(({ botId }) => botId === undefined);
    const wanted = toWanted(request, roles);
    const { membersComplete } = guild;
    const everybody = membersComplete ? [...directory.people(guild.id)] : await this.#known(guild.id, request.query);
    const rolesOf = membersComplete ? describeRoles(roles, (id) => directory.member(guild.id, id)?.roles) : () => [];
    const pace = this.#deps.openPace(() => throwIfCancelled(this.#call.signal));
    const found = await pace.run(pick(everybody, { wanted, rolesOf }, pace));
    const people = found.slice(0, wanted.limit);
    return {
      guild: { id: guild.id, name: guild.name },
      people,
      isComplete: membersComplete,
      next: found.length > people.length ? (people.at(-1)?.id ?? null) : null,
    };
  }

  /** Who spoke where it can be read here, and whom Discord finds by that name. */
  async #known(id: GuildId, query: string | undefined): Promise<Person[]> {
    const { access, record } = this.#parts;
    const channelIds = access.readable(id);
    record.searched(channelIds);
    const sources = { guildIds: [id], channelIds: () => channelIds };
    return this.#deps.people.known(id, query ?? "", sources);
  }
}

function toWanted({ query, role, limit, cursor }: PeopleRequest, roles: readonly Role[]): Wanted {
  const after = cursor === undefined ? null : toId<UserId>(cursor);
  if (cursor !== undefined && after === null)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  return { words: toKeywords(query ?? ""), roles: role === undefined ? null : findRoles(role, roles), after, limit };
}

/** Roles with exactly this name, else those whose names hold its words. An id or a mention means one role. */
function findRoles(name: string, roles: readonly Role[]): ReadonlySet<RoleId> {
  const words = toKeywords(name.replace(/^@/, ""));
  const id = name.replace(/^<@&(\d+)>$/, "$1");
  const isCalled = (role: Role) => role.id === id || role.name.toLowerCase() === name.replace(/^@/, "").toLowerCase();
  const called = roles.filter(isCalled);
  const found =
    called.length > 0 ? called : roles.filter((role) => words.length > 0 && containsKeywords(role.name, words));
  return new Set(found.map((role) => role.id));
}

interface HeldRole {
  readonly id: RoleId;
  readonly name: string;
}

/** The roles of each person, the highest first; null for who is no member. Many people hold the same ones. */
function describeRoles(
  roles: readonly Role[],
  heldBy: (id: UserId) => ReadonlySet<RoleId> | undefined,
): (id: UserId) => readonly HeldRole[] | null {
  const ranked = roles.toSorted((a, b) => b.position - a.position || compareIds(a.id, b.id));
  const known = new Map<ReadonlySet<RoleId>, readonly HeldRole[]>();
  return (id) => {
    const held = heldBy(id);
    if (!held) return null;
    const described = known.get(held) ?? ranked.filter((role) => held.has(role.id));
    known.set(held, described);
    return described;
  };
}

interface Picking {
  readonly wanted: Wanted;
  rolesOf(id: UserId): readonly HeldRole[] | null;
}

/** Those who fit, in the order of their ids, and one more than is wanted if there are more. */
function* pick(everybody: readonly Person[], { wanted, rolesOf }: Picking, pacer: Pacer): Steps<ListedPerson[]> {
  const { words, roles, after, limit } = wanted;
  const found: ListedPerson[] = [];
  for (const { id, names, bot } of everybody) {
    const held = rolesOf(id);
    const text = [...names, ...(held ?? []).map(({ name }) => name)].join("\n");
    if (pacer.spend(COST.character * (text.length + 1))) yield;
    const last = found.length > limit ? found.at(-1) : undefined;
    const isOnPage = (after === null || compareIds(id, after) > 0) && !(last && compareIds(id, last.id) > 0);
    if (!held || !isOnPage || (roles && !held.some((role) => roles.has(role.id)))) continue;
    if (!containsKeywords(text, words)) continue;
    const place = found.findIndex((one) => compareIds(one.id, id) > 0);
    const person = { id, names, bot, roles: held.map(({ name }) => name) };
    found.splice(place < 0 ? found.length : place, 0, person);
    if (found.length > limit + 1) found.pop();
  }
  return found;
}
