import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { cases, compare, emptyTally } from "../support/interference.ts";
import type { SceneOptions } from "../support/random-scene.ts";

async function holds(options: SceneOptions, numRuns: number) {
  const tally = emptyTally();
  const same = fc.asyncProperty(cases, async (one) => {
    expect(await compare(one, tally, options)).toBeNull();
  });
  await fc.assert(same, { numRuns });
  // A comparison of silence with silence would hold as well.
  expect(tally.changes).toBeGreaterThan(numRuns / 2);
  expect(tally.answers).toBeGreaterThan(numRuns / 6);
  expect(tally.messages).toBeGreaterThan(numRuns / 30);
  return tally;
}

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 240_000 });

describe("what those who hear the answer may not know", () => {
  it("changes nothing of what they are told, and nothing of what is said", async () => {
    const { departures } = await holds({}, 600);
    expect(departures).toBeGreaterThan(20);
  });

  it("changes nothing once history has been read ahead", async () => {
    await holds({ readsAhead: true }, 100);
  });

  it("changes nothing while Discord does not answer questions", async () => {
    await holds({ isMute: true }, 150);
  });

  it("changes nothing when a server that they may not know of cannot be reached", async () => {
    await holds({ hasOutages: true }, 150);
  });

  it("changes nothing of what an effect elsewhere is answered with", async () => {
    await holds({ actsAnywhere: true }, 150);
  });

  it("changes nothing, not even names, when people who are not listed are met out of sight", async () => {
    await holds({ hasUnlistedAuthors: true }, 150);
  });
});

describe("what somebody said who has opted out", () => {
  it("changes nothing of what anybody is told", async () => {
    await holds({ optsOut: true }, 150);
  });
});
