import type { Member } from "../domain/guild.ts";
import { compareIds, type GuildId } from "../domain/ids.ts";
import type { Directory } from "../ports/directory.ts";
import {
  DISCORD_PROFILE_KEYS,
  type ProfileKey,
  type ProfileQuery,
  type ProfileSource,
  type ProfileValue,
} from "../ports/profile-source.ts";

type ProfileDirectory = Pick<Directory, "guild" | "member" | "roles">;

/** A member may hold hundreds. */
const MAX_ROLES = 20;

/**
 * The data that Discord shows every member of a server about another: name, roles, and join date. Only for the server of the request, and only while its member
 * list is complete: without it, the data may come from messages in hidden channels.
 */
export class DiscordProfile implements ProfileSource {
  readonly origin = "discord";
  readonly #directory: ProfileDirectory;

  constructor(directory: ProfileDirectory) {
    this.#directory = directory;
  }

  keys(query: ProfileQuery): readonly ProfileKey[] {
    const { guildId } = query;
    if (guildId === null || !this.#member(query)) return [];
    return DISCORD_PROFILE_KEYS.map((key) => ({ key, audience: { kind: "guild", id: guildId } }));
  }

  peek(query: ProfileQuery): ReadonlyMap<string, ProfileValue> | null {
    return this.#isComplete(query.guildId) ? this.#describe(query) : null;
  }

  async read(query: ProfileQuery): Promise<ReadonlyMap<string, ProfileValue>> {
    return this.#describe(query);
  }

  /** Nothing is kept here: it is read from the directory. */
  forget(): void {}

  #describe(query: ProfileQuery): ReadonlyMap<string, ProfileValue> {
    const member = this.#member(query);
    const values = new Map<(typeof DISCORD_PROFILE_KEYS)[number], ProfileValue>();
    if (!member || query.guildId === null) return values;
    const roles = this.#describeRoles(member, query.guildId);
    values.set("display name", member.name);
    if (roles !== "") values.set("roles", roles);
    if (member.joinedOn !== undefined) values.set("joined", new Date(member.joinedOn).toISOString().slice(0, 10));
    return values;
  }

  #member({ person, guildId }: ProfileQuery): Member | undefined {
    return guildId !== null && this.#isComplete(guildId) ? this.#directory.member(guildId, person) : undefined;
  }

  #isComplete(guildId: GuildId | null): boolean {
    return guildId !== null && this.#directory.guild(guildId)?.membersComplete === true;
  }

  /** The highest first. Roles that Discord made for bots are as good as names of bots. */
  #describeRoles({ roles: held }: Member, guildId: GuildId): string {
    const roles = this.#directory.roles(guildId).filter(({ id, botId }) => held.has(id) && botId === undefined);
    roles.sort((a, b) => b.position - a.position || compareIds(a.id, b.id));
    const names = roles.slice(0, MAX_ROLES).map(({ name }) => name);
    return [...names, ...(roles.length > MAX_ROLES ? [`${roles.length - MAX_ROLES} more`] : [])].join(", ");
  }
}
