import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Audience, type Barrier, barrier, flows, listViewers } from "../../src/domain/audience.ts";
import { type GuildAudience, type MembersAudience, toMembersPlaces } from "../../src/domain/guild-audience.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { roleId, toSites, userId } from "../support/audience-check.ts";
import { BIT, type Scene, scenes, smallScenes, spotsOf } from "../support/audience-scene.ts";
import {
  anyNewcomer,
  barrierAt,
  everyNewcomer,
  isAmongMembers,
  type Newcomer,
  strangersAt,
} from "../support/members-oracle.ts";

const people = (...ids: UserId[]): Audience => ({ kind: "people", people: new Set(ids) });

/** What is shared with all members of a scene's server, or of a role in it. */
function shared(scene: Scene, site: GuildAudience, role: number | null = null): MembersAudience {
  const { guild } = site.place;
  const id = role === null ? null : roleId(role);
  const places = toMembersPlaces(guild, id);
  return { kind: "members", guild, role: id, places, hasScreening: scene.hasScreening ?? false, member: site.member };
}

interface Tally {
  yes: number;
  no: number;
}

/** Holds the flow from what is shared to every spot against brute force over these people. */
function checkShared(
  scene: Scene,
  { role, isListed }: { readonly role: number | null; readonly isListed: boolean },
  tally: Tally,
): void {
  const everyone = isListed ? everyNewcomer(scene) : anyNewcomer(scene);
  const sites = toSites(scene);
  for (const [index, spot] of spotsOf(scene).entries()) {
    const site = sites[index];
    if (!site) throw new Error("every spot has a site");
    const destination = isListed ? site : { ...site, membersByRoles: null };
    const source = shared(scene, site, role);
    const standing = barrierAt(spot);
    const strangers = strangersAt(scene, { spot, role }, everyone);
    const found = barrier(source, destination);
    expect(found?.kind ?? null).toBe(standing ?? (strangers.length > 0 ? "somebody" : null));
    expect(flows(source, destination)).toBe(found === null);
    if (found?.kind === "somebody" && !strangers.some((person) => isLike(found, person)))
      throw new Error(`nobody is like ${found.member} with ${[...found.roles]}, pending: ${found.pending}`);
    if (isListed && !spot.room.hidden) {
      const counted = [...listViewers(destination, source)].reduce((sum, group) => sum + group.people, 0);
      expect(counted).toBe(strangers.length);
    }
    tally[found ? "no" : "yes"] += 1;
  }
}

function isLike({ member, roles, pending }: Barrier & { kind: "somebody" }, person: Newcomer): boolean {
  const isNamed = member === null || member === userId(person.index);
  const isAlike = roles.size === person.roles.length && person.roles.every((role) => roles.has(roleId(role)));
  return isNamed && isAlike && (pending ?? false) === person.pending;
}

const roles = fc.option(fc.nat(4), { freq: 3 });
/** How many servers of the given number are judged: the soak chooses another. */
const runsOf = (inSuite: number) => Number(process.env["SOAK_RUNS"] ?? inSuite);

describe("what is shared with the members of a server", () => {
  it("flows with a member list exactly where brute force over all members says so", () => {
    const tally = { yes: 0, no: 0 };
    fc.assert(
      fc.property(smallScenes, roles, (scene, role) => checkShared(scene, { role, isListed: true }, tally)),
      { numRuns: runsOf(1_000) },
    );
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(0.8 * runsOf(2_000));
  });

  it("flows in a server with many sets of roles exactly where brute force over all members says so", () => {
    const tally = { yes: 0, no: 0 };
    fc.assert(
      fc.property(scenes({ roles: 7, members: 120 }), roles, (scene, role) =>
        checkShared(scene, { role, isListed: true }, tally),
      ),
      { numRuns: runsOf(40) },
    );
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(0.1 * runsOf(80));
  });

  it("flows without a member list exactly where nobody could be excluded, with any roles and pending where that can be", () => {
    const tally = { screened: { yes: 0, no: 0 }, open: { yes: 0, no: 0 } };
    fc.assert(
      fc.property(smallScenes, roles, (scene, role) =>
        checkShared(scene, { role, isListed: false }, scene.hasScreening ? tally.screened : tally.open),
      ),
      { numRuns: runsOf(700) },
    );
    const { screened, open } = tally;
    expect(Math.min(screened.yes, screened.no, open.yes, open.no)).toBeGreaterThan(0.12 * runsOf(700));
  });

  it("flows without a member list nowhere where the exact decider refuses for somebody who can be there", () => {
    fc.assert(
      fc.property(smallScenes, roles, (scene, role) => {
        const isPossible = scene.hasScreening || !scene.members.some(({ pending }) => pending);
        if (!isPossible) return;
        for (const site of toSites(scene)) {
          const source = shared(scene, site, role);
          if (flows(source, { ...site, membersByRoles: null })) expect(barrier(source, site)).toBeNull();
        }
      }),
      { numRuns: runsOf(1_000) },
    );
  });

  it("may be told to certain people if each of them is a reader, and to nobody if none are named", () => {
    const tally = { yes: 0, no: 0 };
    fc.assert(
      fc.property(smallScenes, roles, fc.uniqueArray(fc.nat(5), { maxLength: 3 }), (scene, role, indices) => {
        const [site] = toSites(scene);
        if (!site) throw new Error("there is a site");
        const expected =
          indices.length > 0 &&
          indices.every((index) => {
            const member = scene.members[index];
            return member && isAmongMembers(scene, role, { index, pending: false, ...member });
          });
        expect(flows(shared(scene, site, role), people(...indices.map(userId)))).toBe(expected);
        tally[expected ? "yes" : "no"] += 1;
      }),
      { numRuns: runsOf(1_500) },
    );
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(0.07 * runsOf(1_500));
  });
});

const room = { kind: "text", overwrites: [], ageRestricted: false, hidden: false } as const;
const [ADA, BO] = [userId(0), userId(1)];

const openScene: Scene = {
  roles: [BIT.view | BIT.read, 0n, BIT.administrator],
  owner: 9,
  members: [{ roles: [], bot: false }],
  countsBots: false,
  channels: [room],
  threads: [],
};

/** A channel that everybody sees, and what is shared in its server. */
function open(rules: Partial<Scene>, role: number | null = null) {
  const scene = { ...openScene, ...rules };
  const [site] = toSites(scene);
  if (!site) throw new Error("there is a channel");
  return { source: shared(scene, site, role), site, unlisted: { ...site, membersByRoles: null } };
}

const PENDING = { roles: [1], bot: false, pending: true };

describe("a pending member", () => {
  it("is no reader, not even with the role", () => {
    for (const role of [null, 1]) {
      const { source, site } = open({ members: [PENDING] }, role);
      const reason = { kind: "somebody", member: null, roles: new Set([roleId(1)]), pending: true };
      expect(barrier(source, site)).toEqual(reason);
      expect(barrier(source, people(ADA))).toEqual({ ...reason, member: ADA });
    }
  });

  it("is a reader as the owner or an administrator", () => {
    for (const rules of [{ owner: 0, members: [PENDING] }, { members: [{ ...PENDING, roles: [2] }] }]) {
      const { source, site } = open(rules, 1);
      expect(barrier(source, site)).toBeNull();
      expect(barrier(source, people(ADA))).toBeNull();
    }
  });

  it("is told apart from members with the same roles, by name where a rule names them", () => {
    const overwrites = [{ who: "m1", allow: BIT.view, deny: 0n }] as const;
    const members = [{ roles: [1], bot: false }, PENDING, PENDING];
    const { source, site } = open({ members, channels: [{ ...room, overwrites }] });
    expect([...listViewers(site, source)]).toEqual([
      { people: 1, roles: new Set([roleId(1)]), member: null, pending: true },
      { people: 1, roles: new Set([roleId(1)]), member: BO, pending: true },
    ]);
  });

  it("counts as possible without a member list only where the server screens its members", () => {
    const reason = { kind: "somebody", member: null, roles: new Set(), pending: true };
    for (const [hasScreening, expected] of [
      [true, reason],
      [false, null],
    ] as const) {
      const { source, unlisted } = open({ hasScreening });
      expect(barrier(source, unlisted)).toEqual(expected);
    }
  });

  it("counts as possible without a member list in a place that only a role can see", () => {
    const closed = { ...room, overwrites: [{ who: "r1", allow: BIT.view, deny: 0n }] } as const;
    const rules = { roles: [0n, 0n], channels: [closed] };
    expect(barrier(open(rules, 1).source, open(rules, 1).unlisted)).toBeNull();
    const { source, unlisted } = open({ ...rules, hasScreening: true }, 1);
    expect(barrier(source, unlisted)).toMatchObject({ roles: new Set([roleId(1)]), pending: true });
  });

  it("matters only for what is shared with members", () => {
    const [from, to] = toSites({ ...openScene, members: [PENDING], channels: [room, room], hasScreening: true });
    if (!from || !to) throw new Error("there are two channels");
    expect(barrier(from, to)).toBeNull();
    expect(barrier(from, { ...to, membersByRoles: null })).toBeNull();
    expect(barrier(from, people(ADA))).toBeNull();
  });

  it("is not called pending where a channel's own rules keep them out", () => {
    const closed = { ...room, overwrites: [{ who: "r1", allow: 0n, deny: BIT.read }] } as const;
    const named = { ...room, overwrites: [{ who: "m1", allow: BIT.view, deny: 0n }] } as const;
    const members = [{ roles: [1], bot: false }, PENDING, PENDING];
    const [from, to] = toSites({ ...openScene, members, channels: [closed, named], hasScreening: true });
    if (!from || !to) throw new Error("there are two channels");
    const roles = new Set([roleId(1)]);
    expect(barrier(from, people(BO))).toEqual({ kind: "somebody", member: BO, roles });
    expect([...listViewers(to, from)]).toEqual([
      { people: 2, roles, member: null },
      { people: 1, roles, member: BO },
    ]);
  });

  it("is not given as the reason where somebody who has passed could not hear it either", () => {
    const { source, unlisted } = open({ hasScreening: true }, 1);
    expect(barrier(source, unlisted)).toEqual({ kind: "somebody", member: null, roles: new Set() });
  });
});

it("nobody is listed as a viewer while the member list is not complete", () => {
  const { site, unlisted } = open({ members: [PENDING] });
  expect([...listViewers(site, null)]).toHaveLength(1);
  expect([...listViewers(unlisted, null)]).toEqual([]);
});

describe("what is shared with the members of a role", () => {
  it("is refused with the roles of who does not hold it", () => {
    const { source, site, unlisted } = open({ members: [{ roles: [3], bot: false }] }, 1);
    expect(barrier(source, site)).toEqual({ kind: "somebody", member: null, roles: new Set([roleId(3)]) });
    expect(barrier(source, unlisted)).toEqual({ kind: "somebody", member: null, roles: new Set() });
    expect(barrier(source, people(ADA))).toEqual({ kind: "somebody", member: ADA, roles: new Set([roleId(3)]) });
    expect(barrier(source, people(BO))).toEqual({ kind: "somebody", member: BO, roles: new Set() });
  });
});

describe("what is shared with a server", () => {
  it("does not reach another server, a lobby, an unknown place or an announcement channel and its threads", () => {
    const { source, site } = open({});
    expect(barrier(source, site)).toBeNull();
    const { place } = site;
    const elsewhere = { ...site, place: { ...place, guild: { ...place.guild, id: "1001" as GuildId } } };
    const linked = { ...site, place: { ...place, channel: { ...place.channel, linkedToLobby: true } } };
    for (const destination of [elsewhere, linked, { kind: "world" } as const, people()])
      expect(barrier(source, destination)).toEqual({ kind: "elsewhere" });
    const news = toSites({
      ...openScene,
      channels: [{ ...room, kind: "announcement" }],
      threads: [{ parent: 0, isPrivate: false, members: null }],
    });
    expect(news.map((destination) => barrier(source, destination)?.kind)).toEqual(["announcement", "announcement"]);
  });

  it("is a source only: nothing flows to it", () => {
    const { source, site } = open({});
    for (const from of [source, site, people(ADA)]) expect(barrier(from, source)).toEqual({ kind: "elsewhere" });
  });

  it("reaches an age-restricted channel and any other alike", () => {
    const { source, site } = open({ channels: [{ ...room, ageRestricted: true }] });
    expect(barrier(source, site)).toBeNull();
  });
});
