import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import { type Message, toTypedParts } from "../../domain/message.ts";
import { OPERATOR_GRANT } from "../../policy/grant.ts";
import type { Client } from "../../policy/operation.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import { EventFeed } from "./event-feed.ts";
import { EventLog } from "./event-log.ts";
import { FanOut } from "./fan-out.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function toMessage(number: number): Message {
  return {
    message_id: String(number) as MessageId,
    channel_id: "1" as ChannelId,
    guild_id: "2" as GuildId,
    thread_id: null,
    link: "",
    author: { id: "3" as UserId, name: "Sarah", bot: false },
    ts: "2026-11-15T05:00:00.000Z",
    edited_ts: null,
    kind: "text",
    content: "",
    parts: toTypedParts(""),
    reply_to: null,
    attachments: [],
  };
}

/** Clients that are told every message, or every third, as their grant says; all of it in one turn after the other. */
class Stage {
  readonly events: EventLog;
  readonly fanOut: FanOut;
  readonly readers: Reader[] = [];
  readonly counters = { events: 0, gaps: 0 };
  readonly written = new WeakMap<object, string>();
  said = 0;

  constructor(heldEvents: number) {
    let minted = 0;
    const limits = { heldEvents, heldBytes: 1e9, heldMs: 1e9 };
    this.events = new EventLog(limits, {
      consent: { isLeftOut: () => false },
      clock: { now: () => 0 },
      mintId: () => `c${++minted}`,
    });
    this.fanOut = new FanOut({ clientEvents: this, log, events: this.events });
  }

  /** @see ClientEvents */
  decide(event: DiscordEvent) {
    const isFor = ({ events }: Client["grant"]) =>
      event.type === "message" && (events === "all" || Number(event.message.message_id) % 3 === 0);
    const payload = event.type === "message" ? event.message : null;
    return {
      mayConcern: isFor,
      toClientEvent: ({ grant }: Client) => (isFor(grant) ? { name: "discord.message", payload } : null),
    };
  }

  /** @see ClientEvents */
  mayStillPush(): boolean {
    return true;
  }

  say(): void {
    this.said += 1;
    this.events.append({ type: "message", message: toMessage(this.said), addressed: false });
    this.fanOut.announce();
  }

  join(step: 1 | 3): void {
    this.readers.push(new Reader(this, step));
  }
}

/** One client with so much room; what it was sent, in order. */
class Reader {
  readonly feed: EventFeed;
  readonly step: 1 | 3;
  readonly since: number;
  readonly heard: (number | "gap")[] = [];
  room = Number.POSITIVE_INFINITY;
  isGone = false;

  constructor(stage: Stage, step: 1 | 3) {
    this.step = step;
    this.since = stage.said;
    const outbox = {
      hasRoom: () => this.room > 0,
      send: (frame: string) => {
        this.room -= 1;
        const id = /"message_id":"(\d+)"/.exec(frame)?.[1];
        this.heard.push(id === undefined ? "gap" : Number(id));
      },
    };
    const grant = { ...OPERATOR_GRANT, events: step === 1 ? ("all" as const) : ("addressed" as const) };
    const client = { name: "reader", grant };
    this.feed = new EventFeed({ client, outbox, windowOf: null }, null, { ...stage, clientEvents: stage });
    this.feed.resume();
  }

  /** The events that it must have received by now if it had always read. */
  expected(said: number): number[] {
    const all = Array.from({ length: said - this.since }, (_, index) => this.since + index + 1);
    return all.filter((number) => number % this.step === 0);
  }
}

type Step =
  | { readonly do: "say"; readonly count: number }
  | { readonly do: "join"; readonly step: 1 | 3; readonly count: number }
  | { readonly do: "turn" }
  | { readonly do: "room"; readonly who: number; readonly room: number }
  | { readonly do: "leave"; readonly who: number };

const who = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("say"), count: fc.integer({ min: 1, max: 12 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("join"),
      step: fc.constantFrom(1, 3),
      count: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("turn") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("room"), who, room: fc.constantFrom(0, 1, 5, 1_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave"), who }) },
) as fc.Arbitrary<Step>;

async function play(steps: readonly Step[], heldEvents: number): Promise<Stage> {
  const stage = new Stage(heldEvents);
  for (const each of steps) {
    const reader = "who" in each ? stage.readers[each.who % Math.max(1, stage.readers.length)] : undefined;
    if (each.do === "turn") await nextTurn();
    if (each.do === "say") for (let count = 0; count < each.count; count += 1) stage.say();
    if (each.do === "join") for (let count = 0; count < each.count; count += 1) stage.join(each.step);
    if (reader && each.do === "room") {
      reader.room = each.room;
      reader.feed.resume();
    }
    if (reader && each.do === "leave") {
      reader.isGone = true;
      reader.feed.close();
    }
  }
  for (const reader of stage.readers) {
    reader.room = Number.POSITIVE_INFINITY;
    reader.feed.resume();
  }
  stage.say();
  while (stage.readers.some(({ feed, isGone }) => !isGone && feed.position < stage.events.head.sequence))
    await nextTurn();
  return stage;
}

/** The messages that a reader should have, where it was told of no gap. */
function missingUnsaid({ heard }: Reader, expected: readonly number[]): number[] {
  const missing: number[] = [];
  let at = 0;
  let isGapTold = false;
  for (const one of heard) {
    if (one === "gap") {
      isGapTold = true;
      continue;
    }
    const found = expected.indexOf(one, at);
    if (found < 0) throw new Error(`${one} came twice, too late or to the wrong client`);
    if (!isGapTold) missing.push(...expected.slice(at, found));
    at = found + 1;
    isGapTold = false;
  }
  return isGapTold ? missing : [...missing, ...expected.slice(at)];
}

describe("the event feeds of many clients", () => {
  it("give each client its events, in order and once, whoever joins, leaves or reads slowly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { readers, said } = await play(steps, 10_000);
        for (const reader of readers) {
          const expected = reader.expected(said);
          expect(reader.heard).toEqual(reader.isGone ? expected.slice(0, reader.heard.length) : expected);
          if (!reader.isGone) expect(reader.feed.isCurrent).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("never lose an event without a gap, where more events come than are held", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { readers, said } = await play(steps, 8);
        for (const reader of readers)
          if (!reader.isGone) expect(missingUnsaid(reader, reader.expected(said))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("remember which events a client was not to get when it falls behind", async () => {
    const stage = new Stage(2);
    stage.join(3);
    const [reader] = stage.readers;
    if (!reader) throw new Error("nobody joined");
    stage.say();
    stage.say();
    reader.room = 0;
    stage.say();
    expect(reader.feed.isCurrent).toBe(false);
    reader.room = 5;
    reader.feed.resume();
    expect(reader.heard).toEqual([3]);
  });
});
