import { expect, it } from "vitest";
import { UNITS_PER_STEP } from "../../src/domain/steps/pace.ts";
import { TermReader } from "../../src/search/index/message-terms.ts";
import { weighByReplies } from "../../src/search/semantic/reply-worth.ts";
import { type EmbeddedText, toVector } from "../../src/search/semantic/vectors.ts";
import { toMessage } from "../search/said.ts";

it("long messages without spaces do not fill the memory with terms that are cached", () => {
  const reader = new TermReader();
  for (let second = 0; second < 12; second += 1) {
    const signs = Array.from({ length: 2_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((second * 2_000 + index * 7) % 20_000)),
    );
    const text = signs.join("");
    expect(reader.read(toMessage({ channel: "a", second, by: "ann", text })).counts.size).toBeGreaterThan(2_000);
    reader.read(toMessage({ channel: "a", second, by: "ann", text: text.replaceAll(/.{40}/g, "$& ") }));
  }
  expect(reader.size).toBeLessThan(21_000);
});

it("judging an embedder by replies among long messages takes no step that holds up others", () => {
  const words = (second: number) => Array.from({ length: 330 }, (_, index) => `w${(second * 331 + index) % 9_973}`);
  const messages = Array.from({ length: 200 }, (_, second): EmbeddedText => {
    const answers = second > 150 ? { answers: second - 3 } : {};
    const message = toMessage({ channel: "a", second, by: "ann", text: words(second).join(" "), ...answers });
    return { message, text: message.content, vector: toVector(Float32Array.of(second, 1, -second)) };
  });
  let charged = 0;
  const pacer = {
    spend(units: number) {
      charged = Math.max(charged, units);
      return units > 0;
    },
  };
  let steps = 0;
  for (const work = weighByReplies([messages], pacer); !work.next().done; ) steps += 1;
  // Each message is read in a step of its own, and none of them whole.
  expect(steps).toBeGreaterThan(200);
  expect(charged).toBeLessThan(UNITS_PER_STEP);
});
