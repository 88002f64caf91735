import { escapeName } from "./escape.ts";
import { type LinePiece, renderPieces } from "./line-pieces.ts";
import { toRelativeTime } from "./relative-time.ts";
import { estimateTokens } from "./tokens.ts";

interface SourceLabel {
  /** Our own word: `channel`, `thread`, `search`. */
  readonly kind: string;
  /** The name that people gave it. */
  readonly name: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly integrity: "untrusted";
}

export interface BlockLine {
  /** Marks the line that was asked for among those around it. */
  readonly mark?: ">>> " | "    ";
  /** Our short name for the line: `m7`. */
  readonly handle: string | null;
  readonly ts: string | null;
  readonly author: { readonly name: string; readonly bot: boolean } | null;
  /** What follows the colon; a string counts as `words` that others wrote. */
  readonly content: string | readonly LinePiece[];
}

export interface BlockRequest {
  /** Letters, digits, `-` and `_` that the authors of the content could not guess. */
  readonly nonce: string;
  readonly label: SourceLabel;
  readonly lines: readonly BlockLine[];
  readonly now: number;
  readonly maxTokens: number;
  /** The less useful end, from which lines are dropped to fit. */
  readonly dropFrom: "start" | "end";
  /** Our own sentences, after the block. */
  readonly notes?: readonly string[];
}

interface Block {
  readonly text: string;
  /** Indices of the lines in it. */
  readonly kept: readonly number[];
  readonly tokens: number;
}

/**
 * Renders what others wrote, for a model to read as data:
 *
 *     ⟦untrusted 7f3ac0de · channel "general" · 2026-07-18T10:00Z to 2026-07-18T10:42Z⟧
 *     m7 [5 minutes ago] Sarah: content
 *     m8 [now] Helper (Bot): content ⟦embed: what came with it⟧
 *     ⟦end 7f3ac0de⟧
 *     2 lines at the start left out to fit; …
 *
 * A line is a handle or `-`, the time in square brackets, the author and `(Bot)`, then `: ` and the content; time and author where there are any.
 * Escaped text never begins a line and never contains `⟦`, `⟧` or the nonce; escaped names contain no bracket and no colon. So everything
 * outside the block is ours, and a line can be read in one way only. See `LinePiece` for the content.
 *
 * Lines are dropped from the less useful end until the whole fits `maxTokens`. The frame, the sentence about dropped lines and the notes always
 * stay: up to about 100 tokens (400 with a long name in a rare script) and the notes.
 */
export function renderBlock(request: BlockRequest): Block {
  const { lines, maxTokens, dropFrom } = request;
  const rendered = lines.map((line) => renderLine(line, request));
  const all = toBlock(rendered, 0, request);
  if (lines.length === 0 || all.tokens <= maxTokens) return all;
  const usefulFirst = dropFrom === "start" ? rendered.toReversed() : rendered;
  let remaining =
    maxTokens - toBlock([], 0, { ...request, notes: [...(request.notes ?? []), missing(request, 1)] }).tokens;
  let count = 0;
  for (const line of usefulFirst) {
    // One more for the line break. Rounding makes the sum of the parts higher than the whole.
    remaining -= estimateTokens(line) + 1;
    if (remaining < 0) break;
    count += 1;
  }
  const first = dropFrom === "start" ? lines.length - count : 0;
  const notes = [missing(request, count), ...(request.notes ?? [])];
  return toBlock(rendered.slice(first, first + count), first, { ...request, notes });
}

function toBlock(lines: readonly string[], first: number, { nonce, label, notes = [] }: BlockRequest): Block {
  const text = [...wrapInBlock(lines, { nonce, label }), ...notes].join("\n");
  return { text, kept: lines.map((_, index) => first + index), tokens: estimateTokens(text) };
}

/** Puts lines between the markers of a block. What others wrote in them must already be escaped with the same nonce. */
export function wrapInBlock(
  lines: readonly string[],
  { nonce, label }: Pick<BlockRequest, "nonce" | "label">,
): string[] {
  if (!/^[\w-]{4,64}$/.test(nonce)) throw new RangeError("A nonce is 4 to 64 letters, digits, - and _.");
  const name = label.name === null ? "" : ` "${escapeName(label.name, nonce)}"`;
  return [`⟦${label.integrity} ${nonce} · ${label.kind}${name}${toSpan(label)}⟧`, ...lines, `⟦end ${nonce}⟧`];
}

function renderLine({ mark, handle, ts, author, content }: BlockLine, { nonce, now }: BlockRequest): string {
  const time = ts === null ? "" : ` [${toRelativeTime(ts, now)}]`;
  const name = author === null ? "" : ` ${escapeName(author.name, nonce)}${author.bot ? " (Bot)" : ""}`;
  return `${mark ?? ""}${handle ?? "-"}${time}${name}: ${renderPieces(typeof content === "string" ? [{ words: content }] : content, nonce)}`;
}

/** Stands after the block, where no content can imitate it. */
function missing({ lines, dropFrom }: BlockRequest, kept: number): string {
  if (kept === 0) return `None of the ${lines.length} lines fits; ask for more room.`;
  const left = lines.length - kept;
  return `${left} ${left === 1 ? "line" : "lines"} at the ${dropFrom} left out to fit; ask for fewer or go on from the cursor.`;
}

function toSpan({ from, to }: SourceLabel): string {
  if (from !== null && to !== null) return ` · ${toMinute(from)} to ${toMinute(to)}`;
  if (from !== null) return ` · since ${toMinute(from)}`;
  return to === null ? "" : ` · until ${toMinute(to)}`;
}

function toMinute(ts: string): string {
  return `${new Date(ts).toISOString().slice(0, 16)}Z`;
}
