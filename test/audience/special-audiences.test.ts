import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Audience, asLive, barrier, flows } from "../../src/domain/audience.ts";
import type { GuildAudience } from "../../src/domain/guild-audience.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { toSites, userId } from "../support/audience-check.ts";
import { rightsOf } from "../support/audience-oracle.ts";
import { BIT, type Scene, smallScenes, spotsOf } from "../support/audience-scene.ts";

const WORLD: Audience = { kind: "world" };
const people = (...ids: UserId[]): Audience => ({ kind: "people", people: new Set(ids) });
const ADA = "3000" as UserId;
const BO = "3001" as UserId;

/** A server whose only rules are those given. */
function sitesOf(rules: Partial<Scene>): GuildAudience[] {
  const room = { kind: "text", overwrites: [], ageRestricted: false, hidden: false } as const;
  return toSites({
    roles: [BIT.view | BIT.read],
    owner: 9,
    members: [{ roles: [], bot: false }],
    countsBots: false,
    channels: [room, room],
    threads: [],
    ...rules,
  });
}

describe("an audience of certain people", () => {
  it("may receive exactly what each of them can read", () => {
    const answers = { yes: 0, no: 0 };
    fc.assert(
      fc.property(smallScenes, fc.uniqueArray(fc.nat(5), { maxLength: 3 }), (scene, indices) => {
        const sites = toSites(scene);
        for (const [index, spot] of spotsOf(scene).entries()) {
          const site = sites[index];
          if (!site) throw new Error("every spot has a site");
          const expected =
            indices.length > 0 &&
            spot.room.kind !== "other" &&
            !spot.room.hidden &&
            indices.every((one) => {
              const roles = scene.members[one]?.roles;
              return roles !== undefined && rightsOf(scene, spot, { index: one, roles }).reads;
            });
          expect(flows(site, people(...indices.map(userId)))).toBe(expected);
          answers[expected ? "yes" : "no"] += 1;
        }
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(answers.yes, answers.no)).toBeGreaterThan(500);
  });

  it("is refused with the person who cannot read the source, and their roles", () => {
    const [site] = sitesOf({ roles: [0n, BIT.send], members: [{ roles: [1], bot: false }] });
    expect(site && barrier(site, people(ADA))).toEqual({ kind: "somebody", member: ADA, roles: new Set(["2001"]) });
    expect(site && barrier(site, people(BO))).toEqual({ kind: "somebody", member: BO, roles: new Set() });
  });
});

describe("a private conversation", () => {
  it("may be repeated to its participants, and to nobody else", () => {
    expect(flows(people(ADA, BO), people(ADA))).toBe(true);
    expect(flows(people(ADA), people(ADA))).toBe(true);
    expect(flows(people(ADA), people(ADA, BO))).toBe(false);
    expect(flows(people(ADA), people(BO))).toBe(false);
  });

  it("may not be repeated in a server", () => {
    for (const site of sitesOf({})) expect(barrier(people(ADA), site)).toEqual({ kind: "elsewhere" });
  });

  it("without known participants receives nothing", () => {
    const [site] = sitesOf({});
    expect(site && barrier(site, people())).toEqual({ kind: "elsewhere" });
    expect(barrier(people(ADA), people())).toEqual({ kind: "elsewhere" });
  });
});

describe("a place with an unknown audience", () => {
  it("is neither a destination nor a source", () => {
    for (const site of [...sitesOf({}), people(ADA), WORLD]) {
      expect(barrier(site, WORLD)).toEqual({ kind: "elsewhere" });
      expect(barrier(WORLD, site)).toEqual({ kind: "elsewhere" });
    }
  });
});

describe("what was said in a channel", () => {
  const withoutHistory = { kind: "text", ageRestricted: false, hidden: false } as const;
  const deny = (who: "r0" | "m0" | "m1") => [{ who, allow: 0n, deny: BIT.read }];

  it("may be repeated there only while it is being said, if somebody there cannot read it back", () => {
    const [open, closed] = sitesOf({
      channels: [
        { ...withoutHistory, overwrites: [] },
        { ...withoutHistory, overwrites: deny("m0") },
      ],
    });
    if (!open || !closed) throw new Error("there are two rooms");
    for (const list of [open.membersByRoles, null]) {
      const [here, there] = [open, closed].map((site): GuildAudience => ({ ...site, membersByRoles: list }));
      if (!here || !there) throw new Error("there are two rooms");
      expect(barrier(here, here)).toBeNull();
      expect(barrier(there, there)).toEqual({ kind: "somebody", member: ADA, roles: new Set() });
      expect(barrier(asLive(there), there)).toBeNull();
      // Live is only what everybody sees in that very place.
      expect(barrier(asLive(there), here)).toMatchObject({ kind: "somebody" });
    }
  });

  it("may be repeated there without a look at anybody, where no rule keeps history from those who see it", () => {
    const nobody = new Proxy({} as NonNullable<GuildAudience["membersByRoles"]>, {
      get: (): never => {
        throw new Error("members were looked at");
      },
    });
    const hiding = [{ who: "m0" as const, allow: 0n, deny: BIT.view | BIT.connect }];
    const rooms = [
      { ...withoutHistory, overwrites: [] },
      { ...withoutHistory, overwrites: hiding },
      { ...withoutHistory, kind: "voice" as const, overwrites: [] },
    ];
    const [plain, hidden, voice] = sitesOf({ channels: rooms });
    const [, , open] = sitesOf({ channels: rooms, roles: [BIT.view | BIT.read | BIT.connect] });
    const reading = (site: GuildAudience | undefined) => {
      if (!site) throw new Error("there are three rooms");
      return () => flows({ ...site, membersByRoles: nobody }, { ...site, membersByRoles: nobody });
    };
    for (const site of [plain, hidden, open]) expect(reading(site)()).toBe(true);
    // Who cannot connect cannot read the chat of a voice channel: there it has to be looked at.
    expect(reading(voice)).toThrow("members were looked at");
    const [here] = sitesOf({ channels: [rooms[0] ?? { ...withoutHistory, overwrites: [] }] });
    if (!here) throw new Error("there is a room");
    const lawless = { ...here.place.guild, roles: new Map() };
    expect(reading({ ...here, place: { ...here.place, guild: lawless } })).toThrow("members were looked at");
  });

  it("may be repeated in a private thread with unknown members if all who see its channel can read that back", () => {
    for (const overwrites of [[], deny("m0")]) {
      const channels = [{ ...withoutHistory, overwrites }];
      const [, thread] = sitesOf({ channels, threads: [{ parent: 0, isPrivate: true, members: null }] });
      if (!thread) throw new Error("there is a thread");
      for (const list of [thread.membersByRoles, null]) {
        const there = { ...thread, membersByRoles: list };
        expect(flows(there, there)).toBe(overwrites.length === 0);
        expect(flows(asLive(there), there)).toBe(true);
      }
    }
  });

  it("may be repeated in a thread of an announcement channel, by the same rule", () => {
    for (const overwrites of [[], deny("m0")]) {
      const channels = [{ ...withoutHistory, kind: "announcement" as const, overwrites }];
      const [own, thread] = sitesOf({ channels, threads: [{ parent: 0, isPrivate: false, members: [] }] });
      if (!own || !thread) throw new Error("there is a thread");
      for (const site of [own, thread]) expect(flows(site, site)).toBe(overwrites.length === 0);
    }
  });

  it("is live in servers only: what certain people know stays as it is", () => {
    expect(asLive(WORLD)).toBe(WORLD);
    expect(flows(asLive(people(ADA)), people(ADA, BO))).toBe(false);
  });
});

describe("a channel", () => {
  it("that is linked to a lobby in a game receives nothing, not even its own content", () => {
    const [plain, other] = sitesOf({});
    if (!plain || !other) throw new Error("there are two rooms");
    const linked = { ...other, place: { ...other.place, channel: { ...other.place.channel, linkedToLobby: true } } };
    expect(flows(plain, other)).toBe(true);
    expect(barrier(plain, linked)).toEqual({ kind: "elsewhere" });
    expect(flows(linked, linked)).toBe(false);
    expect(flows(asLive(linked), linked)).toBe(false);
    expect(flows(linked, plain)).toBe(true);
  });
});

describe("another server", () => {
  it("receives nothing, even if everybody may read everything", () => {
    const [here] = sitesOf({});
    const [, there] = sitesOf({});
    if (!here || !there) throw new Error("there are two channels");
    expect(flows(here, there)).toBe(true);
    const guild = { ...there.place.guild, id: "1001" as GuildId };
    expect(barrier(here, { ...there, place: { ...there.place, guild } })).toEqual({ kind: "elsewhere" });
  });
});
