import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import type { Role } from "../../domain/guild.ts";
import { compareIds, type GuildId, type RoleId, toId, type UserId } from "../../domain/ids.ts";
import { containsKeywords, type Keyword, toKeywords } from "../../domain/search/keywords.ts";
import { COST, type OpenPace, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Person } from "../../ports/directory.ts";
import type { Discord } from "../../ports/discord.ts";
import type { GuildView, ListedPerson, PeoplePage, PeopleRequest, Profile } from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { Finder } from "./finder.ts";
import type { People } from "./name-finder.ts";

export interface MemberListParts extends ReadParts {
  finder(): Finder;
}

export interface MemberListDeps {
  readonly discord: Pick<Discord, "directory">;
  readonly people: People;
  readonly openPace: OpenPace;
}

interface Wanted {
  readonly words: readonly Keyword[];
  /** Null for any. */
  readonly roles: ReadonlySet<RoleId> | null;
  readonly after: UserId | null;
  readonly limit: number;
}

/**
 * Lists people and bots of a server (or, for a request from outside of servers, of all that may be named) for readers who may know that
 * server: its members see the same list with all roles in Discord. While the list is incomplete, lists only people whose names come from
 * other sources, without roles: anything else known of them may come from hidden channels.
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

  profile(): Profile | null {
    const { directory } = this.#deps.discord;
    const { guildId } = this.#parts.access.here;
    // Without the complete member list, data about a member may come from messages in hidden channels.
    if (guildId === null || !directory.guild(guildId)?.membersComplete) return null;
    const member = directory.member(guildId, this.#call.operation.actor);
    if (!member) return null;
    const roles = directory.roles(guildId).filter(({ id, botId }) => member.roles.has(id) && botId === undefined);
    return { name: member.name, roles: roles.sort((a, b) => b.position - a.position).map(({ name }) => name) };
  }

  async list(request: PeopleRequest): Promise<PeoplePage> {
    const { access, finder } = this.#parts;
    const guilds = (await finder().names.guilds(request.server)).toSorted(compareIds);
    const isOne = guilds.length === 1;
    const cursor = readCursor(request.cursor);
    const found: ListedPerson[] = [];
    const asked: GuildView[] = [];
    let isComplete = isOne || !access.isCutOff;
    for (const id of guilds) {
      const isPast = cursor?.guildId && compareIds(id, cursor.guildId) < 0;
      const isFrom = cursor?.guildId === null || cursor?.guildId === id;
      const after = isFrom ? cursor.after : null;
      const page = isPast ? null : await this.#listOne(id, request, { after, limit: request.limit - found.length });
      if (!page) continue;
      asked.push(page.guild);
      found.push(...page.people);
      isComplete &&= page.isComplete;
      if (found.length > request.limit) break;
    }
    const [guild] = asked;
    if (!guild) throw access.absent(isOne ? "There is no such server." : "There is no server that can be read here.");
    const people = found.slice(0, request.limit);
    const last = found.length > people.length ? people.at(-1) : undefined;
    const next = last ? (isOne ? last.id : `${last.guild.id}/${last.id}`) : null;
    return { guild: isOne ? guild : null, people, isComplete, next };
  }

  /** The people of one server, plus one if there are more; null for a server that may not be named. */
  async #listOne(
    id: GuildId,
    { query, role }: PeopleRequest,
    page: Pick<Wanted, "after" | "limit">,
  ): Promise<{ guild: GuildView; people: ListedPerson[]; isComplete: boolean } | null> {
    const { directory } = this.#deps.discord;
    const known = directory.guild(id);
    if (!known || !this.#parts.access.mayNameGuild(id)) return null;
    const guild = { id, name: known.name };
    this.#parts.record.namedGuild(id, guild.name);
    const roles = directory.roles(id).filter(({ botId }) => botId === undefined);
    const held = role === undefined ? null : findRoles(role, roles);
    const wanted = { ...page, words: toKeywords(query ?? ""), roles: held };
    const { membersComplete: isComplete } = known;
    const everybody = isComplete ? [...directory.people(id)] : await this.#known(id, query);
    const rolesOf = isComplete ? describeRoles(roles, (person) => directory.member(id, person)?.roles) : () => [];
    const pace = this.#deps.openPace(() => throwIfCancelled(this.#call.signal));
    const people = await pace.run(pick(everybody, { wanted, rolesOf }, pace));
    return { guild, people: people.map((person) => ({ ...person, guild })), isComplete };
  }

  /** Authors in channels that may be read here, and people whom Discord's search finds by that name. */
  async #known(id: GuildId, query: string | undefined): Promise<Person[]> {
    const { access, record } = this.#parts;
    const channelIds = access.readable(id);
    record.searched(channelIds);
    const sources = { guildIds: [id], channelIds: () => channelIds };
    return this.#deps.people.known(id, query ?? "", sources);
  }
}

/** The person before the page; without a server, in each of them. */
function readCursor(cursor: string | undefined): { guildId: GuildId | null; after: UserId } | null {
  if (cursor === undefined) return null;
  const [person, server] = cursor.split("/", 2).reverse();
  const after = toId<UserId>(person);
  const guildId = toId<GuildId>(server);
  if (after !== null && (guildId !== null || server === undefined)) return { guildId, after };
  throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
}

/** Roles with exactly this name, else those whose names contain its words. An id or a mention selects one role. */
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

/** The roles of each person, the highest first; null for non-members. Cached, because many people have the same ones. */
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

type FoundPerson = Omit<ListedPerson, "guild">;

interface Picking {
  readonly wanted: Wanted;
  rolesOf(id: UserId): readonly HeldRole[] | null;
}

/** The matching people, ordered by id, plus one if there are more. */
function* pick(everybody: readonly Person[], { wanted, rolesOf }: Picking, pacer: Pacer): Steps<FoundPerson[]> {
  const { words, roles, after, limit } = wanted;
  const found: FoundPerson[] = [];
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
