import { type GuildAudience, type GuildSource, isReader, type MembersAudience, placeToRead } from "./guild-audience.ts";
import type { UserId } from "./ids.ts";
import type { PermissionPlace } from "./permissions.ts";
import { findWitness, type Witness } from "./role-algebra.ts";
import { listViewers } from "./viewers.ts";

/** Those who can read a place in which something was said or will be said, or with whom something is shared. */
export type Audience =
  | GuildAudience
  /** Only a source: as a destination it counts as unknown. */
  | MembersAudience
  /** A direct message or an ephemeral answer: these people and nobody else. */
  | { readonly kind: "people"; readonly people: ReadonlySet<UserId> }
  /** A webhook, a group, anything unknown: anybody may read it. */
  | { readonly kind: "world" };

/** Why content of the source may not be disclosed at the destination. */
export type Barrier =
  /** Another server, a private conversation, or a place whose audience is unknown. */
  | { readonly kind: "elsewhere" }
  /** Either place is hidden from the bot. */
  | { readonly kind: "hidden" }
  /** Messages in an announcement channel are copied to the servers that follow it. */
  | { readonly kind: "announcement" }
  | { readonly kind: "age_restricted" }
  /** The source is a private thread whose members are unknown. */
  | { readonly kind: "unknown_members" }
  /** Somebody can view the destination and cannot read the source: a person, or anybody with exactly these roles. */
  | ({ readonly kind: "somebody" } & Witness);

/**
 * Whether content of the source may be disclosed at the destination: only if everybody who can view the destination can read the source.
 * Strict on both sides: the destination reaches all who can view it live, the source is known only to those who can read its history.
 */
export function flows(source: Audience, destination: Audience): boolean {
  return barrier(source, destination) === null;
}

/** Why content may not flow from source to destination; null when it may. */
export function barrier(source: Audience, destination: Audience): Barrier | null {
  if (source.kind === "world" || destination.kind === "world" || destination.kind === "members")
    return { kind: "elsewhere" };
  const unknown =
    (source.kind === "guild" && unknownRules(source)) || (destination.kind === "guild" && unknownRules(destination));
  if (unknown) return unknown;
  if (destination.kind === "people") return barrierToPeople(source, destination.people);
  return source.kind === "people" ? { kind: "elsewhere" } : barrierBetween(source, destination);
}

/** A barrier if the overwrites of the channel are not known. */
function unknownRules({ place: { channel } }: GuildAudience): Barrier | null {
  if (channel.kind === "other") return { kind: "elsewhere" };
  return channel.hidden ? { kind: "hidden" } : null;
}

/** An empty set counts as unknown people, so nothing flows there. */
function barrierToPeople(
  source: GuildSource | Extract<Audience, { readonly kind: "people" }>,
  people: ReadonlySet<UserId>,
): Barrier | null {
  if (people.size === 0) return { kind: "elsewhere" };
  for (const id of people) {
    const member = source.kind === "people" ? undefined : source.member(id);
    const mayKnow = source.kind === "people" ? source.people.has(id) : member && isReader(source, member);
    if (mayKnow) continue;
    const isPending = source.kind === "members" && member?.pending;
    return { kind: "somebody", member: id, roles: member?.roles ?? new Set(), ...(isPending && { pending: true }) };
  }
  return null;
}

function barrierBetween(source: GuildSource, destination: GuildAudience): Barrier | null {
  const from = placeToRead(source, false);
  const { place: to } = destination;
  if (from.guild.id !== to.guild.id || to.channel.linkedToLobby) return { kind: "elsewhere" };
  if (idOf(from) === idOf(to)) return null;
  // Only content of the announcement channel itself may be disclosed in its threads.
  if (to.channel.kind === "announcement" && idOf(from) !== to.channel.id) return { kind: "announcement" };
  if (from.channel.ageRestricted && !to.channel.ageRestricted) return { kind: "age_restricted" };
  if (from.thread?.kind === "private_thread" && !from.thread.thread?.members) return { kind: "unknown_members" };
  const witness = destination.membersByRoles
    ? listViewers(destination, source).next().value
    : findPossibleWitness(source, destination);
  if (!witness) return null;
  const { roles, member, pending } = witness;
  return { kind: "somebody", roles, member, ...(pending && { pending }) };
}

/** A witness among all possible members. Without a member list, anybody may be pending where the server screens its members. */
function findPossibleWitness(source: GuildSource, destination: GuildAudience): Witness | null {
  const isIgnored = (id: UserId) => !destination.countsBots && destination.isBot(id);
  const find = (isPending: boolean) => findWitness(placeToRead(source, isPending), destination.place, isIgnored);
  const witness = find(false);
  if (witness || source.kind === "guild" || !source.hasScreening) return witness;
  const pending = find(true);
  return pending && { ...pending, pending: true };
}

function idOf({ thread, channel }: PermissionPlace): string {
  return (thread ?? channel).id;
}
