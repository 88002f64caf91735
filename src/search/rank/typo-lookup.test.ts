import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMessage } from "../../../test/search/said.ts";
import { typosBetween } from "../../domain/search/typos.ts";
import { runAtOnce, UNPACED } from "../../domain/steps/pace.ts";
import { readBlock, toBlock } from "../index/block.ts";
import { toFrame } from "../index/frame.ts";
import { TermReader } from "../index/message-terms.ts";
import { Vocabulary } from "../index/vocabulary.ts";
import { findSimilar, ownWords } from "./typo-lookup.ts";

const reader = new TermReader();

function toFrames(texts: readonly string[], vocabulary: Vocabulary, from = 0) {
  const messages = texts.map((text, second) => toMessage({ channel: "a", second, by: "zoe", text }));
  const byId = new Map(messages.map((message) => [BigInt(message.message_id), message]));
  const source = { ids: [...byId.keys()], read: (id: bigint) => byId.get(id) };
  const block = toBlock(runAtOnce(readBlock(source, reader, UNPACED)), vocabulary);
  return [runAtOnce(toFrame([{ block, from, to: texts.length }], UNPACED))];
}

function similar(
  word: string,
  texts: readonly string[],
  { maxTypos = 1 as number | null, max = 24, from = 0 } = {},
): string[] {
  const vocabulary = new Vocabulary();
  const frames = toFrames(texts, vocabulary, from);
  const typed = { stem: word, spelling: word, maxTypos };
  const words = runAtOnce(ownWords(frames, { vocabulary, pacer: UNPACED }));
  const found = runAtOnce(findSimilar(typed, { words, max }, { vocabulary, pacer: UNPACED }));
  return found.map(({ term }) => term);
}

const letters = fc.string({ unit: fc.constantFrom(..."abcd"), minLength: 1, maxLength: 9 });

describe("typo lookup", () => {
  it("finds words that begin with the given one, and words that it may be a typo of", () => {
    const texts = ["harbour", "harbourmast", "turtl", "plan"];
    expect(similar("harbo", texts)).toEqual(["harbour", "harbourmast"]);
    expect(similar("harbuor", texts)).toEqual(["harbour"]);
    expect(similar("turtel", texts)).toEqual(["turtl"]);
    expect(similar("planets", texts)).toEqual([]);
  });

  it("finds longer words that have the given one inside before words that are merely alike, from three letters on", () => {
    const texts = ["barrel", "wheelbarrow", "mark", "market"];
    expect(similar("barrow", ["barron", ...texts])).toEqual(["wheelbarrow", "barron"]);
    expect(similar("ark", texts, { maxTypos: 0 })).toEqual(["mark", "market"]);
    expect(similar("rk", texts, { maxTypos: 0 })).toEqual([]);
  });

  it("finds the same words as comparing with every word, the closest first", () => {
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 25 }),
        letters,
        fc.constantFrom(null, 0, 1, 2),
        fc.constantFrom(1, 3, 50),
        (words, word, maxTypos, max) => {
          const terms = new Set(
            words.flatMap((text) => [
              ...reader.read(toMessage({ channel: "a", second: 0, by: "zoe", text })).counts.keys(),
            ]),
          );
          const expected = [...terms]
            .filter((term) => term.length >= 3 && /^[a-d]/.test(term) && term !== word)
            .flatMap((term) => {
              if (word.length >= 3 && term.includes(word)) return [{ term, distance: 1 }];
              if (maxTypos === null) return [];
              const typos =
                maxTypos > 0 && term.length <= word.length + maxTypos ? typosBetween(word, term, maxTypos) : null;
              if (typos !== null) return [{ term, distance: 1 + Math.max(1, typos) }];
              return term.length > word.length && term.startsWith(word) ? [{ term, distance: 2 }] : [];
            })
            .sort((a, b) => a.distance - b.distance || a.term.length - b.term.length || (a.term < b.term ? -1 : 1))
            .slice(0, max)
            .map(({ term }) => term);
          expect(similar(word, words, { maxTypos, max })).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("leaves out words of messages that are not searched", () => {
    expect(similar("harbuor", ["harbour", "something else"], { from: 1 })).toEqual([]);
  });
});
