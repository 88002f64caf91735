import { type WallClock, wallClockOf } from "../time/wall-clock.ts";
import { escapeContent, escapeName, MAX_CONTENT_CHARACTERS, quoteContent, quoteName } from "./escape.ts";
import { toRelativeTime } from "./relative-time.ts";
import { estimateTokens } from "./tokens.ts";

interface SourceLabel {
  /** Earshot's word: `channel`, `thread`, `search`. */
  readonly kind: string;
  readonly name: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The current time, instead of `from` and `to`, if the lines have times. */
  readonly now?: string;
  /** Prefix of the links to the messages, if all are of one channel. */
  readonly links?: string;
  readonly integrity: "untrusted";
}

export interface BlockLine {
  /** Marks the requested line among its context. */
  readonly mark?: ">>> " | "    ";
  /** A new conversation begins with it, so an empty line precedes it. */
  readonly isApart?: boolean;
  /** It names the place of the lines below: it has no handle, and no `-: ` before it. */
  readonly isHeading?: boolean;
  /** Earshot's short name for the line: `m7`. */
  readonly handle: string | null;
  /** The message's id, if links are wanted: the address of its channel plus this is a link. */
  readonly id?: string;
  readonly ts: string | null;
  readonly author: { readonly name: string; readonly bot: boolean } | null;
  /** The text after the colon; a string counts as `words` by other people. */
  readonly content: string | readonly LinePiece[];
}

export interface BlockRequest {
  /** Letters, digits, `-` and `_` that the authors of the content could not guess. */
  readonly nonce: string;
  readonly label: SourceLabel;
  readonly lines: readonly BlockLine[];
  readonly now: number;
  /** The time zone for local times; UTC if absent. */
  readonly zone?: string | undefined;
  readonly maxTokens: number;
  /** The less useful end, from which lines are dropped. */
  readonly dropFrom: "start" | "end";
  /** Earshot's own sentences, after the block. */
  readonly notes?: readonly string[];
}

interface Block {
  readonly text: string;
  /** Indices of the lines in it. */
  readonly kept: readonly number[];
  readonly tokens: number;
}

/**
 * Renders text by others, for a model to read as data:
 *
 *     ⟦untrusted 7f3ac0de · channel "general" · now 2026-07-18T10:42Z⟧
 *     m7 [3 days ago, 15 Jul 09:12] Sarah: content
 *     m8 [2 minutes ago] Helper (Bot): content ⟦embed: what came with it⟧
 *     m9 Sarah: content
 *     ⟦end 7f3ac0de⟧
 *     2 lines at the start left out to fit; …
 *
 * A line is a handle or `-`, the time in square brackets, the author and `(Bot)`, then `: ` and the content; time and author if known. The time is
 * printed if it differs from the line above, for older messages only from ten minutes on; from a day on with the local time. A heading, such as
 * `#general`, begins with neither a handle nor `-`. If links are wanted, the id of the message follows the handle: `m7/1128061185062207488`.
 * Escaped text never begins a line and never contains `⟦`, `⟧` or the nonce; escaped names contain no bracket and no colon. So
 * everything outside the block is Earshot's, and every line is unambiguous. See `LinePiece` for the content.
 *
 * Lines are dropped from the less useful end until the whole fits `maxTokens`. The frame, the sentence about dropped lines and the notes always
 * stay: up to about 100 tokens (400 with a long name in a rare script) and the notes.
 */
export function renderBlock(request: BlockRequest): Block {
  const { lines, maxTokens, dropFrom } = request;
  const all = toBlock({ first: 0, count: lines.length }, request);
  if (lines.length === 0 || all.tokens <= maxTokens) return all;
  const usefulFirst = dropFrom === "start" ? lines.toReversed() : lines;
  let remaining =
    maxTokens -
    toBlock({ first: 0, count: 0 }, { ...request, notes: [...(request.notes ?? []), missing(request, 1)] }).tokens;
  let count = 0;
  for (const line of usefulFirst) {
    // Two more for line breaks. Rounding makes the sum of the parts higher than the whole.
    remaining -= estimateTokens(renderLine(line, toTime(line, null, request), request)) + 2;
    if (remaining < 0) break;
    count += 1;
  }
  const first = dropFrom === "start" ? lines.length - count : 0;
  const notes = [missing(request, count), ...(request.notes ?? [])];
  return toBlock({ first, count }, { ...request, notes });
}

function toBlock({ first, count }: { first: number; count: number }, request: BlockRequest): Block {
  const { nonce, label, lines, now, zone = "UTC", notes = [] } = request;
  const isTimed = lines.some(({ ts }) => ts !== null);
  const rendered = renderLines(lines.slice(first, first + count), request);
  const frame = isTimed ? { ...label, from: null, to: null, now: toLocalMinute(now, wallClockOf(zone)) } : label;
  const text = [...wrapInBlock(rendered, { nonce, label: frame }), ...notes].join("\n");
  return { text, kept: Array.from({ length: count }, (_, index) => first + index), tokens: estimateTokens(text) };
}

function renderLines(lines: readonly BlockLine[], request: BlockRequest): string[] {
  let last: string | null = null;
  return lines.flatMap((line, index) => {
    const isApart = index > 0 && line.isApart;
    if (isApart) last = null;
    const time = toTime(line, last, request);
    if (time !== null) last = line.ts;
    return [...(isApart ? [""] : []), renderLine(line, time, request)];
  });
}

/** Minimum difference between two printed times. */
const PAUSE_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Null if the line has no time, or one close to the last printed time. */
function toTime({ ts }: BlockLine, last: string | null, { now, zone = "UTC" }: BlockRequest): string | null {
  if (ts === null) return null;
  const [time, before] = [Date.parse(ts), Date.parse(last ?? "")];
  const told = toRelativeTime(ts, now);
  if (Number.isNaN(time)) return told;
  const isOld = now - time >= DAY_MS;
  const isNear = Math.abs(time - before) < PAUSE_MS;
  // In a live conversation, each minute matters.
  const isNow = now - time < PAUSE_MS;
  if (told === toRelativeTime(last ?? "", now) ? isNear || !isOld : isNear && !isNow) return null;
  return isOld ? `${told}, ${toLocalTime(time, now, wallClockOf(zone))}` : told;
}

function toLocalTime(time: number, now: number, wallClock: WallClock): string {
  const { year, month, day, hour, minute } = wallClock.read(time);
  const date = [day, MONTHS[month - 1], ...(year === wallClock.read(now).year ? [] : [year])];
  return `${date.join(" ")} ${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** As in ISO 8601, with the UTC offset. */
function toLocalMinute(time: number, wallClock: WallClock): string {
  const { year, month, day, hour, minute } = wallClock.read(time);
  const local = Date.UTC(year, month - 1, day, hour, minute);
  const ahead = Math.ceil((local - time) / 60_000);
  const away = Math.abs(ahead);
  const offset = `${ahead < 0 ? "-" : "+"}${twoDigits(Math.floor(away / 60))}:${twoDigits(away % 60)}`;
  return `${new Date(local).toISOString().slice(0, 16)}${ahead === 0 ? "Z" : offset}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** Puts lines between the markers of a block. Text by other people in them must already be escaped with the same nonce. */
export function wrapInBlock(
  lines: readonly string[],
  { nonce, label }: Pick<BlockRequest, "nonce" | "label">,
): string[] {
  if (!/^[\w-]{4,64}$/.test(nonce)) throw new RangeError("A nonce is 4 to 64 letters, digits, - and _.");
  const name = label.name === null ? "" : ` "${escapeName(label.name, nonce)}"`;
  const parts = [`${label.integrity} ${nonce}`, `${label.kind}${name}`, ...toSpan(label)];
  if (label.links) parts.push(`links ${label.links}`);
  return [`⟦${parts.join(" · ")}⟧`, ...lines, `⟦end ${nonce}⟧`];
}

function renderLine(line: BlockLine, at: string | null, { nonce }: BlockRequest): string {
  const { mark, handle, id, author } = line;
  const content = renderPieces(typeof line.content === "string" ? [{ words: line.content }] : line.content, nonce);
  if (line.isHeading) return content;
  const time = at === null ? "" : ` [${at}]`;
  const name = author === null ? "" : ` ${escapeName(author.name, nonce)}${author.bot ? " (Bot)" : ""}`;
  return `${mark ?? ""}${handle ?? "-"}${id === undefined ? "" : `/${id}`}${time}${name}: ${content}`;
}

/** Follows the block, where no content can imitate it. */
function missing({ lines, dropFrom }: BlockRequest, kept: number): string {
  if (kept === 0) return `None of the ${lines.length} lines fits; ask for more room.`;
  const left = lines.length - kept;
  return `${left} ${left === 1 ? "line" : "lines"} at the ${dropFrom} left out to fit; ask for fewer or go on from the cursor.`;
}

function toSpan({ from, to, now }: SourceLabel): string[] {
  if (now !== undefined) return [`now ${now}`];
  if (from !== null && to !== null) return [`${toMinute(from)} to ${toMinute(to)}`];
  if (from !== null) return [`since ${toMinute(from)}`];
  return to === null ? [] : [`until ${toMinute(to)}`];
}

function toMinute(ts: string): string {
  return `${new Date(ts).toISOString().slice(0, 16)}Z`;
}

/**
 * The pieces of an unambiguous line:
 *
 * - a string: Earshot's own text, as it is;
 * - `words`: text by others, unmarked, up to the end of the line or the next of Earshot's brackets;
 * - `quoted`: text by others, in double quotes that it cannot close;
 * - `name`: a name that people chose, as one word or in double quotes;
 * - `label` and `text`: text in a message that its author did not type, in Earshot's brackets: `⟦link preview: …⟧`;
 * - `bracketed`: Earshot's own text next to that of others, such as the handles of the messages a line cites: `⟦m1, m2⟧`.
 *
 * Escaped text never contains `⟦` or `⟧`, so these brackets are always Earshot's.
 */
export type LinePiece =
  | string
  | { readonly words: string }
  | { readonly quoted: string }
  | { readonly name: string }
  | { readonly label: string; readonly text: string }
  | { readonly bracketed: string };

/** A longer text as several pieces, none of which is cut. */
export function splitWords(text: string): LinePiece[] {
  const pieces: LinePiece[] = [];
  for (let rest = text.trim(); rest !== ""; ) {
    const isLast = rest.length <= MAX_CONTENT_CHARACTERS;
    const space = isLast ? rest.length : rest.lastIndexOf(" ", MAX_CONTENT_CHARACTERS);
    const end = space > MAX_CONTENT_CHARACTERS / 2 || isLast ? space : MAX_CONTENT_CHARACTERS;
    pieces.push(...(pieces.length === 0 ? [] : [" "]), { words: rest.slice(0, end).toWellFormed() });
    rest = rest.slice(end).trim();
  }
  return pieces;
}

/** A shorter text in brackets is useless. */
const MIN_BRACKET_CHARACTERS = 40;

/** `words` get `maxCharacters`; all brackets together share the same amount again. */
export function renderPieces(
  pieces: readonly LinePiece[],
  nonce: string | null,
  maxCharacters = MAX_CONTENT_CHARACTERS,
): string {
  const brackets = pieces.filter((piece) => typeof piece !== "string" && "label" in piece).length;
  const perBracket = Math.max(MIN_BRACKET_CHARACTERS, Math.floor(maxCharacters / Math.max(1, brackets)));
  return pieces.map((piece) => renderPiece(piece, nonce, { words: maxCharacters, brackets: perBracket })).join("");
}

function renderPiece(piece: LinePiece, nonce: string | null, limits: { words: number; brackets: number }): string {
  if (typeof piece === "string") return piece;
  if ("words" in piece) return escapeContent(piece.words, nonce, limits.words) || "(no text)";
  if ("quoted" in piece) return quoteContent(piece.quoted, nonce, limits.words);
  if ("name" in piece) return quoteName(piece.name, nonce);
  if ("bracketed" in piece) return `⟦${piece.bracketed}⟧`;
  return `⟦${piece.label}: ${escapeContent(piece.text, nonce, limits.brackets) || "(no text)"}⟧`;
}
