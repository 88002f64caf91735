import { describe, expect, it } from "vitest";
import { Pace, type Pacer, runAtOnce, type Steps, UNPACED } from "./pace.ts";
import { createStepQueue } from "./step-queue.ts";

function* count(to: number, pacer: Pacer, note: (event: string) => void = () => {}): Steps<number> {
  try {
    for (let at = 0; at < to; at += 1) if (pacer.spend(1)) yield;
    return to;
  } finally {
    note("released");
  }
}

function openPace(check: (pauses: number) => void = () => {}) {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  return { pace: new Pace({ pause, check: () => check(pauses), unitsPerStep: 10 }), pauses: () => pauses };
}

describe("work in steps", () => {
  it("pauses each time the budget of a step is used up", async () => {
    const { pace, pauses } = openPace();
    expect(await pace.run(count(35, pace))).toBe(35);
    expect(pauses()).toBe(3);
  });

  it("adds up small pieces of work", async () => {
    const { pace, pauses } = openPace();
    for (let piece = 0; piece < 10; piece += 1) await pace.run(count(4, pace));
    expect(pauses()).toBe(4);
  });

  it("stops at the next step when cancelled, and runs its finally blocks", async () => {
    const events: string[] = [];
    const { pace, pauses } = openPace((after) => {
      if (after === 2) throw new Error("called off");
    });
    await expect(pace.run(count(1_000, pace, (event) => events.push(event)))).rejects.toThrow("called off");
    expect(pauses()).toBe(2);
    expect(events).toEqual(["released"]);
  });

  it("has the same result when run without pauses", () => {
    expect(runAtOnce(count(35, UNPACED))).toBe(35);
  });

  it("runs one step per round of the event loop, however many calls wait", async () => {
    const rounds: (() => void)[] = [];
    const pause = createStepQueue((callback) => rounds.push(callback));
    const done: number[] = [];
    for (const call of [1, 2, 3]) void pause().then(() => done.push(call));
    for (const expected of [[1], [1, 2], [1, 2, 3]]) {
      rounds.shift()?.();
      await Promise.resolve();
      expect(done).toEqual(expected);
    }
    expect(rounds).toEqual([]);
  });
});
