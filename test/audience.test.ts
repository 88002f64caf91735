import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GuildCrowd } from "../src/discord/guild-crowd.ts";
import { MemberTable } from "../src/discord/member-table.ts";
import { flows, type GuildSite } from "../src/domain/audience.ts";
import type { Channel, Role } from "../src/domain/guild.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../src/domain/ids.ts";
import { toPermissionSet } from "../src/domain/permission-set.ts";
import type { Place } from "../src/domain/permissions.ts";

/** Bit numbers in Discord's masks. */
const VIEW = 1n << 10n;
const READ = 1n << 16n;
const CONNECT = 1n << 20n;
const MANAGE_THREADS = 1n << 34n;
const ADMIN = 1n << 3n;

interface Scene {
  readonly roles: readonly bigint[];
  readonly owner: number;
  readonly members: readonly { readonly roles: readonly number[]; readonly bot: boolean }[];
  readonly channels: readonly Room[];
}

interface Room {
  readonly kind: "text" | "voice" | "announcement" | "private_thread";
  /** Of a thread: the overwrites of its parent. */
  readonly overwrites: readonly {
    readonly who: `r${number}` | `m${number}`;
    readonly allow: bigint;
    readonly deny: bigint;
  }[];
  readonly threadMembers: readonly number[] | null;
  readonly ageRestricted: boolean;
  readonly hidden: boolean;
}

const mask = fc
  .tuple(fc.subarray([VIEW, READ, CONNECT, MANAGE_THREADS]), fc.integer({ min: 0, max: 3 }))
  .map(([bits, more]) => bits.reduce((sum, bit) => sum | bit, more === 0 ? VIEW | READ : 0n));
const roleMask = fc
  .tuple(mask, fc.integer({ min: 0, max: 9 }))
  .map(([bits, admin]) => (admin === 0 ? bits | ADMIN : bits));
const who = fc.oneof(
  fc.nat(4).map((index): `r${number}` => `r${index}`),
  fc.nat(4).map((index): `m${number}` => `m${index}`),
);
const room: fc.Arbitrary<Room> = fc.record({
  kind: fc.constantFrom("text", "text", "text", "voice", "announcement", "private_thread"),
  overwrites: fc.uniqueArray(fc.record({ who, allow: mask, deny: mask }), { maxLength: 4, selector: (one) => one.who }),
  threadMembers: fc.option(fc.uniqueArray(fc.nat(4)), { freq: 4 }),
  ageRestricted: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
  hidden: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
});
const scene: fc.Arbitrary<Scene> = fc.record({
  roles: fc.array(roleMask, { minLength: 1, maxLength: 5 }),
  owner: fc.nat(4),
  members: fc.array(
    fc.record({
      roles: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
      bot: fc.integer({ min: 0, max: 4 }).map((value) => value === 0),
    }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
  channels: fc.array(room, { minLength: 2, maxLength: 6 }),
});

/** The oracle: the documented algorithm on Discord's own masks, person by person. It shares no code with what it judges. */
function permissionsOf(one: Scene, at: Room, person: { index: number; roles: readonly number[] }): bigint {
  const everything = VIEW | READ | CONNECT | MANAGE_THREADS | ADMIN;
  if (person.index === one.owner) return everything;
  let bits = one.roles[0] ?? 0n;
  for (const role of person.roles) bits |= one.roles[role] ?? 0n;
  if (bits & ADMIN) return everything;
  if (at.hidden) return 0n;
  const own = (name: string) => at.overwrites.find((overwrite) => overwrite.who === name);
  const everyone = own("r0");
  if (everyone) bits = (bits & ~everyone.deny) | everyone.allow;
  const held = person.roles.flatMap((role) => (one.roles[role] === undefined ? [] : (own(`r${role}`) ?? [])));
  for (const { deny } of held) bits &= ~deny;
  for (const { allow } of held) bits |= allow;
  const mine = own(`m${person.index}`);
  return mine ? (bits & ~mine.deny) | mine.allow : bits;
}

function oracleSees(one: Scene, at: Room, person: { index: number; roles: readonly number[] }): boolean {
  const bits = permissionsOf(one, at, person);
  if (!(bits & VIEW)) return false;
  if (at.kind !== "private_thread" || at.threadMembers === null) return true;
  return at.threadMembers.includes(person.index) || (bits & MANAGE_THREADS) !== 0n;
}

function oracleReads(one: Scene, at: Room, person: { index: number; roles: readonly number[] }): boolean {
  const bits = permissionsOf(one, at, person);
  const needed = VIEW | READ | (at.kind === "voice" ? CONNECT : 0n);
  if ((bits & needed) !== needed) return false;
  return (
    at.kind !== "private_thread" ||
    (at.threadMembers?.includes(person.index) ?? false) ||
    (bits & MANAGE_THREADS) !== 0n
  );
}

function oracleFlows(
  one: Scene,
  from: Room,
  to: Room,
  people: Iterable<{ index: number; roles: readonly number[] }>,
): boolean {
  if (from === to) return true;
  if (to.kind === "announcement" || to.hidden || from.hidden) return false;
  if (from.ageRestricted && !to.ageRestricted) return false;
  for (const person of people) if (oracleSees(one, to, person) && !oracleReads(one, from, person)) return false;
  return true;
}

/** Everybody there could be: any roles, with any of the names that appear, or none. */
function* anybody(one: Scene): Generator<{ index: number; roles: readonly number[] }> {
  const count = one.roles.length - 1;
  for (let set = 0; set < 1 << count; set += 1) {
    const roles = Array.from({ length: count }, (_, index) => index + 1).filter((role) => set & (1 << (role - 1)));
    for (const index of [99, 0, 1, 2, 3, 4]) yield { index, roles };
  }
}

const roleId = (index: number) => (index === 0 ? "1000" : `${2000 + index}`) as RoleId;
const userId = (index: number) => `${3000 + index}` as UserId;

/** The same scene in the words of the code under test. */
function toPlaces(one: Scene): Place[] {
  const roles = new Map<RoleId, Role>(
    one.roles.map((bits, index) => [
      roleId(index),
      { id: roleId(index), name: "", position: index, permissions: toPermissionSet(bits.toString()) },
    ]),
  );
  const guild = { id: "1000" as GuildId, ownerId: userId(one.owner), roles };
  return one.channels.map((at, index): Place => {
    const isThread = at.kind === "private_thread";
    const channel: Channel = {
      id: `${4000 + index}` as ChannelId,
      guildId: guild.id,
      kind: isThread ? "text" : at.kind,
      name: "",
      topic: null,
      position: 0,
      parentId: null,
      ageRestricted: at.ageRestricted,
      hidden: at.hidden,
      overwrites: at.overwrites.map(({ who: name, allow, deny }) => {
        const number = Number(name.slice(1));
        const isRole = name.startsWith("r");
        return {
          id: isRole ? roleId(number) : userId(number),
          target: isRole ? "role" : "member",
          allow: toPermissionSet(allow.toString()),
          deny: toPermissionSet(deny.toString()),
        };
      }),
      tags: [],
      thread: null,
      recipients: [],
    };
    if (!isThread) return { guild, channel, thread: null };
    const members = at.threadMembers ? new Set(at.threadMembers.map(userId)) : null;
    const thread: Channel = {
      ...channel,
      id: `${5000 + index}` as ChannelId,
      kind: "private_thread",
      parentId: channel.id,
      overwrites: [],
      hidden: false,
      thread: { ownerId: null, archived: false, members },
    };
    return { guild, channel, thread };
  });
}

function toPeople(one: Scene): Pick<GuildSite, "member"> & { crowd: NonNullable<GuildSite["crowd"]> } {
  const members = new MemberTable();
  for (const [index, { roles, bot }] of one.members.entries()) {
    const held = roles.filter((role) => role < one.roles.length).map(roleId);
    members.set({ id: userId(index), username: "x", globalName: null, nick: null, bot, roles: held });
  }
  return { crowd: new GuildCrowd(members, () => 0), member: (id) => members.get(id) };
}

describe("what may flow from one place to another", () => {
  it("is what brute force over all people allows, with a member list and without", () => {
    const counts = { pairs: 0, exact: 0, algebra: 0 };
    fc.assert(
      fc.property(scene, (one) => {
        const places = toPlaces(one);
        const listed = toPeople(one);
        const unlisted = { ...listed, crowd: null };
        const people = one.members.flatMap(({ roles, bot }, index) => (bot ? [] : [{ index, roles }]));
        for (const [a, from] of places.entries()) {
          for (const [b, to] of places.entries()) {
            const [source, destination] = [one.channels[a], one.channels[b]];
            if (!source || !destination) continue;
            const exact = flows({ kind: "guild", place: from, ...listed }, { kind: "guild", place: to, ...listed });
            const algebra = flows(
              { kind: "guild", place: from, ...unlisted },
              { kind: "guild", place: to, ...unlisted },
            );
            counts.pairs += 1;
            counts.exact += exact ? 1 : 0;
            counts.algebra += algebra ? 1 : 0;
            if (exact !== oracleFlows(one, source, destination, people))
              expect.fail(`exact says ${exact} for ${a} → ${b}`);
            if (algebra !== oracleFlows(one, source, destination, anybody(one)))
              expect.fail(`algebra says ${algebra} for ${a} → ${b}`);
            if (algebra && !exact) expect.fail(`the algebra allows ${a} → ${b}, the exact test does not`);
          }
        }
      }),
      { numRuns: 20_000 },
    );
    expect(counts.pairs).toBeGreaterThan(200_000);
    expect(Math.min(counts.exact, counts.pairs - counts.exact, counts.algebra)).toBeGreaterThan(counts.pairs / 10);
  });
});
