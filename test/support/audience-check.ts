import { GuildMembersByRoles } from "../../src/discord/guild-members-by-roles.ts";
import { MemberTable } from "../../src/discord/member-table.ts";
import { type Barrier, barrier, flows, listViewers } from "../../src/domain/audience.ts";
import type { Channel, GuildRules, Role } from "../../src/domain/guild.ts";
import type { GuildAudience } from "../../src/domain/guild-audience.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../../src/domain/ids.ts";
import { toPermissionSet } from "../../src/domain/permission-set.ts";
import {
  anybody,
  everybody,
  isSame,
  type Rights,
  rightsOf,
  type Somebody,
  standingBarrier,
} from "./audience-oracle.ts";
import { type Room, type Scene, type Spot, spotsOf } from "./audience-scene.ts";

export const roleId = (index: number) => (index === 0 ? "1000" : `${2000 + index}`) as RoleId;
export const userId = (index: number) => `${3000 + index}` as UserId;

/** How many pairs were judged, and how many may flow. */
export interface Tally {
  pairs: number;
  exact: number;
  algebra: number;
}

/** Holds both deciders against brute force on every pair of places; throws where they disagree, or a reason does not hold. */
export function checkPairs(scene: Scene, tally: Tally): void {
  const spots = spotsOf(scene);
  const listed = toSites(scene);
  const unlisted = listed.map((site): GuildAudience => ({ ...site, membersByRoles: null }));
  const there = survey(scene, spots, everybody(scene));
  const possible = survey(scene, spots, anybody(scene));
  for (const [a, from] of spots.entries()) {
    for (const [b, to] of spots.entries()) {
      const exact = judge([from, to], [listed[a], listed[b]], there);
      const algebra = judge([from, to], [unlisted[a], unlisted[b]], possible);
      if (algebra && !exact) throw new Error(`the algebra allows ${a} → ${b}, the exact decider does not`);
      tally.pairs += 1;
      tally.exact += exact ? 1 : 0;
      tally.algebra += algebra ? 1 : 0;
    }
  }
}

type Pair<Item> = readonly [source: Item, destination: Item];
type People = ReturnType<typeof survey>;

/** Whether it may flow, if all that the code says of it is true. */
function judge(
  [from, to]: Pair<Spot>,
  [source, destination]: Pair<GuildAudience | undefined>,
  people: People,
): boolean {
  if (!source || !destination) throw new Error("every spot has a site");
  const found = barrier(source, destination);
  const standing = standingBarrier(from, to);
  const viewers = people.who(to, null);
  const harmed = standing !== null ? [] : people.who(to, from);
  const expected = standing ?? (harmed.length > 0 ? "somebody" : null);
  if ((found?.kind ?? null) !== expected) throw new Error(`${found?.kind} instead of ${expected}`);
  if (flows(source, destination) !== (expected === null)) throw new Error("flows and barrier disagree");
  if (found?.kind === "somebody" && !harmed.some((person) => isWitness(found, person)))
    throw new Error(`nobody is like ${found.member} with ${[...found.roles]}`);
  if (isSame(from, to) && flows({ ...source, isLive: true }, destination) !== (standing === null))
    throw new Error("what is said live does not flow back, or flows where nothing does");
  if (destination.membersByRoles && standing === null && !(isSame(from, to) && from.thread?.members === null)) {
    mustCount(listViewers(destination, source), harmed.length);
    mustCount(listViewers(destination, null), viewers.length);
  }
  return expected === null;
}

/** Asks of each person and spot once. */
function survey(scene: Scene, spots: readonly Spot[], people: readonly Somebody[]) {
  const rights = new Map(spots.map((spot) => [spot, people.map((person) => rightsOf(scene, spot, person))]));
  return {
    /** Those who see a spot, and cannot read the other. Who is in a thread with unknown members, and reads its channel, reads the thread. */
    who(spot: Spot, other: Spot | null): Somebody[] {
      const here = rights.get(spot);
      const there = other && rights.get(other);
      const isOwnUnknown = spot === other && spot.thread?.members === null;
      const reads = (right: Rights | undefined) => (isOwnUnknown ? right?.readsParent : right?.reads);
      return people.filter((_, index) => here?.[index]?.sees && !reads(there?.[index]));
    },
  };
}

function mustCount(groups: Iterable<{ readonly people: number }>, expected: number): void {
  const counted = [...groups].reduce((sum, { people }) => sum + people, 0);
  if (counted !== expected) throw new Error(`${counted} people are counted, there are ${expected}`);
}

function isWitness({ member, roles }: Barrier & { kind: "somebody" }, person: Somebody): boolean {
  const isNamed = member === null || member === userId(person.index);
  // Without a member list, a witness who is not named could be anybody.
  return isNamed && roles.size === person.roles.length && person.roles.every((role) => roles.has(roleId(role)));
}

/** The places of a scene in the words of the code under test, with a complete member list. */
export function toSites(scene: Scene): GuildAudience[] {
  const roles = new Map<RoleId, Role>();
  for (const [index, bits] of scene.roles.entries()) {
    const id = roleId(index);
    roles.set(id, { id, name: "", position: index, permissions: toPermissionSet(bits.toString()) });
  }
  const guild: GuildRules = { id: "1000" as GuildId, ownerId: userId(scene.owner), roles };
  const members = new MemberTable();
  for (const [index, { roles: held, bot, pending = false, isTimedOut }] of scene.members.entries()) {
    const facts = {
      id: userId(index),
      bot,
      pending,
      roles: held.map(roleId),
      ...(isTimedOut && { timedOutUntil: 9e15 }),
    };
    members.set({ ...facts, username: "x", globalName: null, nick: null });
  }
  const byRoles = new GuildMembersByRoles(members, { rulesVersion: 0 });
  const channels = new Map(scene.channels.map((room, index) => [room, toChannel(room, index)]));
  return spotsOf(scene).map(({ room, thread }, index): GuildAudience => {
    const channel = channels.get(room);
    if (!channel) throw new Error("every room has a channel");
    const place = { guild, channel, thread: thread && toThread(thread, channel, index) };
    return {
      kind: "guild",
      place,
      membersByRoles: byRoles,
      member: (id) => members.get(id),
      isBot: (id) => members.get(id)?.bot ?? false,
      countsBots: scene.countsBots,
    };
  });
}

function toChannel({ kind, ageRestricted, hidden, overwrites }: Room, index: number): Channel {
  return {
    id: `${4000 + index}` as ChannelId,
    guildId: "1000" as GuildId,
    kind,
    name: "",
    topic: null,
    position: 0,
    parentId: null,
    ageRestricted,
    hidden,
    overwrites: overwrites.map(({ who, allow, deny }) => ({
      id: who.startsWith("r") ? roleId(Number(who.slice(1))) : userId(Number(who.slice(1))),
      target: who.startsWith("r") ? "role" : "member",
      allow: toPermissionSet(allow.toString()),
      deny: toPermissionSet(deny.toString()),
    })),
    tags: [],
    thread: null,
    recipients: [],
  };
}

function toThread({ isPrivate, members }: NonNullable<Spot["thread"]>, parent: Channel, index: number): Channel {
  const joined = members ? new Set(members.map(userId)) : null;
  return {
    ...parent,
    id: `${5000 + index}` as ChannelId,
    kind: isPrivate ? "private_thread" : parent.kind === "announcement" ? "announcement_thread" : "public_thread",
    parentId: parent.id,
    overwrites: [],
    hidden: false,
    ageRestricted: false,
    thread: { ownerId: null, archived: false, members: isPrivate ? joined : new Set() },
  };
}
