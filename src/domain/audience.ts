import type { GuildAudience } from "./guild-audience.ts";
import type { UserId } from "./ids.ts";
import { canRead, type PermissionPlace } from "./permissions.ts";
import { findWitness, type Witness } from "./role-algebra.ts";
import { listViewers } from "./viewers.ts";

/** Those who can read a place in which something was said or will be said. */
export type Audience =
  | GuildAudience
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
  if (source.kind === "world" || destination.kind === "world") return { kind: "elsewhere" };
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

type Known = Exclude<Audience, { readonly kind: "world" }>;

/** An empty set counts as unknown people, so nothing flows there. */
function barrierToPeople(source: Known, people: ReadonlySet<UserId>): Barrier | null {
  if (people.size === 0) return { kind: "elsewhere" };
  for (const id of people) {
    const member = source.kind === "guild" ? source.member(id) : undefined;
    const isReader = source.kind === "people" ? source.people.has(id) : member && canRead(source.place, member);
    if (!isReader) return { kind: "somebody", member: id, roles: member?.roles ?? new Set() };
  }
  return null;
}

function barrierBetween(source: GuildAudience, destination: GuildAudience): Barrier | null {
  const { place: from } = source;
  const { place: to } = destination;
  if (from.guild.id !== to.guild.id || to.channel.linkedToLobby) return { kind: "elsewhere" };
  if (idOf(from) === idOf(to)) return null;
  // Only content of the announcement channel itself may be disclosed in its threads.
  if (to.channel.kind === "announcement" && idOf(from) !== to.channel.id) return { kind: "announcement" };
  if (from.channel.ageRestricted && !to.channel.ageRestricted) return { kind: "age_restricted" };
  if (from.thread?.kind === "private_thread" && !from.thread.thread?.members) return { kind: "unknown_members" };
  const witness = destination.membersByRoles
    ? listViewers(destination, from).next().value
    : findWitness(from, to, (id) => !destination.countsBots && destination.isBot(id));
  return witness ? { kind: "somebody", roles: witness.roles, member: witness.member } : null;
}

function idOf({ thread, channel }: PermissionPlace): string {
  return (thread ?? channel).id;
}
