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
    await notes.noteUsed([about("a"), { id: "of a project", subjectId: null }]);
    await notes.noteUsed([about("a"), about("b")]);
    await notes.noteUsed([about("a"), about("b")]);
    clock.at += WEEK_MS;
    await notes.noteUsed([about("a")]);
    expect(written).toEqual([
      [["a"], { usedAt: 100 * WEEK_MS }],
      [["b"], { usedAt: 100 * WEEK_MS }],
      [["a"], { usedAt: 101 * WEEK_MS }],
    ]);
  });

  it("that cannot be written disturb nobody, and are written the next time", async () => {
    const { notes, written, store } = open();
    store.isFull = true;
    await notes.noteUsed([about("a")]);
    store.isFull = false;
    await notes.noteUsed([about("a")]);
    expect(written).toEqual([[["a"], { usedAt: 100 * WEEK_MS }]]);
  });
});
