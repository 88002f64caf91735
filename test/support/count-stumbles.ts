import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "oxc-parser";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDERS = ["src", "web", "sandbox"];
/** The sample community's words are data. */
const LEFT_OUT = /^sandbox\/community\/sample\//;
/** A sentence that begins without a noun: "What is left", "Those who can read it". */
const OPENING = /(?:^|[.!?]["”’)`]* )(?:What|Who|Whom|Those|Of|Where)\b/g;
const PRONOUN = /\b(?:some|no|any)body\b/gi;

export interface Stumbles {
  readonly openings: number;
  readonly pronouns: number;
}

/** Counts the comments' stumbling words in each folder below `src`, and in `web` and `sandbox`. */
export function countStumblesOfFolders(): Readonly<Record<string, Stumbles>> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  ).filter((file) => /\.tsx?$/.test(file) && !LEFT_OUT.test(file));
  const folders = Map.groupBy(files, (file) => file.match(/^src\/[^/]+(?=\/)|^[^/]+/)?.[0] ?? file);
  return Object.fromEntries(
    [...folders].sort().map(([folder, inside]) => {
      const counted = inside.map((file) => countStumbles(readFileSync(join(ROOT, file), "utf8"), file));
      return [folder, sumStumbles(counted)];
    }),
  );
}

/** `file`: how it ends decides whether angle brackets are types or elements. */
export function countStumbles(code: string, file = "file.ts"): Stumbles {
  const sentences = commentsOf(code, file);
  const count = (pattern: RegExp) => sentences.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  return { openings: count(OPENING), pronouns: count(PRONOUN) };
}

export function sumStumbles(all: Iterable<Stumbles>): Stumbles {
  let [openings, pronouns] = [0, 0];
  for (const one of all) {
    openings += one.openings;
    pronouns += one.pronouns;
  }
  return { openings, pronouns };
}

/** The text of each comment on one line. Line comments below each other are one comment. */
function commentsOf(code: string, file: string): string[] {
  const texts: string[] = [];
  let endOfLast = -1;
  for (const { type, value, start, end } of parseSync(file, code).comments) {
    const text = value.replace(/\n[ \t]*\*?/g, " ").replace(/^\*/, "");
    const continues = type === "Line" && /^\n[ \t]*$/.test(code.slice(endOfLast, start));
    if (continues && endOfLast >= 0) texts.push(`${texts.pop()} ${text}`);
    else texts.push(text);
    endOfLast = type === "Line" ? end : -1;
  }
  return texts.map((text) => text.replace(/\s+/g, " ").trim());
}
