import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { channelOf, idOf, toMessage } from "../../../test/search/said.ts";
import type { UserId } from "../../domain/ids.ts";
import { Room } from "../../timeline/room.ts";
import { type EmbeddedText, similarity, toVector, Vectors } from "./vectors.ts";

const numbers = fc.float32Array({
  minLength: 5,
  maxLength: 5,
  noNaN: true,
  noDefaultInfinity: true,
  min: -100,
  max: 100,
});

it("stored vectors are about as similar to each other as the numbers they were made from", () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const [x, y] = [toVector(a), toVector(b)];
      const isZero = (all: Float32Array) => all.every((number) => number === 0);
      expect([x === null, y === null]).toEqual([isZero(a), isZero(b)]);
      if (!x || !y) return;
      const dot = (p: Float32Array, q: Float32Array) =>
        p.reduce((sum, number, index) => sum + number * (q[index] ?? 0), 0);
      expect(similarity(x, y)).toBeCloseTo(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)), 1);
      expect(similarity(x, x)).toBeCloseTo(1, 9);
    }),
  );
});

/** All channels share one quota. */
const shared = {
  of: () => ({ id: channelOf("a"), isPrivate: false, room: new Room() }),
  divide: (total: number) => ({ family: total, privateFamily: 0, maxPrivateFamilies: 0 }),
};

describe("the vector cache", () => {
  const embedded = (channel: string, second: number): EmbeddedText => {
    const message = toMessage({ channel, second, by: "ann", text: "zog" });
    return { message, text: "zog", vector: null };
  };
  const channel = fc.constantFrom("a", "b", "c");
  const second = fc.nat({ max: 9 });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), channel, second }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget" as const), channel, second }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("clear" as const, "touch" as const), channel, second }) },
  );

  it("has the vectors that were put and not forgotten, those of the most recently used channels", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (steps, most) => {
        const vectors = new Vectors(most, shared);
        const held = new Map<string, EmbeddedText[]>();
        for (const { kind, channel: name, second: at } of steps) {
          const [channelId, id] = [channelOf(name), BigInt(idOf(name, at))];
          const others = (held.get(name) ?? []).filter(({ message }) => BigInt(message.message_id) !== id);
          if (kind === "put") {
            const entry = embedded(name, at);
            vectors.put(entry);
            const kept = held.get(name) ?? [];
            const index = kept.findIndex(({ message }) => BigInt(message.message_id) === id);
            held.set(name, index < 0 ? [...kept, entry] : kept.with(index, entry));
            const total = () => [...held.values()].flat().length;
            for (const [room, entries] of held)
              while (total() > most && entries.length > 0) held.set(room, entries) && entries.shift();
          } else if (kind === "forget") {
            vectors.forget(channelId, [id]);
            if (held.has(name)) held.set(name, others);
          } else if (kind === "clear") {
            vectors.clear(channelId);
            held.delete(name);
          } else {
            vectors.touch(channelId);
            const kept = held.get(name);
            if (kept && held.delete(name)) held.set(name, kept);
          }
          for (const [room, entries] of [...held]) if (entries.length === 0) held.delete(room);
          expect(vectors.size).toBe([...held.values()].flat().length);
          for (const entry of [...held.values()].flat()) expect(vectors.has(entry)).toBe(true);
        }
      }),
    );
  });
});

it("the vectors of one channel family stay whatever is put into another, and only a few private families are kept", () => {
  const families = {
    of: (id: string) => ({
      id: id as ReturnType<typeof channelOf>,
      isPrivate: id !== channelOf("a") && id !== channelOf("b"),
      room: new Room(),
    }),
    divide: () => ({ family: 5, privateFamily: 2, maxPrivateFamilies: 2 }),
  };
  const vectors = new Vectors(100, families);
  const put = (channel: string, second: number): EmbeddedText => {
    const message = toMessage({ channel, second, by: "ann", text: "zog" });
    const embedded = { message, text: "zog", vector: null };
    vectors.put(embedded);
    return embedded;
  };
  const kept = Array.from({ length: 5 }, (_, second) => put("a", second));
  for (let second = 0; second < 9; second += 1) for (const channel of ["b", "c", "d", "e"]) put(channel, second);
  expect(kept.every((embedded) => vectors.has(embedded))).toBe(true);
  expect(vectors.size).toBe(5 + 5 + 2);
});

it("the vectors of one author's messages are forgotten in all channels, and no others", () => {
  const vectors = new Vectors(100, shared);
  const put = (channel: string, second: number, by: string): EmbeddedText => {
    const embedded = { message: toMessage({ channel, second, by, text: "zog" }), text: "zog", vector: null };
    vectors.put(embedded);
    return embedded;
  };
  const [anns, others] = [[put("a", 1, "ann"), put("b", 2, "ann")], [put("a", 3, "bob")]];
  vectors.forgetAuthor(anns[0]?.message.author.id as UserId);
  expect(anns.map((one) => vectors.has(one))).toEqual([false, false]);
  expect(others.map((one) => vectors.has(one))).toEqual([true]);
  expect(vectors.size).toBe(1);
});
