import { describe, expect, it } from "vitest";
import type { ChannelId } from "../../domain/ids.ts";
import { type Grant, OPERATOR_GRANT } from "../../policy/grant.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import { type Entry, EventLog } from "./event-log.ts";
import type { FeedGroup } from "./fan-out.ts";
import { DELIVERY_COST, type DeliveryRun, FanOut, SKIP_COST } from "./fan-out.ts";

const EVENT: DiscordEvent = { type: "channel", channelId: "1" as ChannelId };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const log = { debug() {}, info() {}, warn() {}, error() {} };

function arrive(concerns: (grant: Grant) => boolean = () => true) {
  let decisions = 0;
  let minted = 0;
  const limits = { heldEvents: 100, heldBytes: 1e9, heldMs: 1e9 };
  const events = new EventLog(limits, {
    consent: { isLeftOut: () => false },
    clock: { now: () => 0 },
    mintId: () => `cursor-${++minted}`,
  });
  const clientEvents = {
    decide() {
      decisions += 1;
      return { mayConcern: concerns, toClientEvent: () => null };
    },
  };
  const fanOut = new FanOut({ clientEvents, log, events });
  return { events, fanOut, decisions: () => decisions };
}

/** A member that counts what it is given, and leaves when it has no room. */
class Counter {
  group: FeedGroup | null = null;
  position: number;
  taken: number[] = [];
  hasRoom = true;
  isBehind = false;

  constructor(position: number) {
    this.position = position;
  }

  take({ sequence }: Entry, _: DeliveryRun): number {
    if (!this.hasRoom) {
      this.group?.remove(this);
      return SKIP_COST;
    }
    this.position = sequence;
    this.taken.push(sequence);
    return DELIVERY_COST;
  }

  fallBehind(): void {
    this.isBehind = true;
    this.group?.remove(this);
  }
}

function join({ fanOut, events }: ReturnType<typeof arrive>, count: number, grant = OPERATOR_GRANT): Counter[] {
  return Array.from({ length: count }, (_, index) => {
    const member = new Counter(events.head.sequence);
    member.group = fanOut.join(member, { name: `client-${index}`, grant: structuredClone(grant) });
    return member;
  });
}

describe("the fan-out of events", () => {
  it("gives every member every event, in order, and a bounded number in one turn of the event loop", async () => {
    const system = arrive();
    const members = join(system, 1_000);
    for (let count = 0; count < 3; count += 1) {
      system.events.append(EVENT);
      system.fanOut.announce();
    }
    const given = () => members.reduce((sum, { taken }) => sum + taken.length, 0);
    for (let before = 0; before < 3_000; await nextTurn()) {
      expect(given() - before).toBeGreaterThan(0);
      expect(given() - before).toBeLessThanOrEqual(300);
      before = given();
    }
    for (const { taken } of members) expect(taken).toEqual([2, 3, 4]);
  });

  it("decides about an event once, however many clients there are, and visits no client that it does not concern", () => {
    const system = arrive(({ events }) => events === "all");
    const deaf = join(system, 500, { ...OPERATOR_GRANT, events: "addressed" });
    const [reader] = join(system, 1);
    for (let count = 0; count < 10; count += 1) {
      system.events.append(EVENT);
      system.fanOut.announce();
    }
    expect(system.decisions()).toBe(10);
    expect(reader?.taken).toHaveLength(10);
    expect(deaf.flatMap(({ taken }) => taken)).toEqual([]);
    expect(deaf[0]?.group?.position).toBe(system.events.head.sequence);
    expect(deaf[0]?.group?.cursor).toBe(system.events.head.cursor);
  });

  it("decides again in the next turn, and skips the remaining clients where access was lost meanwhile", async () => {
    let mayHear = true;
    const system = arrive(() => mayHear);
    const members = join(system, 1_000);
    system.events.append(EVENT);
    system.fanOut.announce();
    mayHear = false;
    const told = members.filter(({ taken }) => taken.length > 0).length;
    expect(told).toBeGreaterThan(0);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(members.filter(({ taken }) => taken.length > 0)).toHaveLength(told);
    expect(members[0]?.group?.position).toBe(system.events.head.sequence);
  });

  it("gives an event in progress to clients that join meanwhile, once, and not to those that left", async () => {
    const system = arrive();
    const members = join(system, 600);
    const late = new Counter(system.events.head.sequence);
    system.events.append(EVENT);
    system.fanOut.announce();
    late.group = system.fanOut.join(late, { name: "late", grant: OPERATOR_GRANT });
    const current = new Counter(system.events.head.sequence);
    current.group = system.fanOut.join(current, { name: "current", grant: OPERATOR_GRANT });
    const left = members.at(-1);
    if (left) left.group?.remove(left);
    const full = members.at(-2);
    if (full) full.hasRoom = false;
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(late.taken).toEqual([2]);
    expect(current.taken).toEqual([]);
    expect(left?.taken).toEqual([]);
    expect(full?.taken).toEqual([]);
    for (const { taken } of members.slice(0, -2)) expect(taken).toEqual([2]);
  });

  it("marks members as behind where the log has moved on without their group", async () => {
    const system = arrive();
    const members = join(system, 1_000);
    for (let count = 0; count < 200; count += 1) system.events.append(EVENT);
    system.fanOut.announce();
    await nextTurn();
    expect(members.every(({ isBehind }) => isBehind)).toBe(true);
  });

  it("takes grants as equal by value, whatever the order of their lists", () => {
    const system = arrive();
    const groupOf = (more: Partial<Grant>) => {
      const [member] = join(system, 1, { ...OPERATOR_GRANT, ...more });
      return member?.group;
    };
    const one = groupOf({ channels: ["1", "2"] as ChannelId[], scopes: [] });
    expect(groupOf({ channels: ["2", "1"] as ChannelId[] })).toBe(one);
    expect(groupOf({ channels: ["1"] as ChannelId[] })).not.toBe(one);
    expect(groupOf({ channels: "all" })).not.toBe(one);
    expect(groupOf({ channels: ["1", "2"] as ChannelId[], directMessages: false })).not.toBe(one);
  });
});
