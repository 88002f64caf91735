import { describe, expect, it } from "vitest";
import type { UserId } from "../domain/ids.ts";
import { WeeklyNotes } from "./weekly-notes.ts";

const WEEK_MS = 7 * 86_400_000;
const about = (id: string) => ({ id, subjectId: "11" as UserId });

function open() {
  const clock = { at: 100 * WEEK_MS + 5, now: () => clock.at };
  const written: [readonly string[], object][] = [];
  const store = { isFull: false };
  const noteUse = async (ids: readonly string[], use: object) => {
    if (store.isFull) throw new Error("the disk is full");
    written.push([ids, use]);
  };
  return { notes: new WeeklyNotes({ facts: { noteUse }, clock }), clock, written, store };
}

describe("the notes of when facts were used", () => {
  it("are written once a week for each fact about a person, with the beginning of the week", async () => {
    const { notes, clock, written } = open();
    notes.noteUsed([about("a"), { id: "of a project", subjectId: null }]);
    await notes.write();
    notes.noteUsed([about("a"), about("b")]);
    await notes.write();
    notes.noteUsed([about("a"), about("b")]);
    clock.at += WEEK_MS;
    notes.noteUsed([about("a")]);
    await notes.write();
    expect(written).toEqual([
      [["a"], { usedAt: 100 * WEEK_MS }],
      [["b"], { usedAt: 100 * WEEK_MS }],
      [["a"], { usedAt: 101 * WEEK_MS }],
    ]);
  });

  it("of several calls are written together, each with the last week", async () => {
    const { notes, clock, written } = open();
    notes.noteUsed([about("a")]);
    notes.noteUsed([about("b"), about("a")]);
    clock.at += WEEK_MS;
    notes.noteUsed([about("c")]);
    notes.noteUsed([about("a")]);
    await notes.write();
    await notes.write();
    expect(written).toEqual([
      [["a", "c"], { usedAt: 101 * WEEK_MS }],
      [["b"], { usedAt: 100 * WEEK_MS }],
    ]);
  });

  it("are written soon by themselves", async () => {
    const { notes, written } = open();
    notes.noteUsed([about("a")]);
    expect(written).toEqual([]);
    await expect.poll(() => written, { timeout: 5_000 }).toEqual([[["a"], { usedAt: 100 * WEEK_MS }]]);
  });

  it("are written between other work when they are very many", async () => {
    const { notes, written } = open();
    const many = Array.from({ length: 250 }, (_, index) => about(`${index}`));
    notes.noteUsed(many);
    const whole = notes.write();
    await new Promise((resolve) => setImmediate(resolve));
    expect(written.length).toBeLessThan(3);
    await whole;
    expect(written.map(([ids]) => ids.length)).toEqual([100, 100, 50]);
    expect(written.flatMap(([ids]) => ids)).toEqual(many.map(({ id }) => id));
  });

  it("are written as far as possible when some of very many cannot be", async () => {
    const { notes, written, store } = open();
    const many = Array.from({ length: 150 }, (_, index) => about(`${index}`));
    notes.noteUsed(many);
    const whole = notes.write();
    await Promise.resolve();
    store.isFull = true;
    await whole;
    store.isFull = false;
    notes.noteUsed(many);
    await notes.write();
    expect(written.map(([ids]) => ids.length)).toEqual([100, 50]);
  });

  it("that cannot be written disturb nobody, and are written the next time", async () => {
    const { notes, written, store } = open();
    store.isFull = true;
    notes.noteUsed([about("a")]);
    await notes.write();
    store.isFull = false;
    notes.noteUsed([about("a")]);
    await notes.write();
    expect(written).toEqual([[["a"], { usedAt: 100 * WEEK_MS }]]);
  });
});
