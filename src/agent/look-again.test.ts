import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EarshotError } from "../domain/errors.ts";
import { type AnswerJob, NEWEST } from "../ports/answer-store.ts";
import { LookAgain } from "./look-again.ts";

const MINUTE_MS = 60_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Answers 0 to `count`, the newest with the highest number. */
function open(count: number) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answers = Array.from({ length: count }, (_, index) => ({ questionId: String(index), postedAt: index }));
  const looked: number[] = [];
  const parts = { isFailing: false, untold: new Set<number>() };
  const lookAgain = new LookAgain({
    store: {
      async citing(limit, before = NEWEST) {
        if (parts.isFailing) throw new EarshotError("unavailable", "The disk is full.");
        const older = answers.filter(({ postedAt }) => postedAt < before.postedAt).toReversed();
        return older.slice(0, limit) as unknown as readonly AnswerJob[];
      },
      find: async (id) => (answers.find(({ questionId }) => questionId === id) ?? null) as AnswerJob | null,
    },
    async lookAt({ postedAt }) {
      looked.push(postedAt);
      return !parts.untold.has(postedAt);
    },
    log: quiet,
  });
  const pass = () => vi.advanceTimersByTimeAsync(MINUTE_MS);
  const numbers = (from: number, to: number) => Array.from({ length: from - to }, (_, index) => from - 1 - index);
  return { lookAgain, looked, parts, pass, numbers };
}

describe("after a gap, the sources of answers", () => {
  it("are looked at page by page, 50 a minute, the newest first, until all have been", async () => {
    const { lookAgain, looked, pass, numbers } = open(120);
    await lookAgain.begin();
    expect(looked).toEqual(numbers(120, 70));
    await pass();
    expect(looked).toEqual(numbers(120, 20));
    await pass();
    await pass();
    await pass();
    expect(looked).toEqual(numbers(120, 0));
  });

  it("are all looked at once more when there is another gap meanwhile, and the oldest are not put off", async () => {
    const { lookAgain, looked, pass, numbers } = open(120);
    await lookAgain.begin();
    await lookAgain.begin();
    expect(looked).toEqual([...numbers(120, 70), ...numbers(120, 70)]);
    for (let minute = 0; minute < 2; minute += 1) await pass();
    expect(looked.slice(100)).toEqual(numbers(70, 0));
    for (let minute = 0; minute < 5; minute += 1) await pass();
    await pass();
    expect(looked.slice(170)).toEqual(numbers(120, 0));
  });

  it("are looked at later when they cannot be read, and not after the end", async () => {
    const { lookAgain, looked, parts, pass, numbers } = open(60);
    parts.isFailing = true;
    await lookAgain.begin();
    await pass();
    expect(looked).toEqual([]);
    parts.isFailing = false;
    await pass();
    expect(looked).toEqual(numbers(60, 10));
    lookAgain.close();
    await pass();
    expect(looked).toHaveLength(50);
  });

  it("are looked at once a minute for as long as nothing can be told of them", async () => {
    const { lookAgain, looked, parts, pass } = open(3);
    parts.untold = new Set([0, 2]);
    await lookAgain.begin();
    await pass();
    parts.untold.delete(2);
    for (let minute = 0; minute < 3; minute += 1) await pass();
    expect(looked).toEqual([2, 1, 0, 2, 0, 2, 0, 0, 0]);
    parts.untold.clear();
    for (let minute = 0; minute < 3; minute += 1) await pass();
    expect(looked).toHaveLength(10);
  });
});
