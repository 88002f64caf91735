import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import { type Message, toTypedParts } from "../../domain/message.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import { EventLog } from "./event-log.ts";

const LIMITS = { heldEvents: 12, heldBytes: 1_000_000, heldMs: 1_000 };

function message(id: number, content: string): Message {
  return {
    message_id: String(id) as MessageId,
    channel_id: channelOf(id),
    guild_id: "9" as GuildId,
    thread_id: null,
    link: "",
    author: { id: "8" as UserId, name: "Sarah", bot: false },
    ts: "2026-11-15T05:00:00.000Z",
    edited_ts: null,
    kind: "text",
    content,
    parts: toTypedParts(content),
    reply_to: null,
    attachments: [],
  };
}

function channelOf(id: number): ChannelId {
  return String(100 + (id % 3)) as ChannelId;
}

function openLog(limits = LIMITS, isLeftOut: (authorId: UserId) => boolean = () => false) {
  const clock = { at: 0, now: () => clock.at };
  let minted = 0;
  const mintId = () => {
    minted += 1;
    return `cursor-${minted}`;
  };
  return { clock, log: new EventLog(limits, { consent: { isLeftOut }, clock, mintId }) };
}

type Step =
  | { readonly kind: "say" | "edit" | "delete"; readonly id: number; readonly text: string }
  | { readonly kind: "bulk"; readonly ids: number[] }
  | { readonly kind: "lose" | "remove"; readonly id: number }
  | { readonly kind: "mark" }
  | { readonly kind: "wait"; readonly ms: number };

const id = fc.integer({ min: 1, max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("say", "edit", "delete"), id, text: fc.string({ maxLength: 5 }) }),
  fc.record({ kind: fc.constant("bulk"), ids: fc.array(id, { maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom("lose", "remove"), id }),
  fc.record({ kind: fc.constant("mark") }),
  fc.record({ kind: fc.constant("wait"), ms: fc.integer({ min: 1, max: 600 }) }),
);

function toEvent(one: Step): DiscordEvent | null {
  const guildId = "9" as GuildId;
  switch (one.kind) {
    case "say":
      return { type: "message", message: message(one.id, one.text), addressed: false };
    case "edit":
      return { type: "message_update", message: message(one.id, one.text) };
    case "delete":
      return { type: "message_delete", channelId: channelOf(one.id), messageIds: [String(one.id) as MessageId] };
    case "bulk":
      return {
        type: "message_delete",
        channelId: channelOf(0),
        messageIds: one.ids.map((each) => String(each) as MessageId),
      };
    case "lose":
      return { type: "access_lost", channelId: channelOf(one.id), guildId, lineage: [] };
    case "remove":
      return { type: "guild_removed", guildId, channelIds: [channelOf(one.id)] };
    default:
      return null;
  }
}

/** The part of an event that may still be told, computed only from the list of later events. */
function stillTrue(event: DiscordEvent | null, later: readonly (DiscordEvent | null)[]): DiscordEvent | null {
  if (event?.type !== "message" && event?.type !== "message_update") return event;
  const { message_id, channel_id } = event.message;
  let told: DiscordEvent | null = event;
  for (const other of later) {
    if (other?.type === "message_update" && other.message.message_id === message_id)
      told = told && { ...event, message: other.message };
    if (other?.type === "message_delete" && other.messageIds.includes(message_id)) told = null;
    if (other?.type === "access_lost" && other.channelId === channel_id) told = null;
    if (other?.type === "guild_removed" && other.channelIds.includes(channel_id)) told = null;
  }
  return told;
}

describe("the event log", () => {
  it("holds the latest events, with each message as last edited, and none that was deleted or became inaccessible", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, log } = openLog();
        const all: { event: DiscordEvent | null; at: number; cursor: string }[] = [
          { event: null, at: 0, cursor: log.head.cursor },
        ];
        for (const one of steps) {
          if (one.kind === "wait") {
            clock.at += one.ms;
            continue;
          }
          const event = toEvent(one);
          const { cursor } = event ? log.append(event) : log.mark();
          all.push({ event, at: clock.at, cursor });
        }
        const newest = all.length - 1;
        for (const [index, { event, at, cursor }] of all.entries()) {
          const isHeld = index === newest || (index > newest - LIMITS.heldEvents && at >= clock.at - LIMITS.heldMs);
          const entry = log.find(cursor);
          expect(entry !== null).toBe(isHeld);
          if (entry)
            expect(entry.event).toEqual(
              stillTrue(
                event,
                all.slice(index + 1).map((later) => later.event),
              ),
            );
        }
        expect(log.head.cursor).toBe(all.at(-1)?.cursor);
        const held = all.findIndex(({ cursor }) => log.find(cursor));
        if (held > 0) expect(log.cursorBefore).toBe(all[held - 1]?.cursor);
        expect(log.size).toBe(all.length - held);
      }),
      { numRuns: 300 },
    );
  });

  it("stays within its maximum of bytes, and frees the bytes of deleted messages", () => {
    const { log } = openLog({ heldEvents: 1_000, heldBytes: 50_000, heldMs: 1_000 });
    for (let count = 1; count <= 100; count += 1) {
      log.append({ type: "message", message: message(count, "x".repeat(5_000)), addressed: false });
      expect(log.bytes).toBeLessThanOrEqual(50_000);
    }
    expect(log.size).toBeGreaterThan(2);
    const before = log.bytes;
    const messageIds = [99, 100].map((each) => String(each) as MessageId);
    log.append({ type: "message_delete", channelId: channelOf(0), messageIds });
    expect(log.bytes).toBeLessThan(before - 20_000);
  });

  it("holds nothing that somebody writes who is left out, except requests and their edits", () => {
    const { log } = openLog(LIMITS, () => true);
    const [chat, request] = [message(1, "to nobody in particular"), message(2, "what did I miss?")];
    const entries = [
      log.append({ type: "message", message: chat, addressed: false }),
      log.append({ type: "message_update", message: chat }),
      log.append({ type: "message", message: request, addressed: true }),
      log.append({ type: "message_update", message: request }),
    ];
    expect(entries.map(({ event }) => event?.type ?? null)).toEqual([null, null, "message", "message_update"]);
  });
});

it("the event log forgets everything that an erased person wrote, requests too, and keeps the places of it", () => {
  const { log } = openLog();
  const others = { ...message(3, "c"), author: { id: "7" as UserId, name: "Mark", bot: false } };
  const said = log.append({ type: "message", message: message(1, "a"), addressed: true });
  log.append({ type: "message_update", message: message(2, "b") });
  log.append({ type: "message", message: others, addressed: false });
  log.forgetAuthor("8" as UserId);
  const held = [1, 2, 3].map((place) => log.at(log.first + place).event);
  expect(held).toEqual([null, null, { type: "message", message: others, addressed: false }]);
  expect(log.find(said.cursor)?.sequence).toBe(said.sequence);
});
