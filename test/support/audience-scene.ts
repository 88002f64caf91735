import fc from "fast-check";

/** Bit numbers in Discord's masks. */
export const BIT = {
  administrator: 1n << 3n,
  view: 1n << 10n,
  send: 1n << 11n,
  read: 1n << 16n,
  connect: 1n << 20n,
  manageThreads: 1n << 34n,
} as const;

/** A small server in plain numbers, from which each judge makes what it understands. */
export interface Scene {
  /** What each grants; the first is @everyone's. Members and overwrites may name roles that are not among them. */
  readonly roles: readonly bigint[];
  /** Index of a member, or of nobody. */
  readonly owner: number;
  readonly members: readonly Person[];
  /** Whether the server screens its members; they can be pending only then, as far as Discord says. */
  readonly hasScreening?: boolean;
  readonly countsBots: boolean;
  readonly channels: readonly Room[];
  readonly threads: readonly Strand[];
}

interface Person {
  readonly roles: readonly number[];
  readonly bot: boolean;
  readonly pending?: boolean;
  readonly isTimedOut?: boolean;
}

export interface Room {
  readonly kind: "text" | "voice" | "stage" | "announcement" | "other";
  readonly overwrites: readonly { readonly who: Who; readonly allow: bigint; readonly deny: bigint }[];
  readonly ageRestricted: boolean;
  readonly hidden: boolean;
}

/** A role or a member, by index. */
type Who = `r${number}` | `m${number}`;

interface Strand {
  /** Index of a channel, modulo their number. */
  readonly parent: number;
  readonly isPrivate: boolean;
  /** Null where they are not known. */
  readonly members: readonly number[] | null;
}

/** A channel, or a thread in one. */
export interface Spot {
  readonly room: Room;
  readonly thread: Strand | null;
}

/** All of them, the channels first. */
export function spotsOf({ channels, threads }: Scene): Spot[] {
  const spots = channels.map((room): Spot => ({ room, thread: null }));
  const inThreads = threads.flatMap((thread) => {
    const room = channels[thread.parent % channels.length];
    return room ? [{ room, thread }] : [];
  });
  return [...spots, ...inThreads];
}

const seldom = (of: number) => fc.integer({ min: 0, max: of }).map((value) => value === 0);
const mask = fc
  .tuple(fc.subarray([BIT.view, BIT.read, BIT.connect, BIT.manageThreads, BIT.send]), fc.integer({ min: 0, max: 3 }))
  .map(([bits, more]) => bits.reduce((sum, bit) => sum | bit, more === 0 ? BIT.view | BIT.read : 0n));
const roleMask = fc.tuple(mask, seldom(9)).map(([bits, isAdmin]) => (isAdmin ? bits | BIT.administrator : bits));

interface Size {
  /** The highest number of a role. */
  readonly roles: number;
  readonly members: number;
}

export function scenes({ roles, members }: Size): fc.Arbitrary<Scene> {
  const who = fc.oneof(
    fc.nat(roles).map((index): Who => `r${index}`),
    fc.nat(4).map((index): Who => `m${index}`),
  );
  const room: fc.Arbitrary<Room> = fc.record({
    kind: fc.oneof(
      { weight: 12, arbitrary: fc.constant("text" as const) },
      { weight: 7, arbitrary: fc.constantFrom("voice", "voice", "stage", "announcement", "announcement", "other") },
    ),
    // An overwrite that names the administrator's permission changes nothing.
    overwrites: fc.uniqueArray(fc.record({ who, allow: roleMask, deny: roleMask }), {
      maxLength: 4,
      selector: (one) => one.who,
    }),
    ageRestricted: seldom(5),
    hidden: seldom(9),
  });
  return fc.record({
    roles: fc.array(roleMask, { minLength: 1, maxLength: roles + 1 }),
    owner: fc.nat(5),
    members: fc.array(
      fc.record({
        roles: fc.uniqueArray(fc.integer({ min: 1, max: roles }), { maxLength: roles, size: "max" }),
        bot: seldom(4),
        pending: seldom(3),
        isTimedOut: seldom(4),
      }),
      {
        minLength: 1,
        maxLength: members,
        size: "max",
      },
    ),
    countsBots: seldom(3),
    hasScreening: fc.boolean(),
    channels: fc.array(room, { minLength: 2, maxLength: 5 }),
    threads: fc.array(
      fc.record({
        parent: fc.nat(4),
        isPrivate: fc.integer({ min: 0, max: 2 }).map((value) => value > 0),
        members: fc.option(fc.uniqueArray(fc.nat(4)), { freq: 4 }),
      }),
      { maxLength: 3 },
    ),
  });
}

/** Small enough that brute force is quick, large enough for every rule to matter. */
export const smallScenes = scenes({ roles: 4, members: 5 });
