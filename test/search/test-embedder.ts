import type { Embedder } from "../../src/ports/embedder.ts";

const DIMENSIONS = 96;
/** Words that mean the same share a line. */
const SAME = [
  ["car", "automobile", "vehicle"],
  ["doctor", "physician"],
  ["zog", "glorp"],
];

/** Knows what some words mean, and tells all others apart. Counts what it is told. */
export function openKnowing(): Embedder & { readonly told: string[] } {
  const told: string[] = [];
  const embed: Embedder["embed"] = async (texts) => {
    told.push(...texts);
    return texts.map(toMeaning);
  };
  return { id: "knowing", told, embed };
}

/** Sends every text somewhere else, by lot. */
export function openRandom(seed: number): Embedder {
  const embed: Embedder["embed"] = async (texts) =>
    texts.map((text) => Float32Array.from({ length: 64 }, (_, index) => toNumber(`${seed} ${index} ${text}`) - 0.5));
  return { id: "random", embed };
}

/** Says what it is told to say. */
export function openAnswering(answer: (texts: readonly string[]) => Promise<readonly Float32Array[]>): Embedder & {
  readonly calls: () => number;
} {
  let calls = 0;
  const embed: Embedder["embed"] = (texts) => {
    calls += 1;
    return answer(texts);
  };
  return { id: "answering", embed, calls: () => calls };
}

export function toMeaning(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) {
    const line = SAME.findIndex((words) => words.includes(word));
    const place = line >= 0 ? line : SAME.length + Math.floor(toNumber(word) * (DIMENSIONS - SAME.length));
    vector[place] = (vector[place] ?? 0) + (line >= 0 ? 3 : 0.5 + toNumber(`weight of ${word}`));
  }
  return vector;
}

/** From 0 to 1. */
function toNumber(text: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193);
  number = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  number = Math.imul(number ^ (number >>> 13), 0xc2b2ae35);
  return ((number ^ (number >>> 16)) >>> 0) / 0x1_0000_0000;
}
