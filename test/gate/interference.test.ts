import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { assertUntil } from "../support/assert-until.ts";
import { cases, compare, emptyTally } from "../support/interference.ts";
import type { SceneOptions } from "../support/random-scene.ts";

async function holds(options: SceneOptions, numRuns: number) {
  const tally = emptyTally();
  const same = fc.asyncProperty(cases, async (one) => {
    expect(await compare(one, tally, options)).toBeNull();
  });
  // A comparison of silence with silence would hold as well.
  const expectEnough = () => {
    expect(tally.changes).toBeGreaterThan(numRuns / 2);
    expect(tally.answers).toBeGreaterThan(numRuns / 6);
    expect(tally.messages).toBeGreaterThanOrEqual(Math.floor(numRuns / 30));
    expect(tally.departures).toBeGreaterThanOrEqual(Math.floor(numRuns / 30));
  };
  await assertUntil(same, expectEnough, { numRuns, seed: SEED });
}

/** The same cases in every run; `npm run soak -- interference` tries others. */
const SEED = 20_261_122;

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 240_000 });

describe("content that the audience may not know", () => {
  it("changes neither the answers nor the messages sent", async () => {
    await holds({}, 28);
  });

  it("changes nothing after the background reader has finished", async () => {
    await holds({ readsAhead: true }, 12);
  });

  it("changes nothing while Discord does not answer requests", async () => {
    await holds({ isMute: true }, 16);
  });

  it("changes nothing when a server that they may not know of is unreachable", async () => {
    await holds({ hasOutages: true }, 19);
  });

  it("changes nothing in the result of an effect in another channel", async () => {
    await holds({ actsAnywhere: true }, 16);
  });

  it("changes nothing in what is read for a channel, though the actor alone is answered", async () => {
    await holds({ worksFor: true }, 19);
  });

  it("changes nothing in what is read or done for a channel when another server of the actor's is unreachable", async () => {
    await holds({ worksFor: true, hasOutages: true }, 14);
  });

  it("changes nothing, not even names, when unlisted members write in hidden channels", async () => {
    await holds({ hasUnlistedAuthors: true }, 16);
  });
});

describe("messages of a person who opted out", () => {
  it("change no answer to anybody", async () => {
    await holds({ optsOut: true }, 16);
  });

  it("change no answer either when they were held before the person opted out", async () => {
    await holds({ optsOut: "late" }, 16);
    await holds({ optsOut: "late", readsAhead: true }, 12);
  });
});
