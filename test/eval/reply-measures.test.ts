import { describe, expect, it } from "vitest";
import type { Room } from "../../eval/irc.ts";
import {
  calibrationError,
  type Guessed,
  measureCertainty,
  measureOverlinking,
  measureReplies,
} from "../../eval/reply-measures.ts";
import { talk } from "../support/talk.ts";

/** A message at each of these minutes before now. */
function room(minutesAgo: readonly number[], answers: Record<number, number[]>): Room {
  const messages = talk(minutesAgo.map((minutes) => ({ by: "Ada", text: "hello", minutesAgo: minutes })));
  return {
    name: "room",
    messages,
    answers: new Map(Object.entries(answers).map(([index, targets]) => [Number(index), targets])),
  };
}

function guess(one: Room, links: Record<number, readonly [to: number, certainty: number]>): Guessed {
  return {
    room: one,
    links: one.messages.map((_, index) => {
      const link = links[index];
      return link && { to: link[0], certainty: link[1] };
    }),
  };
}

describe("measureReplies", () => {
  it("counts right originals, also by how far back and how old they are", () => {
    const one = room([9_000, 100, 99, 98, 97], { 1: [0], 3: [2], 4: [1] });
    const shares = measureReplies([guess(one, { 1: [0, 0.5], 3: [2, 0.5], 4: [3, 0.5] })]);
    expect(Object.fromEntries(shares)).toEqual({
      all: { right: 2, all: 3 },
      "the previous message": { right: 2, all: 2 },
      "2 to 4 back": { right: 0, all: 1 },
      older: { right: 1, all: 1 },
      "within 5 minutes": { right: 1, all: 2 },
    });
  });

  it("counts a message that was taken to answer nothing as wrong", () => {
    expect(measureReplies([guess(room([2, 1], { 1: [0] }), {})]).get("all")).toEqual({ right: 0, all: 1 });
  });
});

describe("measureOverlinking", () => {
  it("counts beginnings that were left alone by the silence before them, and no answers", () => {
    const one = room([5_000, 500, 499, 498], { 0: [0], 1: [1], 2: [2], 3: [2] });
    expect(Object.fromEntries(measureOverlinking([guess(one, { 2: [1, 0.9], 3: [2, 0.9] })]))).toEqual({
      all: { right: 1, all: 2 },
      older: { right: 1, all: 1 },
      "within 5 minutes": { right: 0, all: 1 },
    });
  });
});

describe("measureCertainty", () => {
  it("compares what is stated with how often it is right, by tenths", () => {
    const one = room([4, 3, 2, 1], { 1: [0], 2: [1], 3: [2] });
    const bins = measureCertainty([guess(one, { 1: [0, 0.92], 2: [0, 0.98], 3: [2, 1] })]);
    expect(bins).toHaveLength(1);
    expect(bins[0]).toMatchObject({ right: 2, all: 3 });
    expect(bins[0]?.stated).toBeCloseTo(2.9 / 3);
    expect(calibrationError(bins)).toBeCloseTo(30);
  });

  it("leaves out messages of which it is not known what they answer, and those without a link", () => {
    expect(measureCertainty([guess(room([3, 2, 1], { 2: [1] }), { 1: [0, 0.7] })])).toEqual([]);
  });
});
