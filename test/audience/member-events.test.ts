import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GuildDirectory } from "../../src/discord/directory.ts";
import { MemberLoader } from "../../src/discord/member-loader.ts";
import { flows } from "../../src/domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { roleId, userId } from "../support/audience-check.ts";
import { BIT, type Room, type Scene, type Spot, smallScenes } from "../support/audience-scene.ts";
import { anyNewcomer, barrierAt, everyNewcomer, isAmongMembers, strangersAt } from "../support/members-oracle.ts";
import { OBFUSCATED, rawChannel, rawGuild, rawMember, rawOverwrite, rawRole } from "../support/raw-guild.ts";

const GUILD = roleId(0) as string as GuildId;
const TYPE = { text: 0, voice: 2, announcement: 5, stage: 13, other: 14 } as const;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const nothing = async () => null;
const channelId = (index: number) => `${4000 + index}` as ChannelId;

const held = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 });
/** Discord's flag, left out, or nonsense. */
const pending = fc.constantFrom<unknown>(true, true, false, false, undefined, null, "no");
const who = fc.nat(6);
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("add" as const), who, held, pending, bot: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("update" as const), who, held, pending }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("chunk" as const), who, held, pending }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("owner" as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("role" as const),
      who: fc.nat(3),
      permissions: fc.constantFrom(0n, BIT.view, BIT.administrator),
    }),
  },
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

interface Known {
  readonly roles: readonly number[];
  readonly bot: boolean;
  readonly pending: boolean;
}

/** A server as plain lists, whose changes are told to a real directory as events. */
class TestGuild {
  readonly directory: GuildDirectory;
  readonly #loader: MemberLoader;
  readonly #scene: Scene;
  readonly #members = new Map<number, Known>();
  readonly #roles: bigint[];
  #owner: number;
  #nonce = "";

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#owner = scene.owner;
    this.#roles = [...scene.roles];
    this.directory = new GuildDirectory({
      botId: "9000" as UserId,
      clock: { now: () => 0 },
      hearsMembers: true,
      countBots: scene.countsBots,
      ask: { channel: nothing, member: nothing, threadMembers: nothing, searchMembers: nothing },
    });
    const request = async ({ d }: { d: { nonce: string } }) => {
      this.#nonce = d.nonce;
    };
    this.#loader = new MemberLoader(this.directory, request, silent);
    this.tell("GUILD_CREATE", this.#describe());
  }

  get scene(): Scene {
    const members = Array.from({ length: 7 }, (_, index) => this.#members.get(index));
    // Who is not there still has a number, so that the others keep theirs.
    const absent = { roles: [], bot: true, pending: false };
    return { ...this.#scene, roles: this.#roles, owner: this.#owner, members: members.map((known) => known ?? absent) };
  }

  has(index: number): boolean {
    return this.#members.has(index);
  }

  tell(type: string, data: unknown): void {
    this.directory.apply(type, data);
    this.#loader.apply(type, data);
  }

  /** The whole list arrives. */
  complete(): void {
    const members = this.#scene.members.map((member, index) => this.#note(index, { ...member, raw: member.pending }));
    this.tell("GUILD_MEMBERS_CHUNK", { guild_id: GUILD, nonce: this.#nonce, chunk_index: 0, chunk_count: 1, members });
  }

  change(step: Step): void {
    if (step.kind === "owner") {
      this.#owner = step.who;
      this.tell("GUILD_UPDATE", this.#describe());
      return;
    }
    if (step.kind === "role") {
      const { permissions } = step;
      if (step.who >= this.#roles.length) return;
      this.#roles[step.who] = permissions;
      const role = rawRole({ id: roleId(step.who), name: "", permissions, position: step.who });
      this.tell("GUILD_ROLE_UPDATE", { guild_id: GUILD, role });
      return;
    }
    const known = this.#members.get(step.who);
    if (step.kind === "remove") {
      this.#members.delete(step.who);
      this.tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id: userId(step.who) } });
      return;
    }
    const bot = step.kind === "add" ? step.bot : known?.bot;
    // Only somebody who is there is updated.
    if (bot === undefined) return;
    const member = this.#note(step.who, { roles: step.held, bot, raw: step.pending });
    if (step.kind === "chunk") this.tell("GUILD_MEMBERS_CHUNK", { guild_id: GUILD, nonce: "other", members: [member] });
    else this.tell(step.kind === "add" ? "GUILD_MEMBER_ADD" : "GUILD_MEMBER_UPDATE", { guild_id: GUILD, ...member });
  }

  close(): void {
    this.#loader.close();
  }

  #note(index: number, { roles, bot, raw }: { roles: readonly number[]; bot: boolean; raw: unknown }) {
    const isPending = raw === undefined ? (this.#members.get(index)?.pending ?? false) : raw !== false;
    this.#members.set(index, { roles, bot, pending: isPending });
    const member = rawMember({ id: userId(index), bot }, { roles: roles.map(roleId) });
    return { ...member, ...(raw !== undefined && { pending: raw }) };
  }

  #describe() {
    const { channels, hasScreening } = this.#scene;
    const guild = rawGuild({
      id: GUILD,
      name: "Quay",
      ownerId: userId(this.#owner),
      memberCount: 99,
      roles: this.#roles.map((permissions, index) =>
        rawRole({ id: roleId(index), name: "", permissions, position: index }),
      ),
      members: [],
      channels: channels.map(toRawChannel),
    });
    return { ...guild, features: hasScreening ? ["MEMBER_VERIFICATION_GATE_ENABLED"] : [] };
  }
}

function toRawChannel({ kind, overwrites, hidden, ageRestricted }: Room, index: number) {
  const raw = rawChannel({
    id: channelId(index),
    guildId: GUILD,
    name: "room",
    type: TYPE[kind],
    ageRestricted,
    overwrites: overwrites.map(({ who: [target, ...digits], ...masks }) => {
      const number = Number(digits.join(""));
      return target === "r"
        ? rawOverwrite("role", roleId(number), masks)
        : rawOverwrite("member", userId(number), masks);
    }),
  });
  return hidden ? { ...raw, flags: OBFUSCATED } : raw;
}

/** Every channel as a destination, with every role, and all members, as the source. */
function compare(guild: TestGuild, people: ReturnType<typeof everyNewcomer>, tally: { yes: number; no: number }): void {
  const { scene, directory } = guild;
  for (const role of [null, ...scene.roles.keys()]) {
    const source = directory.members(GUILD, role === null ? null : roleId(role));
    for (const [index, room] of scene.channels.entries()) {
      const spot: Spot = { room, thread: null };
      const expected = barrierAt(spot) === null && strangersAt(scene, { spot, role }, people).length === 0;
      expect(flows(source, directory.audience(channelId(index))), `${role} → ${index}`).toBe(expected);
      tally[expected ? "yes" : "no"] += 1;
    }
    for (const [index, member] of scene.members.entries()) {
      const expected = guild.has(index) && isAmongMembers(scene, role, { index, pending: false, ...member });
      const ephemeral = { kind: "people", people: new Set([userId(index)]) } as const;
      expect(flows(source, ephemeral), `${role} → person ${index}`).toBe(expected);
    }
  }
}

describe("what is shared with the members of a server", () => {
  it("flows by the current members, after whatever happens to them", () => {
    const tally = { yes: 0, no: 0 };
    fc.assert(
      fc.property(smallScenes, fc.array(steps, { maxLength: 12, size: "max" }), (scene, changes) => {
        const guild = new TestGuild(scene);
        try {
          guild.complete();
          compare(guild, present(guild), tally);
          for (const change of changes) {
            guild.change(change);
            compare(guild, present(guild), tally);
          }
        } finally {
          guild.close();
        }
      }),
      { numRuns: 400 },
    );
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(2_000);
  });

  it("flows by what roles could allow, and by whether the server screens its members, until the list has arrived", () => {
    const tally = { yes: 0, no: 0 };
    fc.assert(
      fc.property(smallScenes, (scene) => {
        // Who is a bot is not known yet.
        const guild = new TestGuild({ ...scene, members: [], countsBots: true });
        try {
          compare(guild, anyNewcomer(guild.scene), tally);
        } finally {
          guild.close();
        }
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(2_000);
  });
});

/** Those who are there, without the bots unless they count. */
function present(guild: TestGuild): ReturnType<typeof everyNewcomer> {
  return everyNewcomer(guild.scene).filter(({ index }) => guild.has(index));
}
