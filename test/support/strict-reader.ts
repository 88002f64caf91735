import { expect } from "vitest";

/** One line of a block, as its grammar reads it. */
export interface ReadLine {
  readonly mark: string;
  readonly handle: string | null;
  readonly time: string | null;
  readonly author: string | null;
  readonly bot: boolean;
  /** All behind the colon. */
  readonly body: string;
  /** What stands before the first of our brackets. */
  readonly words: string;
  /** The labels of what stands in brackets, and handles for what the line rests on. */
  readonly labels: readonly string[];
  readonly cites: readonly string[];
}

export interface ReadBlock {
  readonly kind: string;
  readonly name: string | null;
  readonly lines: readonly ReadLine[];
  /** What is said behind the block. */
  readonly notes: readonly string[];
}

/** A name among our words: one word, or anything in double quotes. */
export const NAME = String.raw`(?:"[^"⟦⟧]*"|[^\s"(),:/⟦⟧]+)`;

const HEADER = /^⟦untrusted (\S+) · ([a-z ]+)(?: "([^"⟦⟧]*)")?(?: · [^"⟦⟧]*)?⟧$/;
const LINE = /^(>>> | {4})?([mf]\d+|-)(?:\/\d+)?(?: \[([^\]]+)\])?(?: ([^:⟦⟧[\]]*?))?(?<bot> \(Bot\))?: (.*)$/;
const HEADING = new RegExp(
  String.raw`^(?:direct messages|#${NAME})(?: \(id \d+\))?(?:, tagged [^⟦⟧\[\]]*)?(?:, links https://\S+)?$`,
);
const BRACKET = /⟦(?:(m\d+(?:, m\d+)*)|(\d+) more|([a-z ]+): ([^⟦⟧]*))⟧/g;

/** Reads a block by its grammar and by nothing else. Fails on whatever the grammar does not know. */
export function readBlock(text: string, nonce: string): ReadBlock {
  const rows = text.split("\n");
  const [, own, kind = "", name = null] = HEADER.exec(rows[0] ?? "") ?? [];
  expect(own, text).toBe(nonce);
  const end = rows.indexOf(`⟦end ${nonce}⟧`);
  expect(end, text).toBeGreaterThan(0);
  const notes = rows.slice(end + 1);
  for (const note of notes) expect(note).not.toMatch(/[⟦⟧]/);
  return {
    kind,
    name,
    lines: rows
      .slice(1, end)
      .filter((row) => row !== "")
      .map(readLine),
    notes,
  };
}

function readLine(row: string): ReadLine {
  if (HEADING.test(row)) return readLine(`-: ${row}`);
  const match = LINE.exec(row);
  if (!match) throw new Error(`not one of our lines: ${row}`);
  const [, mark = "", handle = "-", time = null, author = null, , body = ""] = match;
  const brackets = [...body.matchAll(BRACKET)];
  const rest = body.replaceAll(BRACKET, "");
  expect(rest, row).not.toMatch(/[⟦⟧]/);
  return {
    mark,
    handle: handle === "-" ? null : handle,
    time,
    author,
    bot: match.groups?.["bot"] !== undefined,
    body,
    words: body.slice(0, brackets[0]?.index ?? body.length).trimEnd(),
    labels: brackets.flatMap(([, , more, label]) =>
      label === undefined && more === undefined ? [] : (label ?? "more"),
    ),
    cites: brackets.flatMap(([, cites]) => cites?.split(", ") ?? []),
  };
}
