import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Channel, ChannelKind, Member } from "../domain/guild.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import { ALL_PERMISSIONS, NO_PERMISSIONS, PERMISSION, type PermissionSet } from "../domain/permission-set.ts";
import { canRead, canView, type PermissionPlace } from "../domain/permissions.ts";
import { GuildMembersByRoles } from "./guild-members-by-roles.ts";
import { MemberTable } from "./member-table.ts";

const GUILD = "1" as GuildId;
const EVERYONE = "1" as RoleId;
const roleId = fc.integer({ min: 2, max: 9 }).map((index) => String(index) as RoleId);
const mask = fc
  .subarray([PERMISSION.viewChannel, PERMISSION.readMessageHistory, PERMISSION.connect, PERMISSION.manageThreads])
  .map((bits) => bits.reduce((all, bit) => all | bit, 0) as PermissionSet);
const grant = fc.tuple(mask, fc.nat(9)).map(([bits, chance]) => (chance === 0 ? ALL_PERMISSIONS : bits));
const overwrites = fc.uniqueArray(
  fc.record({
    id: fc.oneof(fc.constant(EVERYONE), roleId),
    target: fc.constant("role" as const),
    allow: mask,
    deny: mask,
  }),
  { maxLength: 4, selector: ({ id }) => id },
);
const kind = fc.constantFrom<ChannelKind>("text", "voice", "stage");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ join: fc.uniqueArray(roleId, { maxLength: 6, size: "max" }) }) },
  { weight: 1, arbitrary: fc.record({ role: fc.tuple(fc.oneof(fc.constant(EVERYONE), roleId), grant) }) },
  {
    weight: 1,
    arbitrary: fc.record({ channel: fc.record({ overwrites, kind, hidden: fc.nat(5).map((one) => one === 0) }) }),
  },
  { weight: 1, arbitrary: fc.record({ thread: fc.constantFrom("open", "closed", "unknown", null) }) },
);

function toChannel(facts: Pick<Channel, "overwrites" | "kind" | "hidden">): Channel {
  return {
    id: "20" as ChannelId,
    guildId: GUILD,
    name: "",
    topic: null,
    position: 0,
    parentId: null,
    ageRestricted: false,
    tags: [],
    thread: null,
    recipients: [],
    ...facts,
  };
}

function toThread(which: "open" | "closed" | "unknown" | null): Channel | null {
  if (which === null) return null;
  const kind = which === "open" ? "public_thread" : "private_thread";
  const thread = { ownerId: null, archived: false, members: which === "unknown" ? null : new Set<UserId>() };
  return { ...toChannel({ kind, overwrites: [], hidden: false }), id: "21" as ChannelId, thread };
}

describe("GuildMembersByRoles", () => {
  it("agrees with the permission rules for every set of roles, whatever changes in between", () => {
    const asked = { yes: 0, no: 0, sets: 0 };
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 150, size: "max" }), (steps) => {
        const members = new MemberTable();
        let version = 0;
        const byRoles = new GuildMembersByRoles(members, {
          get rulesVersion() {
            return version;
          },
        });
        const roles = new Map([[EVERYONE, { id: EVERYONE, name: "", position: 0, permissions: NO_PERMISSIONS }]]);
        const guild = { id: GUILD, ownerId: "99" as UserId, roles };
        let place: PermissionPlace = {
          guild,
          channel: toChannel({ overwrites: [], kind: "text", hidden: false }),
          thread: null,
        };
        for (const [index, one] of steps.entries()) {
          if ("join" in one) {
            const id = String(100 + index) as UserId;
            members.set({ id, username: "x", globalName: null, nick: null, bot: false, roles: one.join });
          } else if ("role" in one) {
            const [id, permissions] = one.role;
            roles.set(id, { id, name: "", position: 0, permissions });
            version += 1;
          } else {
            place =
              "channel" in one
                ? { ...place, channel: toChannel(one.channel) }
                : { ...place, thread: toThread(one.thread) };
          }
          if (index % 3 === 0) compare(byRoles, place, asked);
        }
        compare(byRoles, place, asked);
        asked.sets = Math.max(asked.sets, byRoles.size);
      }),
      { numRuns: 200 },
    );
    expect(Math.min(asked.yes, asked.no)).toBeGreaterThan(1_000);
    expect(asked.sets).toBeGreaterThan(40);
  });
});

function compare(byRoles: GuildMembersByRoles, place: PermissionPlace, asked: { yes: number; no: number }): void {
  const isUnknown = place.thread?.kind === "private_thread" && !place.thread.thread?.members;
  const seen = isUnknown ? { ...place, thread: null } : place;
  for (let set = 0; set < byRoles.size; set += 1) {
    const somebody: Member = { id: "0" as UserId, name: "", bot: false, roles: byRoles.roles(set) };
    const ours = { sees: bit(byRoles.bits(place, "sees"), set), reads: bit(byRoles.bits(place, "reads"), set) };
    expect(ours).toEqual({ sees: canView(seen, somebody), reads: canRead(place, somebody) });
    asked[ours.reads ? "yes" : "no"] += 1;
  }
  const beyond = byRoles.bits(place, "sees").length * 32;
  for (let set = byRoles.size; set < beyond; set += 1) expect(bit(byRoles.bits(place, "sees"), set)).toBe(false);
}

function bit(words: Uint32Array, index: number): boolean {
  return (((words[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1;
}
