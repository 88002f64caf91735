import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileText } from "../../../test/support/hostile-text.ts";
import { sampleTalk, someNames, talk } from "../../../test/support/talk.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { estimateTokens } from "../text/tokens.ts";
import { promptForTranscript } from "./prompts.ts";
import { toChunks, toTranscript } from "./transcript.ts";

const NONCE = "7f3ac0de";

describe("toChunks", () => {
  it("splits any transcript into chunks that fit a small model, and loses nothing", () => {
    const drafts = fc.array(
      fc.record({ by: hostileText(NONCE), text: hostileText(NONCE).map((text) => text.repeat(3)), gap: fc.nat(20) }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(drafts, (all) => {
        let minutesAgo = 10_000;
        const lines = all.map(({ by, text, gap }) => {
          minutesAgo -= gap;
          return { by: by.slice(0, 32), text, minutesAgo };
        });
        const transcript = runAtOnce(toTranscript(talk(lines), someNames(), UNPACED));
        const chunks = toChunks(transcript);
        expect(chunks.flat()).toEqual(transcript);
        for (const chunk of chunks) {
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(80);
          const { prompt } = promptForTranscript(chunk, { nonce: NONCE, maxBullets: 5 });
          expect(prompt.split("\n")).toHaveLength(chunk.length + 2);
          expect(estimateTokens(prompt)).toBeLessThanOrEqual(2_700);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("puts fewer messages into a chunk when they are longer", () => {
    const lines = Array.from({ length: 60 }, (_, index) => {
      return { by: "민준", text: `${"오늘 바다가 조용해요 ".repeat(40)}${index}`, minutesAgo: 600 - index };
    });
    const chunks = toChunks(runAtOnce(toTranscript(talk(lines), someNames(), UNPACED)));
    for (const chunk of chunks) {
      const { prompt } = promptForTranscript(chunk, { nonce: NONCE, maxBullets: 5 });
      expect(estimateTokens(prompt)).toBeLessThanOrEqual(2_500);
    }
    expect(chunks.length).toBeGreaterThan(3);
  });

  it("splits mostly at the same places when the range moves on", () => {
    const transcript = runAtOnce(toTranscript(sampleTalk("general"), someNames(), UNPACED)).slice(-415);
    const parts = (from: number, to: number) =>
      toChunks(transcript.slice(from, to)).map((chunk) => JSON.stringify(chunk));
    const before = parts(0, 400);
    const after = parts(15, 415);
    expect(before.length).toBeGreaterThan(4);
    expect(after.filter((chunk) => before.includes(chunk)).length).toBeGreaterThanOrEqual(before.length - 2);
  });
});
