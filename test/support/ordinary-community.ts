import fc from "fast-check";
import type { ChannelPlan, Community, OverwritePlan, PermissionName, PersonPlan } from "../../sandbox/index.ts";

/** Whom a channel is meant for, in the mind of whoever set it up. */
export interface Intention {
  readonly key: string;
  readonly audience: "all" | "members" | "staff" | `team${number}`;
  /** Somebody else was let in by name. */
  readonly hasGuest?: boolean;
  readonly isAnnouncement?: boolean;
  readonly isAgeRestricted?: boolean;
  /** Nobody can scroll back. */
  readonly isFleeting?: boolean;
}

export interface IntendedCommunity {
  readonly community: Community;
  readonly intentions: readonly Intention[];
  /** The staff are in every team's channels. */
  readonly staffSeesTeams: boolean;
}

/** Would whoever set the server up expect that what was said in one channel may be used in another? Teams and staff are members. */
export function isExpected(from: Intention, to: Intention, staffSeesTeams: boolean): boolean {
  if (to.isAnnouncement || from.isFleeting || (from.isAgeRestricted && !to.isAgeRestricted)) return false;
  if (from.audience === "all") return true;
  if (from.audience === "members") return to.audience !== "all";
  if (to.hasGuest) return false;
  return from.audience === to.audience || (staffSeesTeams && from.audience !== "staff" && to.audience === "staff");
}

interface Wish {
  /** Newcomers see the front door only, until they get the member role. */
  readonly isGated: boolean;
  readonly people: number;
  readonly newcomers: number;
  readonly teams: number;
  readonly staffSeesTeams: boolean;
  /** One of the first team was never given the member role. */
  readonly isUntidy: boolean;
  readonly rooms: readonly ("members" | "all" | "staff" | "team" | "guested" | "news" | "adult" | "voice")[];
}

const wish: fc.Arbitrary<Wish> = fc.record({
  isGated: fc.integer({ min: 0, max: 2 }).map((value) => value > 0),
  people: fc.integer({ min: 20, max: 60 }),
  newcomers: fc.nat(4),
  teams: fc.integer({ min: 1, max: 4 }),
  staffSeesTeams: fc.boolean(),
  isUntidy: fc.integer({ min: 0, max: 4 }).map((value) => value === 0),
  rooms: fc.array(
    fc.oneof(
      { weight: 10, arbitrary: fc.constant("members" as const) },
      { weight: 4, arbitrary: fc.constant("team" as const) },
      { weight: 7, arbitrary: fc.constantFrom("all", "all", "staff", "staff", "guested", "news", "adult", "voice") },
    ),
    { minLength: 12, maxLength: 30, size: "max" },
  ),
});

/** Servers as people set them up: a member role, teams, staff, a muted role, bots; some gated, some open, one in five with a typo. */
export const ordinaryCommunity: fc.Arbitrary<IntendedCommunity> = wish.map(toCommunity);

const TALK: readonly PermissionName[] = [
  "ViewChannel",
  "ReadMessageHistory",
  "SendMessages",
  "AddReactions",
  "Connect",
];
const hush: OverwritePlan = { who: "muted", deny: ["SendMessages"] };
const withBot: OverwritePlan = { who: "person:earshot", allow: ["ViewChannel", "ReadMessageHistory"] };

function toCommunity(wanted: Wish): IntendedCommunity {
  const planned = wanted.rooms.map((room, index) => toRoom(room, index, wanted));
  return {
    staffSeesTeams: wanted.staffSeesTeams,
    intentions: planned.map(({ intention }) => intention),
    community: {
      guild: { name: "Ordinary", owner: "p0", everyone: wanted.isGated ? ["ReadMessageHistory"] : TALK },
      people: peopleOf(wanted),
      roles: [
        { key: "admin", name: "Admin", permissions: ["Administrator"] },
        { key: "staff", name: "Staff", permissions: ["ManageMessages", "ManageThreads"] },
        { key: "bots", name: "Bots", permissions: TALK },
        ...Array.from({ length: wanted.teams }, (_, team) => ({ key: `team${team}`, name: `Team ${team}` })),
        { key: "member", name: "Member", permissions: TALK },
        { key: "muted", name: "Muted" },
        { key: "colour", name: "Turquoise" },
      ],
      channels: planned.map(({ channel }) => channel),
      posts: [],
    },
  };
}

/** In no team but for the typo, and no member of the staff. */
const FORGOTTEN = 5;

function peopleOf({ people, newcomers, teams, isUntidy }: Wish): PersonPlan[] {
  const person = (index: number): PersonPlan => ({
    key: `p${index}`,
    username: `person.${index}`,
    roles: [
      ...(isUntidy && index === FORGOTTEN ? [] : ["member"]),
      ...(index % 3 === 0 ? [`team${(index / 3) % teams}`] : []),
      ...(isUntidy && index === FORGOTTEN ? ["team0"] : []),
      ...(index < 3 ? ["staff"] : []),
      ...(index === 1 ? ["admin"] : []),
      ...(index % 11 === 7 ? ["muted"] : []),
      ...(index % 4 === 1 ? ["colour"] : []),
    ],
  });
  return [
    { key: "earshot", username: "earshot", bot: true, roles: ["bots"] },
    { key: "jukebox", username: "jukebox", bot: true, roles: ["bots"] },
    ...Array.from({ length: people }, (_, index) => person(index)),
    ...Array.from({ length: newcomers }, (_, index) => ({ key: `n${index}`, username: `new.${index}` })),
  ];
}

function toRoom(
  room: Wish["rooms"][number],
  index: number,
  { isGated, teams, staffSeesTeams }: Wish,
): { channel: ChannelPlan; intention: Intention } {
  const key = `c${index}`;
  const open = { key, name: `${room}-${index}`, kind: "text" as const, overwrites: [hush] };
  const door: OverwritePlan = { who: "everyone", allow: ["ViewChannel", "ReadMessageHistory"] };
  // Where everybody may come in, a channel for members is a channel for all.
  const members = isGated ? "members" : "all";
  const closedTo = (...roles: string[]): OverwritePlan[] => [
    { who: "everyone", deny: ["ViewChannel"] },
    ...(isGated ? [{ who: "member", deny: ["ViewChannel" as const] }] : []),
    { who: "bots", deny: ["ViewChannel"] },
    ...roles.map((who): OverwritePlan => ({ who, allow: ["ViewChannel"] })),
    withBot,
  ];
  const team = `team${index % teams}` as const;
  const ofTeam = closedTo(team, ...(staffSeesTeams ? ["staff"] : []));
  switch (room) {
    case "members":
      return { channel: open, intention: { key, audience: members } };
    case "voice":
      return { channel: { ...open, kind: "voice" }, intention: { key, audience: members } };
    case "all":
      return { channel: { ...open, overwrites: [hush, door] }, intention: { key, audience: "all" } };
    case "news":
      return {
        channel: { ...open, kind: "announcement", overwrites: [door] },
        intention: { key, audience: "all", isAnnouncement: true },
      };
    case "adult":
      return { channel: { ...open, nsfw: true }, intention: { key, audience: members, isAgeRestricted: true } };
    case "staff":
      return { channel: { ...open, overwrites: closedTo("staff") }, intention: { key, audience: "staff" } };
    case "team":
      return { channel: { ...open, overwrites: ofTeam }, intention: { key, audience: team } };
    case "guested": {
      const guest: OverwritePlan = { who: "person:p4", allow: ["ViewChannel"] };
      return {
        channel: { ...open, overwrites: [...ofTeam, guest] },
        intention: { key, audience: team, hasGuest: true },
      };
    }
  }
}
