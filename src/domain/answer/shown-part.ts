/** Ends a sentence where white space follows. */
const TERMINATORS = ".!?…।॥؟۔։።";
/** Ends a sentence whatever follows. */
const WIDE_TERMINATORS = "。！？｡";
/** May stand between the end of a sentence and the space after it. */
const CLOSERS = "\"'”’»)）」』】]*_~|";
const SPACE = /\s/u;
const WORD = /[\p{L}\p{N}_]/u;
/** Titles and initials before a name; other abbreviations are recognised by the small letter that follows. */
const TITLE = /(?:^|[\s.(])(?:[Dd]r|Mr|Mrs|Ms|[Pp]rof|St|[Nn]o|[Nn]r|vs|Sra?|Fig|\p{Lu})\.$/u;
const LIST_NUMBER = /(?:^|\n)[ \t]*\d+\.$/u;
const TABLE_ROW = /^[ \t]*\|(?!\|)/u;
const RULE = /^[ \t]*(?:\*{3,}|_{3,})[ \t]*$/u;

/**
 * How much of an answer that is still being written may be shown: up to the last whole sentence or line outside of everything that is still open,
 * such as a code block, a link, a citation, bold text or a table. What was shown stays shown: a longer text shows at least as much.
 */
export function shownPart(text: string): string {
  return text.slice(0, new Scan(text).lastBoundary());
}

type Ended = "no" | "yes" | "wide";

/**
 * Goes through the text once. Whether a position is a boundary depends only on what stands before it and on the next characters that are not
 * white space, which must be there: so more text changes nothing about it.
 */
class Scan {
  readonly #text: string;
  /** Markers of emphasis that are open, such as `**`. */
  readonly #open = new Set<string>();
  /** Unclosed `[`. */
  #brackets = 0;
  /** Unclosed `(` of a link's target. */
  #target = 0;
  /** The last word ended a sentence; `wide` needs no space afterwards. */
  #ended: Ended = "no";
  #endedBeforeBracket: Ended = "no";
  #at = 0;
  // Lines and runs of white space may be as long as the text: what was found out about them is kept.
  #lineStart = 0;
  #lineSeenTo = 0;
  #line = { end: -1, isRule: false, isTableRow: false };
  #visibleAt = -1;

  constructor(text: string) {
    this.#text = text;
  }

  lastBoundary(): number {
    let boundary = 0;
    while (this.#at < this.#text.length) {
      if (this.#isBoundary()) boundary = this.#at;
      this.#step();
    }
    return boundary;
  }

  #char(offset = 0): string {
    return this.#text.charAt(this.#at + offset);
  }

  #isBoundary(): boolean {
    if (this.#open.size > 0 || this.#brackets > 0 || this.#target > 0) return false;
    const char = this.#char();
    const isLineEnd = char === "\n";
    const isEnd = isLineEnd || this.#ended === "wide" || (this.#ended === "yes" && SPACE.test(char));
    if (!isEnd) return false;
    const next = this.#nextVisible();
    // A citation after the sentence belongs to it, and so does a mark that closes something.
    if (next === "" || "[【".includes(next) || (this.#ended === "wide" && CLOSERS.includes(char))) return false;
    if (TABLE_ROW.test(this.#text.slice(this.#startOfLine(), this.#at))) return isLineEnd && next !== "|";
    return isLineEnd || !this.#isAbbreviation(next);
  }

  #isAbbreviation(next: string): boolean {
    const before = this.#text.slice(Math.max(0, this.#at - 40), this.#at);
    if (LIST_NUMBER.test(before)) return true;
    return before.endsWith(".") && (/\p{Ll}/u.test(next) || TITLE.test(before));
  }

  #startOfLine(): number {
    const lineBreak = this.#text.slice(this.#lineSeenTo, this.#at).lastIndexOf("\n");
    if (lineBreak >= 0) this.#lineStart = this.#lineSeenTo + lineBreak + 1;
    this.#lineSeenTo = this.#at;
    return this.#lineStart;
  }

  #wholeLine(): { readonly isRule: boolean; readonly isTableRow: boolean } {
    if (this.#at <= this.#line.end) return this.#line;
    const rest = /^.*/u.exec(this.#text.slice(this.#at))?.[0] ?? "";
    const end = this.#at + rest.length;
    const whole = this.#text.slice(this.#startOfLine(), end);
    this.#line = { end, isRule: RULE.test(whole), isTableRow: TABLE_ROW.test(whole) };
    return this.#line;
  }

  /** The next character from here on that is no white space; empty where none is. */
  #nextVisible(): string {
    if (this.#visibleAt < this.#at) {
      this.#visibleAt = this.#at;
      while (SPACE.test(this.#text.charAt(this.#visibleAt))) this.#visibleAt += 1;
    }
    const code = this.#text.codePointAt(this.#visibleAt);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #step(): void {
    const char = this.#char();
    if (char === "\\") {
      this.#at += 2;
      this.#ended = "no";
    } else if (char === "`") this.#skipCode();
    else if (this.#target > 0) this.#stepTarget(char);
    else if (char === "[" || char === "【") this.#openBracket();
    else if (char === "]" || char === "】") this.#closeBracket();
    else if ("*_~|".includes(char)) this.#stepMarker(char);
    else if (isUrlStart(this.#text, this.#at)) this.#skipUrl();
    else {
      this.#at += 1;
      this.#noteEnd(char);
    }
  }

  #noteEnd(char: string): void {
    if (TERMINATORS.includes(char)) this.#ended = "yes";
    else if (WIDE_TERMINATORS.includes(char)) this.#ended = "wide";
    else if (!CLOSERS.includes(char) && !(SPACE.test(char) && this.#isBeforeCitation())) this.#ended = "no";
  }

  /** Only spaces are between here and a bracket. */
  #isBeforeCitation(): boolean {
    const next = this.#nextVisible();
    return next === "[" || next === "【";
  }

  /** To the end of the code; to the end of the text if it is not closed, where no boundary is. */
  #skipCode(): void {
    const fence = /^`+/u.exec(this.#text.slice(this.#at))?.[0] ?? "`";
    const isBlock = fence.length >= 3;
    const rest = this.#text.slice(this.#at + fence.length);
    const close = (isBlock ? /`{3,}/u : new RegExp(`(?<!\`)${fence}(?!\`)`, "u")).exec(rest);
    this.#at = close ? this.#at + fence.length + close.index + close[0].length : this.#text.length;
    this.#ended = "no";
  }

  #openBracket(): void {
    if (this.#brackets === 0) this.#endedBeforeBracket = this.#ended;
    this.#brackets += 1;
    this.#at += 1;
  }

  #closeBracket(): void {
    this.#at += 1;
    if (this.#brackets === 1) this.#ended = this.#endedBeforeBracket;
    this.#brackets = Math.max(0, this.#brackets - 1);
    if (this.#char() !== "(") return;
    this.#target = 1;
    this.#at += 1;
  }

  #stepTarget(char: string): void {
    this.#target += char === "(" ? 1 : char === ")" ? -1 : 0;
    this.#at += 1;
    this.#ended = "no";
  }

  /** A run of the same mark opens or closes emphasis, unless it stands apart, inside of a word, in a table or alone on its line. */
  #stepMarker(char: string): void {
    const before = this.#text.charAt(this.#at - 1);
    const { isRule, isTableRow } = this.#wholeLine();
    let length = 1;
    while (this.#char(length) === char) length += 1;
    const after = this.#char(length);
    this.#at += length;
    if (isRule || (char === "|" && isTableRow)) return;
    for (const marker of toMarkers(char, length)) {
      const isOpen = this.#open.has(marker);
      const inner = isOpen ? before : after;
      const outer = isOpen ? after : before;
      if (inner === "" || SPACE.test(inner) || (marker === "_" && WORD.test(outer))) {
        if (!isOpen) this.#ended = "no";
        continue;
      }
      if (isOpen) this.#open.delete(marker);
      else this.#open.add(marker);
    }
  }

  #skipUrl(): void {
    const url = /^[^\s<>\]]*/u.exec(this.#text.slice(this.#at))?.[0] ?? "";
    const bare = url.replace(/[.!?…,;:)*_~|"'。！？]+$/u, "");
    this.#at += Math.max(1, bare.length);
    this.#ended = "no";
  }
}

function isUrlStart(text: string, at: number): boolean {
  return text.charAt(at).toLowerCase() === "h" && /^https?:\/\//iu.test(text.slice(at, at + 8));
}

function toMarkers(char: string, length: number): string[] {
  if (char === "|" || char === "~") return length === 2 ? [char.repeat(2)] : [];
  if (length === 3) return [char.repeat(2), char];
  return length < 3 ? [char.repeat(length)] : [];
}
