import type { Hit } from "../../ports/search.ts";
import { positionOf } from "../index/block.ts";
import type { Frame } from "../index/frame.ts";
import type { Plan, QueryWord } from "./plan.ts";

type HeldWords = Hit["words_in_message"];

/** Tells of each message how many words of the query it has itself: others are found by what was said around them, or by meaning. */
export function createHeldWords(
  { words, wordCount }: Plan,
  frames: readonly Frame[],
): (frame: Frame, row: number) => HeldWords {
  const firstParts = new Map<Frame, number>();
  let parts = 0;
  for (const frame of frames) {
    firstParts.set(frame, parts);
    parts += frame.parts.length;
  }
  return (frame, row) => {
    const part = frame.offsets.findLastIndex((offset) => offset <= row);
    const { block, from } = frame.parts[part] ?? {};
    if (!block || from === undefined) return "none";
    const position = from + row - (frame.offsets[part] ?? 0);
    const at = (firstParts.get(frame) ?? 0) + part;
    const held = words.filter((word) =>
      holds(word, at, (index) => positionOf(block.postings[index] ?? 0) === position),
    );
    if (held.length === wordCount) return "all";
    return held.length > 0 ? "some" : "none";
  };
}

function holds({ matches }: QueryWord, part: number, isHere: (posting: number) => boolean): boolean {
  return matches.some(({ ranges }) => {
    const end = ranges[2 * part + 1] ?? 0;
    for (let at = ranges[2 * part] ?? 0; at < end; at += 1) if (isHere(at)) return true;
    return false;
  });
}
