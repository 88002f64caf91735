import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTrust, learnFromReply } from "./trust.ts";

const scores = [2, 0, -1];
const likelihoods = [0.7, 0.2, 0.05];

describe("learnFromReply", () => {
  it("trusts the network less after replies to posts that it finds unlikely, and more after replies to likely ones", () => {
    const [doubted, confirmed] = [createTrust(), createTrust()];
    for (let reply = 0; reply < 20; reply += 1) {
      learnFromReply(doubted, { scores, likelihoods, target: 2, other: -1 });
      learnFromReply(confirmed, { scores, likelihoods, target: 0, other: -1 });
    }
    expect(doubted.scale).toBeLessThan(1);
    expect(confirmed.scale).toBeGreaterThan(1);
  });

  it("favours the previous other author where people reply to them, and others where they do not", () => {
    const [usual, unusual] = [createTrust(), createTrust()];
    learnFromReply(usual, { scores, likelihoods, target: 1, other: 1 });
    learnFromReply(unusual, { scores, likelihoods, target: 0, other: 1 });
    expect(usual.bonus).toBeGreaterThan(0);
    expect(unusual.bonus).toBeLessThan(0);
  });

  it("stays within bounds, whatever is replied to", () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const reply = fc.record({
      scores: fc.array(number, { minLength: 3, maxLength: 3 }),
      likelihoods: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      target: fc.integer({ min: 0, max: 2 }),
      other: fc.integer({ min: -1, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 50 }), (replies) => {
        const trust = createTrust();
        for (const one of replies) learnFromReply(trust, one);
        expect(trust.scale).toBeGreaterThan(0);
        expect(trust.scale).toBeLessThanOrEqual(2);
        expect(Math.abs(trust.bonus)).toBeLessThanOrEqual(replies.length);
      }),
    );
  });
});
