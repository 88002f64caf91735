import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import { Delivery } from "./delivery.ts";

const CHANNEL = "1" as ChannelId;

function version(id: string, edits: number): Message {
  return {
    message_id: id as MessageId,
    channel_id: CHANNEL,
    guild_id: null,
    thread_id: null,
    link: "",
    author: { id: "2" as UserId, name: "x", bot: false },
    ts: "2026-01-01T00:00:00.000Z",
    edited_ts: edits === 0 ? null : `2026-01-01T00:00:0${edits}.000Z`,
    kind: "text",
    content: `version ${edits}`,
    parts: toTypedParts(`version ${edits}`),
    reply_to: null,
    attachments: [],
  };
}

type Act = { id: string } & ({ do: "create" } | { do: "update"; edits: number } | { do: "delete" });

describe("Delivery", () => {
  it("holds the words of an edit only until the message itself arrives, or its author is let go of", () => {
    const delivery = new Delivery();
    delivery.update(version("10", 1));
    expect(delivery.create(version("10", 0), false)).toMatchObject([{ message: { content: "version 1" } }]);
    expect(delivery.update(version("10", 0))).toEqual([]);
    delivery.update(version("11", 1));
    delivery.letGoOf("2" as UserId);
    expect(delivery.create(version("11", 0), false)).toMatchObject([{ message: { content: "version 0" } }]);
    expect(delivery.create(version("10", 0), false)).toEqual([]);
  });

  it("ends in the same state as the correct order, whatever is repeated or reordered", () => {
    const life = fc.record({ id: fc.constantFrom("10", "11", "12"), edits: fc.nat(3), deleted: fc.boolean() });
    const acts = fc.uniqueArray(life, { selector: ({ id }) => id }).chain((lives) => {
      const all = lives.flatMap(({ id, edits, deleted }): Act[] => [
        { id, do: "create" },
        ...Array.from({ length: edits }, (_, index): Act => ({ id, do: "update", edits: index + 1 })),
        ...(deleted ? [{ id, do: "delete" } as const] : []),
      ]);
      const shuffled = fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 });
      return fc.tuple(fc.constant(lives), all.length === 0 ? fc.constant([]) : shuffled);
    });
    fc.assert(
      fc.property(acts, ([lives, order]) => {
        const delivery = new Delivery();
        const held = new Map<string, Message>();
        const announced: string[] = [];
        const gone = new Set<string>();
        for (const act of order) {
          const events =
            act.do === "create"
              ? delivery.create(version(act.id, 0), false)
              : act.do === "update"
                ? delivery.update(version(act.id, act.edits))
                : delivery.delete(CHANNEL, [act.id as MessageId]);
          for (const event of events) {
            if (event.type === "message") announced.push(event.message.message_id);
            if (event.type === "message" || event.type === "message_update") {
              expect(gone.has(event.message.message_id)).toBe(false);
              held.set(event.message.message_id, event.message);
            } else if (event.type === "message_delete") {
              for (const id of event.messageIds) {
                gone.add(id);
                held.delete(id);
              }
            }
          }
        }
        expect(new Set(announced).size).toBe(announced.length);
        for (const { id, edits, deleted } of lives)
          expect(held.get(id)?.content).toBe(deleted ? undefined : `version ${edits}`);
      }),
      { numRuns: 500 },
    );
  });

  it("announces a message once, with its newest text, even when the edit arrived first", () => {
    const delivery = new Delivery();
    delivery.update(version("10", 2));
    expect(delivery.create(version("10", 0), true)).toEqual([
      { type: "message", message: version("10", 2), addressed: true },
    ]);
    expect(delivery.create(version("10", 0), true)).toEqual([]);
  });
});
