import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPairs } from "../support/audience-check.ts";
import { scenes, smallScenes } from "../support/audience-scene.ts";

describe("the flow between two channels", () => {
  it("agrees with brute force over all people, with and without a member list, and each refusal has a reason", () => {
    const tally = { pairs: 0, exact: 0, algebra: 0 };
    fc.assert(
      fc.property(smallScenes, (one) => checkPairs(one, tally)),
      { numRuns: 1_500 },
    );
    expect(tally.pairs).toBeGreaterThan(30_000);
    expect(Math.min(tally.exact, tally.pairs - tally.exact, tally.algebra)).toBeGreaterThan(tally.pairs / 10);
  });

  it("agrees with brute force in guilds with many sets of roles", () => {
    let most = 0;
    const tally = { pairs: 0, exact: 0, algebra: 0 };
    fc.assert(
      fc.property(scenes({ roles: 7, members: 120 }), (one) => {
        checkPairs(one, tally);
        most = Math.max(most, new Set(one.members.map(({ roles }) => roles.toSorted().join())).size);
      }),
      { numRuns: 100 },
    );
    expect(Math.min(tally.exact, tally.algebra)).toBeGreaterThan(100);
    expect(most).toBeGreaterThan(40);
  });
});
