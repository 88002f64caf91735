import { openEmbedder } from "../src/app/open-models.ts";
import { readConfig } from "../src/config/config.ts";
import type { Embedder } from "../src/ports/embedder.ts";

const DIMENSIONS = 256;
const GRAM = 3;

/** Knows nothing: a vector for each text, by lot. Search must be as good with it as without. */
const random: Embedder = {
  id: "random",
  embed: async (texts) => texts.map((text) => Float32Array.from({ length: DIMENSIONS }, lotsOf(text))),
};

/** Knows letters, three at a time, and nothing of what they mean: weak, but no chance. */
const letters: Embedder = {
  id: "letters",
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS);
      const spaced = ` ${text.toLowerCase()} `;
      for (let at = 0; at + GRAM <= spaced.length; at += 1) {
        const number = hash(spaced.slice(at, at + GRAM));
        const place = number % DIMENSIONS;
        vector[place] = (vector[place] ?? 0) + (number & 0x10000 ? 1 : -1);
      }
      return vector;
    }),
};

/** What a question asks for: the texts in which the answer was said. */
export type Answers = ReadonlyMap<string, readonly string[]>;

/** Knows the answer to every question, and nothing else: the vector of a question is the sum of those of its answers. Nothing can be better. */
function knowing(answers: Answers): Embedder {
  const lots = (text: string) => Float32Array.from({ length: DIMENSIONS }, lotsOf(text));
  const embed: Embedder["embed"] = async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS);
      for (const said of answers.get(text) ?? [text])
        for (const [at, value] of lots(said).entries()) vector[at] = (vector[at] ?? 0) + value;
      return vector;
    });
  return { id: "knowing", embed };
}

/** The one called so: random, letters, knowing, or the one that the environment configures; null when none was asked for. */
export async function embedderCalled(name: string | undefined, answers?: Answers): Promise<Embedder | null> {
  if (name === undefined) return null;
  if (name === "knowing" && answers) return knowing(answers);
  if (name === "random") return random;
  if (name === "letters") return letters;
  const configured = name === "configured" ? await openEmbedder(await readConfig(process.env, process.cwd())) : null;
  if (configured) return configured;
  console.error(
    `Say which embedder: random, letters,${answers ? " knowing," : ""} or configured (with EARSHOT_EMBEDDER set).`,
  );
  process.exit(1);
}

/** From -1 to 1. */
function lotsOf(text: string): () => number {
  let state = hash(text);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const stirred = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((stirred ^ (stirred >>> 14)) >>> 0) / 0x8000_0000 - 1;
  };
}

function hash(text: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193);
  return number >>> 0;
}
