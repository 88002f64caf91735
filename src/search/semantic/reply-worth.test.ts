import { describe, expect, it } from "vitest";
import { runAtOnce, UNPACED } from "../../domain/steps/pace.ts";
import { weighByReplies } from "./reply-worth.ts";
import { type EmbeddedText, toVector } from "./vectors.ts";

const DIMENSIONS = 64;

/** From 0 to 1, always the same for the same seed. */
function openLots(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/**
 * A room in which each third message replies to one of those before. `knowing`: how much of a reply's vector is that of what it replies to.
 * `isQuoting`: it repeats a word of it. `isMisleading`: it repeats a word of another.
 */
function room(
  seed: number,
  { size = 120, knowing = 0, isQuoting = false, isMisleading = false, firstId = 1_000 } = {},
): EmbeddedText[] {
  const lots = openLots(seed);
  const messages: EmbeddedText[] = [];
  const floats: Float32Array[] = [];
  for (let index = 0; index < size; index += 1) {
    const own = Float32Array.from({ length: DIMENSIONS }, () => lots() - 0.5);
    const target = index % 3 === 2 ? Math.floor(lots() * index) : null;
    const known = target === null ? null : floats[target];
    const vector = own.map((value, at) => (1 - knowing) * value + knowing * (known?.[at] ?? value));
    floats.push(vector);
    const shared = isQuoting && target !== null ? `word${target}` : "";
    const message = {
      message_id: String(firstId + index),
      reply_to: target === null ? null : { message_id: String(firstId + target), state: "known" },
    };
    const misleading = isMisleading && index > 0 ? `other${Math.floor(lots() * index)}` : "";
    const text = `word${index} other${index} ${shared} ${misleading}`;
    messages.push({ message: message as EmbeddedText["message"], text, vector: toVector(vector) });
  }
  return messages;
}

const weigh = (...channels: EmbeddedText[][]) => runAtOnce(weighByReplies(channels, UNPACED));

describe("what an embedder is worth, judged by replies", () => {
  it("is unknown where there are few replies", () => {
    expect(weigh()).toBeNull();
    expect(weigh(room(1, { size: 40 }))).toBeNull();
    expect(
      weigh(room(1, { size: 120 }).map((one) => ({ ...one, message: { ...one.message, reply_to: null } }))),
    ).toBeNull();
  });

  it("is something for one that finds what was replied to, and words do not", () => {
    expect(weigh(room(1, { knowing: 0.6 }))).toBeGreaterThan(0);
    expect(weigh(room(1, { knowing: 0.6, isMisleading: true }))).toBeGreaterThan(0);
  });

  it("is nothing for one that knows nothing, in nearly every room", () => {
    const weights = Array.from({ length: 100 }, (_, seed) =>
      weigh(room(seed, { isQuoting: seed % 2 === 0, isMisleading: seed % 3 === 0 })),
    );
    expect(weights.filter((weight) => weight !== 0).length).toBeLessThanOrEqual(5);
  });

  it("is nothing where words find everything already", () => {
    expect(weigh(room(1, { knowing: 0.2, isQuoting: true }))).toBe(0);
  });

  it("is summed up over the channels, in whichever order they come", () => {
    const knowing = { size: 60, knowing: 0.6, isMisleading: true };
    const rooms = [room(1, knowing), room(2, { ...knowing, firstId: 5_000 })];
    expect(rooms.map((one) => weigh(one))).toEqual([null, null]);
    expect(weigh(...rooms)).toBeGreaterThan(0);
    expect(weigh(...rooms.toReversed())).toBe(weigh(...rooms));
  });
});
