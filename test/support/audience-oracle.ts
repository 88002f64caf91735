import { BIT, type Room, type Scene, type Spot } from "./audience-scene.ts";

/** Somebody, by the number under which rules name them, and roles. */
export interface Somebody {
  readonly index: number;
  readonly roles: readonly number[];
}

export interface Rights {
  readonly sees: boolean;
  readonly reads: boolean;
  /** The channel of a thread; of a channel, itself. */
  readonly readsParent: boolean;
}

/** A number that no rule names. */
const UNNAMED = 1_000;
const EVERYTHING = Object.values(BIT).reduce((all, bit) => all | bit, 0n);

/** Discord's documented algorithm on its own masks, person by person. It shares no code with what it judges. */
function permissionsOf(scene: Scene, room: Room, { index, roles }: Somebody): bigint {
  if (index === scene.owner) return EVERYTHING;
  let bits = scene.roles[0] ?? 0n;
  for (const role of roles) bits |= scene.roles[role] ?? 0n;
  if (bits & BIT.administrator) return EVERYTHING;
  if (room.hidden) return 0n;
  const own = (name: string) => room.overwrites.find((overwrite) => overwrite.who === name);
  const everyone = own("r0");
  if (everyone) bits = (bits & ~everyone.deny) | everyone.allow;
  const held = roles.flatMap((role) => own(`r${role}`) ?? []);
  for (const { deny } of held) bits &= ~deny;
  for (const { allow } of held) bits |= allow;
  const mine = own(`m${index}`);
  return mine ? (bits & ~mine.deny) | mine.allow : bits;
}

/** What one person can do at one spot. */
export function rightsOf(scene: Scene, { room, thread }: Spot, person: Somebody): Rights {
  const bits = permissionsOf(scene, room, person);
  const isVoice = room.kind === "voice" || room.kind === "stage";
  const needed = BIT.view | BIT.read | (isVoice ? BIT.connect : 0n);
  const isInside =
    !thread?.isPrivate || (thread.members ?? []).includes(person.index) || (bits & BIT.manageThreads) !== 0n;
  return {
    sees: (bits & BIT.view) !== 0n && (isInside || thread?.members === null),
    reads: (bits & needed) === needed && isInside,
    readsParent: (bits & needed) === needed,
  };
}

/** What no list of people can mend; null where only people are in the way, if anything is. */
export function standingBarrier(from: Spot, to: Spot): string | null {
  for (const { room } of [from, to]) {
    if (room.kind === "other") return "elsewhere";
    if (room.hidden) return "hidden";
  }
  if (isSame(from, to)) return null;
  const isItsOwn = from.room === to.room && !from.thread;
  if (to.room.kind === "announcement" && !isItsOwn) return "announcement";
  if (from.room.ageRestricted && !to.room.ageRestricted) return "age_restricted";
  if (from.thread?.isPrivate && from.thread.members === null) return "unknown_members";
  return null;
}

export function isSame(from: Spot, to: Spot): boolean {
  return from.room === to.room && from.thread === to.thread;
}

/** Those who are there and count. */
export function everybody({ members, countsBots }: Scene): Somebody[] {
  return members.flatMap(({ roles, bot }, index) => (bot && !countsBots ? [] : [{ index, roles }]));
}

/** Everybody there could be: any roles that appear, with any of the names that appear, or none. A known bot's name is no person's. */
export function anybody(scene: Scene): Somebody[] {
  const { members, countsBots } = scene;
  const names = [UNNAMED, 0, 1, 2, 3, 4].filter((index) => countsBots || !members[index]?.bot);
  const roles = rolesOf(scene);
  return Array.from({ length: 1 << roles.length }, (_, set) => roles.filter((_role, bit) => set & (1 << bit))).flatMap(
    (held) => names.map((index) => ({ index, roles: held })),
  );
}

function rolesOf({ roles, members, channels }: Scene): number[] {
  const named = channels.flatMap(({ overwrites }) => overwrites.map(({ who }) => who)).filter((who) => who[0] === "r");
  const all = [
    ...roles.keys(),
    ...members.flatMap((member) => member.roles),
    ...named.map((who) => Number(who.slice(1))),
  ];
  return [...new Set(all)].filter((role) => role > 0);
}
