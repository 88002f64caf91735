import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Source {
  /** Below `src`. */
  readonly path: string;
  readonly text: string;
}

function read(folder: string, ending: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ path, text: readFileSync(join(ROOT, folder, path), "utf8") }));
}

const code = read("src", ".ts").filter(({ path }) => !/\.(test|suite)\.ts$/.test(path));
const pages = [
  ...["README.md", "ARCHITECTURE.md", "SECURITY.md"].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), "utf8"),
  })),
  ...read("docs", ".md").filter(({ path }) => !path.startsWith("reference")),
];

/** The same answer, as a client and a program in one process are given it. */
const DECLARED_TWICE = ["ContextWindow"];

/** Words that a newcomer stumbles over; the glossary in ARCHITECTURE.md has the ones to use. What is left may only become less. */
const OLD_WORDS: Readonly<Record<string, number>> = {
  whoever: 0,
  anew: 0,
  "so many": 0,
  "told of": 0,
  "at hand": 0,
  whither: 0,
  whereabouts: 0,
  sitting: 0,
  holdings: 0,
  scene: 0,
  crowd: 0,
  asker: 0,
  verdict: 0,
  gist: 0,
  // A table of the message index on disk.
  stretch: 5,
};

describe("the words of the project", () => {
  it("give one name to one type, in one file", () => {
    const declared = code.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:interface|type|class|abstract class) (\w+)/gm)].map(([, name]) => ({ name, path })),
    );
    const twice = [...Map.groupBy(declared, ({ name }) => name)].filter(([, all]) => all.length > 1);
    expect(twice.map(([name]) => name).sort()).toEqual(DECLARED_TWICE);
  });

  it("give one name to one file of a layer", () => {
    const named = code.map(({ path }) => `${dirname(path).split("/")[0]}: ${basename(path)}`);
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
  });

  it("become plainer, never less plain", () => {
    const text = [...code, ...pages].map((source) => source.text.toLowerCase()).join("\n");
    const count = (word: string) => text.split(new RegExp(`\\b${word}\\b`)).length - 1;
    const risen = Object.entries(OLD_WORDS).filter(([word, most]) => count(word) > most);
    expect(risen.map(([word, most]) => `${word}: ${count(word)}, at most ${most}`)).toEqual([]);
  });
});
