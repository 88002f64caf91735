import type { FactInput, JsonValue } from "./fact-input.ts";

export const MAX_SCANNED_CHARACTERS = 4_096;

/** The ways in which a reader could combine a fact's parts. */
export interface SecretReadings {
  /** The name and every key of an object. */
  readonly names: readonly string[];
  /** A line `name: value` for each, as written and decoded. */
  readonly texts: readonly string[];
  /** All values without anything between them. */
  readonly joined: string;
  /** Whether the parts of `joined` are long enough to be parts of one random text. */
  readonly hasLongParts: boolean;
}

/** Invisible characters, including those that some scripts need: secrets need none. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const DASH = /[\u2010-\u2015\u2212]/g;
const PERCENT_ENCODED = /(?:%[\da-f]{2}){1,2000}/gi;
const BASE64 = /[\w+/-]{24,4000}/g;

export const READING_PATTERNS = { INVISIBLE, DASH, PERCENT_ENCODED, BASE64 };

export function toSecretReadings({ name, value }: FactInput): SecretReadings {
  const lines: Line[] = [];
  collectLines(name, value, { lines, budget: { characters: MAX_SCANNED_CHARACTERS } });
  const plain = toPlain(lines.map((line) => `${line.name}: ${line.parts.join(" ")}`).join("\n"));
  const parts = lines.flatMap((line) => line.parts);
  const joined = toPlain(parts.join(""));
  return {
    names: lines.filter((line) => line.parts.length > 0).map((line) => toPlain(line.name)),
    texts: [...new Set([plain, joined].flatMap(withDecoded))],
    joined,
    hasLongParts: joined.length >= parts.length * 10,
  };
}

interface Line {
  readonly name: string;
  /** The strings and numbers below this name, also in nested lists. */
  readonly parts: string[];
}

interface Collecting {
  readonly lines: Line[];
  readonly budget: { characters: number };
}

function collectLines(name: string, value: JsonValue, collecting: Collecting): void {
  const line: Line = { name: take(name, collecting), parts: [] };
  collecting.lines.push(line);
  collectParts(value, line, collecting);
}

function collectParts(value: JsonValue, line: Line, collecting: Collecting): void {
  if (collecting.budget.characters <= 0 || value === null || typeof value === "boolean") return;
  if (typeof value !== "object") line.parts.push(take(String(value), collecting));
  else if (Array.isArray(value)) for (const one of value) collectParts(one, line, collecting);
  else for (const [key, one] of Object.entries(value)) collectLines(key, one, collecting);
}

function take(text: string, { budget }: Collecting): string {
  const taken = text.slice(0, Math.max(0, budget.characters));
  budget.characters -= taken.length + 1;
  return taken;
}

/** One spelling: narrow letters and digits, one kind of dash, nothing invisible. */
function toPlain(text: string): string {
  return text.normalize("NFKC").replace(INVISIBLE, "").replace(DASH, "-");
}

/** The text, and the results of decoding its parts once. */
function withDecoded(text: string): string[] {
  const unescaped = text.replace(PERCENT_ENCODED, (run) => decodePercent(run) ?? run);
  const decoded = [...text.matchAll(BASE64)].flatMap(([run]) => decodeBase64(run) ?? []);
  return [text, unescaped, ...decoded];
}

function decodePercent(run: string): string | null {
  try {
    return decodeURIComponent(run);
  } catch {
    return null;
  }
}

/** Null unless the bytes are plain text. */
function decodeBase64(run: string): string | null {
  try {
    const text = atob(run.replace(/-/g, "+").replace(/_/g, "/"));
    return /^[\t\n\r -~]*$/.test(text) ? text : null;
  } catch {
    return null;
  }
}
