import { describe, expect, it } from "vitest";
import type { Steps } from "../../domain/steps/pace.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { BackgroundIndexer } from "./background-indexer.ts";

const timelineOf = (name: string) => ({ name }) as unknown as Timeline & { name: string };

/** Notes what is begun and ended; each takes two steps. */
function openNoting(fails: readonly string[] = []) {
  const noted: string[] = [];
  function* build(timeline: Timeline): Steps<void> {
    const { name } = timeline as Timeline & { name: string };
    noted.push(`${name} begun`);
    yield;
    if (fails.includes(name)) throw new Error("The index is damaged.");
    noted.push(`${name} built`);
  }
  return { noted, indexer: new BackgroundIndexer({ build }) };
}

describe("indexing in the background", () => {
  it("builds one channel after the other, each once however often something was added before its turn", async () => {
    const { noted, indexer } = openNoting();
    const [a, b] = [timelineOf("a"), timelineOf("b")];
    for (const timeline of [a, b, a, a, b]) indexer.note(timeline);
    expect(noted).toEqual([]);
    await expect.poll(() => noted).toEqual(["a begun", "a built", "b begun", "b built"]);
    indexer.note(a);
    await expect.poll(() => noted.slice(4)).toEqual(["a begun", "a built"]);
    indexer.close();
  });

  it("goes on with the others where one fails, and with that one when something is added", async () => {
    const { noted, indexer } = openNoting(["a"]);
    for (const name of ["a", "b"]) indexer.note(timelineOf(name));
    await expect.poll(() => noted).toEqual(["a begun", "b begun", "b built"]);
    indexer.note(timelineOf("a"));
    await expect.poll(() => noted.at(-1)).toBe("a begun");
    indexer.close();
  });

  it("begins nothing after it was closed", async () => {
    const { noted, indexer } = openNoting();
    indexer.note(timelineOf("a"));
    await expect.poll(() => noted).toEqual(["a begun", "a built"]);
    indexer.note(timelineOf("b"));
    indexer.close();
    indexer.note(timelineOf("c"));
    const { noted: later, indexer: another } = openNoting();
    another.note(timelineOf("d"));
    await expect.poll(() => later).toHaveLength(2);
    expect(noted).toEqual(["a begun", "a built"]);
    another.close();
  });
});
