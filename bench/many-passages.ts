import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sentenceOf } from "./many-facts.ts";

const FILES = 200;
const PER_FILE = 50;
export const PASSAGES = FILES * PER_FILE;
const SENTENCES = 8;

/** A handbook in so many parts, each under a heading of its own and of the usual length. */
export function writePassages(folder: string): void {
  mkdirSync(folder);
  for (let file = 0; file < FILES; file += 1) {
    const parts = Array.from({ length: PER_FILE }, (_, part) => toPart(file * PER_FILE + part));
    writeFileSync(join(folder, `handbook ${file}.md`), parts.join("\n"));
  }
}

function toPart(index: number): string {
  // Each part has a word that no other has, as names and numbers are in real documents.
  const said = Array.from({ length: SENTENCES }, (_, at) => `${sentenceOf(index * SENTENCES + at)}.`);
  return `## Part ${index}\n\nAbout quay${index.toString(36)}: ${said.join(" ")}\n`;
}
