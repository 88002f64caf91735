export interface PhraseContext {
  /** By name, each the source of a pattern: `{say}` stands for one of its entries. */
  readonly lists: ReadonlyMap<string, string>;
  /** The language writes without spaces, or glues much to its words. */
  readonly isDense: boolean;
}

/** Where words begin and end. Classes of all letters would take far longer to compile. */
const BEFORE = String.raw`(?<=^|[\s"'“„(<,.:;!?¿¡/–-])`;
const AFTER = String.raw`(?=$|[\s"'”“),.:;!?…/–-])`;
const SPACE = "[ ,:;–-]+";
const DENSE_SPACE = "[ 、,]*";
const SIGN = String.raw`[^\s,;:!?"'“”„()<>#、。！？「」]`;
/** Each hole ends at some length, so that no text takes long. */
const WORDS = ".{1,120}?";
const MENTION = String.raw`<@!?\d{1,20}>`;
const HOLES: Readonly<Record<string, string>> = {
  name: `(?<name>${MENTION}|${SIGN}{1,40})`,
  topic: "(?<topic>.{1,200}?)",
  what: "(?<what>.{1,400}?)",
  thing: `(?<what>${SIGN}[^,;:!?"“”„()<>#、。！？「」]{0,60}?)`,
  word: `(?:${SIGN}|'){1,40}`,
  number: String.raw`\d{1,6}`,
  mention: `(?:${MENTION}|@${SIGN}{1,40})`,
};
const DENSE_NAME = `(?<name>${MENTION}|${SIGN}{1,20}?)`;
/** Each multiplies the time that a hostile text takes. */
const MAX_LONG_HOLES = 2;
const REFUSED = /[\\^$+?.]/u;
const ANY = "…";

/**
 * Compiles `who (said|wrote) [that|it]`: (…|…) is one of these, […|…] one of these or nothing, `{name}` a hole or a list, `…` any words, `-(a|b)`
 * neither of these next, `word*` a word that begins like this, `{name:a|b}` the hole filled by one of these. Without `…` at its ends, it has to be the
 * whole question. Throws an error that says what is wrong.
 */
export function compilePhrase(phrase: string, context: PhraseContext): string {
  const isOpenBefore = phrase.startsWith(ANY);
  const isOpenAfter = phrase.endsWith(ANY);
  const inner = phrase.slice(isOpenBefore ? 1 : 0, isOpenAfter ? -1 : undefined).trim();
  const refused = REFUSED.exec(inner);
  if (refused) throw new Error(`\`${refused[0]}\` is not part of a phrase.`);
  const source = compileList(inner, context);
  if ((source.match(/\.\{1,\d+\}\?/gu) ?? []).length > MAX_LONG_HOLES)
    throw new Error(`A phrase may have ${MAX_LONG_HOLES} holes of many words.`);
  const [before, after] = context.isDense ? ["", ""] : [BEFORE, AFTER];
  return `${isOpenBefore ? before : "^"}${source}${isOpenAfter ? after : "$"}`;
}

/** More is taken off no question. */
const MAX_OPENINGS = 4;

export class Phrases {
  readonly patterns: readonly RegExp[];
  readonly #openings: Phrases | null;

  /** `openings`: a text is also compared without these. In the patterns themselves, each would multiply the ways to read a text. */
  constructor(sources: readonly string[], openings: Phrases | null) {
    // One pattern cannot have a group twice.
    const isOne = sources.length > 0 && !sources.some((source) => /\(\?<\w/u.test(source));
    this.patterns = (isOne ? [sources.join("|")] : sources).map((source) => new RegExp(source, "iu"));
    this.#openings = openings;
  }

  test(text: string): boolean {
    return this.exec(text) !== null;
  }

  exec(text: string): RegExpExecArray | null {
    return this.all(text).next().value ?? null;
  }

  /** Each phrase that fits, as it fits first. */
  *all(text: string): Generator<RegExpExecArray, undefined> {
    if (this.patterns.length === 0) return;
    for (const reading of this.#openings?.readings(text) ?? [text])
      for (const pattern of this.patterns) {
        const found = pattern.exec(reading);
        if (found) yield found;
      }
  }

  /** A text as it is, and without what it opens with, one by one. */
  readings(text: string): string[] {
    const readings = [text];
    for (let rest = text; readings.length <= MAX_OPENINGS; readings.push(rest)) {
      const left = this.patterns.reduce((shorter, pattern) => shorter.replace(pattern, ""), rest);
      const shorter = left.replace(/^[ 、,:;–-]+/u, "");
      if (shorter === rest || shorter === "") break;
      rest = shorter;
    }
    return readings;
  }

  /** The text without all places that a pattern fits. */
  takenOut(text: string): string {
    const everywhere = this.patterns.map(({ source, flags }) => new RegExp(source, `${flags}g`));
    return everywhere.reduce((rest, pattern) => rest.replaceAll(pattern, " "), text);
  }
}

/** Phrases with `|` between, as the source of a pattern. */
export function compileList(text: string, context: PhraseContext): string {
  const space = context.isDense ? DENSE_SPACE : SPACE;
  let at = 0;
  const isAtEnd = () => ["|", ")", "]", undefined].includes(text[at]);
  const source = readAlternatives();
  if (at < text.length) throw new Error(`\`${text[at]}\` closes nothing.`);
  return source;

  function readAlternatives(): string {
    const all = [readSequence()];
    for (; text[at] === "|"; all.push(readSequence())) at += 1;
    return `(?:${all.join("|")})`;
  }

  function readSequence(): string {
    let [sequence, isAfterWord] = ["", false];
    for (;;) {
      while (text[at] === " ") at += 1;
      if (isAtEnd()) break;
      const isNot = text.startsWith("-(", at);
      if (isNot) at += 1;
      const [term, isOptional] = readTerm();
      // The space before an optional word is optional with it.
      if (isNot) sequence += `(?!${isAfterWord ? space : ""}${term}${AFTER})`;
      else if (isOptional) sequence += isAfterWord ? `(?:${space}${term})?` : `(?:${term}${space})?`;
      else sequence += isAfterWord ? `${space}${term}` : term;
      isAfterWord ||= !isNot && !isOptional;
    }
    if (!isAfterWord) throw new Error("Something in a phrase has to be certain.");
    return sequence;
  }

  /** What stands without spaces between. */
  function readTerm(): readonly [term: string, isOptional: boolean] {
    const pieces: (readonly [piece: string, isOptional: boolean])[] = [];
    while (!isAtEnd() && text[at] !== " ") {
      const mark = text[at] ?? "";
      pieces.push([readPiece(mark), mark === "[" || mark === ANY]);
    }
    const [only] = pieces;
    if (only && pieces.length === 1) return only;
    return [pieces.map(([piece, isOptional]) => (isOptional ? `(?:${piece})?` : piece)).join(""), false];
  }

  function readPiece(mark: string): string {
    if (mark === "{") return readHole();
    at += 1;
    if (mark === ANY) return WORDS;
    if (mark === "*") return `${SIGN}{0,20}`;
    if (mark !== "(" && mark !== "[") return toLetters(mark, /\p{L}/u.test(text[at] ?? ""));
    const inner = readAlternatives();
    const closing = mark === "(" ? ")" : "]";
    if (text[at] !== closing) throw new Error(`\`${closing}\` is missing.`);
    at += 1;
    return inner;
  }

  function readHole(): string {
    const end = text.indexOf("}", at);
    if (end === -1) throw new Error("`}` is missing.");
    const [name = "", given] = text.slice(at + 1, end).split(":");
    at = end + 1;
    const isHole = Object.hasOwn(HOLES, name);
    if (given !== undefined && isHole) return `(?<${name}>${compileList(given, context)})`;
    if (name === "name" && context.isDense) return DENSE_NAME;
    const found = (isHole ? HOLES[name] : undefined) ?? context.lists.get(name);
    if (found === undefined) throw new Error(`There is no hole and no list called {${name}}.`);
    return found;
  }
}

/** Chat leaves out accents, hyphens, and apostrophes within words. */
function toLetters(sign: string, isWithin: boolean): string {
  if (sign === "'") return isWithin ? "'?" : "'";
  if (sign === "-") return "[- ]?";
  if (sign === "ß") return "(?:ß|ss)";
  const [base = sign] = sign.normalize("NFD");
  return base === sign || !/\p{sc=Latin}/u.test(sign) ? sign.replaceAll(/[*/]/gu, String.raw`\$&`) : `[${sign}${base}]`;
}
