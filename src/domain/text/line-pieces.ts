import { escapeContent, MAX_CONTENT_CHARACTERS, quoteName } from "./escape.ts";

/**
 * What a line is made of, so that each has one reading only:
 *
 * - our own words, as they are;
 * - `words`: others' words, unmarked, up to the end of the line or to one of our brackets;
 * - `name`: what people called something, as one word or in double quotes;
 * - `label` and `text`: what came with somebody's words without being theirs, in our brackets: `⟦link preview: …⟧`;
 * - `bracketed`: our own words set apart from others', such as the handles of messages that a line rests on: `⟦m1, m2⟧`.
 *
 * Nobody's text holds `⟦` or `⟧`: whatever stands so was set there by us.
 */
export type LinePiece =
  | string
  | { readonly words: string }
  | { readonly name: string }
  | { readonly label: string; readonly text: string }
  | { readonly bracketed: string };

/** What has no room for at least so much is of no use. */
const MIN_BRACKET_CHARACTERS = 40;

/** Words may take so many characters; what stands in brackets shares as many again. */
export function renderPieces(
  pieces: readonly LinePiece[],
  nonce: string | null,
  maxCharacters = MAX_CONTENT_CHARACTERS,
): string {
  const brackets = pieces.filter((piece) => typeof piece !== "string" && "label" in piece).length;
  const room = Math.max(MIN_BRACKET_CHARACTERS, Math.floor(maxCharacters / Math.max(1, brackets)));
  return pieces.map((piece) => renderPiece(piece, nonce, { words: maxCharacters, brackets: room })).join("");
}

function renderPiece(piece: LinePiece, nonce: string | null, room: { words: number; brackets: number }): string {
  if (typeof piece === "string") return piece;
  if ("words" in piece) return escapeContent(piece.words, nonce, room.words) || "(no text)";
  if ("name" in piece) return quoteName(piece.name, nonce);
  if ("bracketed" in piece) return `⟦${piece.bracketed}⟧`;
  return `⟦${piece.label}: ${escapeContent(piece.text, nonce, room.brackets) || "(no text)"}⟧`;
}
