import type { AudienceRef } from "../domain/audience.ts";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, RoleId } from "../domain/ids.ts";
import type { Fact } from "../domain/memory/fact.ts";
import { lineageOf } from "../domain/permissions.ts";
import type { Directory } from "../ports/directory.ts";
import { type Grant, OTHERS_SCOPE, OWN_SCOPE, type Scope, type ToolFacts } from "./grant.ts";
import type { Rules } from "./rules.ts";

/** A channel with its lineage: a list that names any of it includes the channel. */
export interface ChannelLocation {
  readonly channel: Pick<Channel, "id" | "guildId">;
  readonly lineage: readonly ChannelId[];
}

/** Undefined for an unknown channel, and for a thread of an unknown channel: lists that include it are unknown. */
export function locateChannel(directory: Pick<Directory, "channel">, id: ChannelId): ChannelLocation | undefined {
  const channel = directory.channel(id);
  if (!channel) return undefined;
  if (channel.thread && !(channel.parentId && directory.channel(channel.parentId))) return undefined;
  return { channel, lineage: lineageOf(channel, (parent) => directory.channel(parent)) };
}

/** The reason why a client may not use a channel or DM, by its grant or the operator's rules. */
export type PlaceRefusal = "place_unknown" | "place_not_granted" | "place_switched_off";

interface Terms {
  readonly grant: Pick<Grant, "guilds" | "channels" | "directMessages">;
  readonly rules: Pick<Rules, "guilds" | "channels" | "directMessages">;
}

/**
 * The only check whether grant and rules cover a place, for calls and events alike; null if they do. An unknown place is never covered,
 * because lists that include it are unknown.
 */
export function refusePlace({ grant, rules }: Terms, place: ChannelLocation | undefined): PlaceRefusal | null {
  if (!place) return "place_unknown";
  const { guildId } = place.channel;
  if (guildId === null && !grant.directMessages) return "place_not_granted";
  if (guildId === null) return rules.directMessages ? null : "place_switched_off";
  if (!isListed(grant.guilds, [guildId]) || !isListed(grant.channels, place.lineage)) return "place_not_granted";
  const isOpen =
    refuseGuild({ grant, rules }, guildId) === null &&
    isListed(rules.channels.allow, place.lineage) &&
    !isListed(rules.channels.deny, place.lineage);
  return isOpen ? null : "place_switched_off";
}

/** The same for a whole server: whether the client may know that the bot is in it. */
export function refuseGuild({ grant, rules }: Terms, guildId: GuildId): PlaceRefusal | null {
  if (!isListed(grant.guilds, [guildId])) return "place_not_granted";
  const isOpen = isListed(rules.guilds.allow, [guildId]) && !rules.guilds.deny.includes(guildId);
  return isOpen ? null : "place_switched_off";
}

/** Whether a list names any of these ids. Pass a channel's lineage: a list can name its category, or a thread's channel. */
export function isListed<Id>(list: "all" | readonly Id[], ids: readonly Id[]): boolean {
  if (list === "all") return true;
  for (const id of ids) if (list.includes(id)) return true;
  return false;
}

/** For facts about projects and servers. */
export const SHARED_WRITE_SCOPE: Scope = "memory:write_project";
/** For viewing and ending facts shared in a server. */
export const ADMIN_SCOPE: Scope = "memory:admin";
/** Members have these scopes only by Manage Server, or by a role that a rule names. */
const NAMED_SCOPES: readonly Scope[] = [SHARED_WRITE_SCOPE, ADMIN_SCOPE];

interface Holder {
  readonly guildId: GuildId | null;
  /** Undefined unless they are known to be a member. */
  readonly roles: ReadonlySet<RoleId> | undefined;
  /** Has Manage Server there, which allows shared facts and their administration without a rule. */
  readonly manages?: boolean | undefined;
}

/** Whether a member may use a scope in a server, by their roles there. */
export function rolesAllow(rules: Rules, { guildId, roles, manages, scope }: Holder & { scope: Scope }): boolean {
  if (NAMED_SCOPES.includes(scope) && roles !== undefined && manages === true) return true;
  let hasRules = false;
  for (const { guild, role, scopes } of rules.roles) {
    if (guild !== guildId) continue;
    if (scopes.includes(scope) && roles !== undefined && (role === "everyone" || roles.has(role))) return true;
    hasRules = true;
  }
  return !hasRules && !NAMED_SCOPES.includes(scope);
}

/** Whether a list of toolsets includes a tool: by its name, the first part of it, or its toolset. */
export function namesTool(toolsets: readonly string[] | undefined, tool: ToolFacts): boolean {
  if (toolsets === undefined) return true;
  return toolsets.some((name) => tool.name === name || tool.toolset === name || tool.name.startsWith(`${name}.`));
}

/** A narrower scope that suffices in the channel of the request. */
const HERE: Partial<Record<Scope, Scope>> = { "context:read_channel_recent": "context:read_current_thread" };
/** A narrower scope that suffices for the actor's own messages and facts; the author is checked where they are known. */
const OWN: Partial<Record<Scope, Scope>> = {
  [OTHERS_SCOPE]: OWN_SCOPE,
  "memory:read_project": "memory:read_self",
  [SHARED_WRITE_SCOPE]: "memory:write_self",
};

/** The scopes of which any one suffices. */
export function neededScopes(scope: Scope, isHere: boolean): Scope[] {
  const narrower = (isHere ? HERE[scope] : undefined) ?? OWN[scope];
  return narrower ? [scope, narrower] : [scope];
}

/**
 * The operator's name for the project of a channel; null without a name. An entry for the channel itself precedes one for its category. The
 * audience of a project's facts are members of its server, and so may know the name.
 */
export function nameProject(
  home: AudienceRef,
  { rules, directory }: { readonly rules: Rules; readonly directory: Pick<Directory, "channel"> },
): string | null {
  const { projects } = rules.memory;
  if (home.kind !== "channel" || projects.length === 0) return null;
  const place = locateChannel(directory, home.id);
  for (const id of place?.lineage ?? []) {
    const named = projects.find(({ guild, channels }) => guild === place?.channel.guildId && channels.includes(id));
    if (named) return named.name;
  }
  return null;
}

/** The project of a fact: by its name in its server, else by its category or channel at the time it was saved. Null for other facts. */
export function projectOf(
  { scope, scopeId, guildId, home }: Pick<Fact, "scope" | "scopeId" | "guildId" | "home">,
  deps: Parameters<typeof nameProject>[1],
): string | null {
  if (scope !== "project") return null;
  const name = nameProject(home, deps);
  return name === null ? `id:${scopeId}` : `name:${guildId}:${name}`;
}
