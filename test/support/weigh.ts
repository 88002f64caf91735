import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const WEIGHED = ["src", "web", "sandbox"];
/** Tests are not weighed, nor what the sample community says. */
const LEFT_OUT = /\.(?:test|suite)\.tsx?$|^sandbox\/community\/sample\//;
/** Comments, and what a program consists of: words, numbers, texts and signs. SQL within texts counts by its words. */
const PARTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|[\p{L}\p{N}_$]+|=>|\?\.|\?\?=?|&&|\|\||[<>=!]==?|\.\.\.|[^\s\p{L}\p{N}_$]/gu;

export interface Weight {
  readonly lines: number;
  readonly tokens: number;
}

/** What there is to read in each folder below `src`, and in `web` and `sandbox`. */
export function weighFolders(): Readonly<Record<string, Weight>> {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...WEIGHED], { cwd: ROOT })
    .toString()
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !LEFT_OUT.test(file));
  const folders = Map.groupBy([...new Set(files)], (file) =>
    file
      .split("/")
      .slice(0, file.startsWith("src/") && file.split("/").length > 2 ? 2 : 1)
      .join("/"),
  );
  return Object.fromEntries([...folders].sort().map(([folder, inside]) => [folder, sum(inside.map(weighFile))]));
}

export function sum(weights: Iterable<Weight>): Weight {
  let [lines, tokens] = [0, 0];
  for (const weight of weights) {
    lines += weight.lines;
    tokens += weight.tokens;
  }
  return { lines, tokens };
}

function weighFile(file: string): Weight {
  return weigh(readFileSync(join(ROOT, file), "utf8"));
}

export function weigh(text: string): Weight {
  const tokens = text.match(PARTS)?.filter((part) => !/^\/[/*]/.test(part)) ?? [];
  return { lines: text.split("\n").length - 1, tokens: tokens.length };
}
