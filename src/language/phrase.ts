/** What the phrases of a language are compiled with. */
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
 * neither of these next, `word*` a word that begins like this, `{name:a|b}` the hole filled by one of these. The whole question has to be the phrase, unless it begins or ends with `…`. Gives the source of a pattern.
 * Throws an error that says what is wrong.
 */
export function compilePhrase(phrase: string, context: PhraseContext): string {
  const isOpenBefore = phrase.startsWith(ANY);
  const isOpenAfter = phrase.endsWith(ANY);
  const inner = phrase.slice(isOpenBefore ? 1 : 0, isOpenAfter ? -1 : undefined).trim();
  const refused = REFUSED.exec(inner);
  if (refused) throw new Error(`\`${refused[0]}\` is not part of a phrase.`);
  const source = new PhraseReader(inner, context).read();
  const long = source.match(/\.\{1,\d+\}\?/gu) ?? [];
  if (long.length > MAX_LONG_HOLES) throw new Error(`A phrase may have ${MAX_LONG_HOLES} holes of many words.`);
  const start = isOpenBefore ? (context.isDense ? "" : BEFORE) : "^";
  return `${start}${source}${isOpenAfter ? (context.isDense ? "" : AFTER) : "$"}`;
}

/** Phrases with `|` between, one of which a list stands for, as the source of a pattern. */
export function compileList(phrases: string, context: PhraseContext): string {
  return `(?:${new PhraseReader(phrases, context).read()})`;
}

/** What may come before a question, and the space after it, as the source of a pattern. */
export function compileOpening(phrase: string, context: PhraseContext): string {
  return `^${new PhraseReader(phrase, context).read()}${context.isDense ? DENSE_SPACE : SPACE}(?=.)`;
}

/** More is taken off no question. */
const MAX_OPENINGS = 4;

/** The phrases of one section. */
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
      const shorter = this.patterns.reduce((left, pattern) => left.replace(pattern, ""), rest);
      if (shorter === rest) break;
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

interface Term {
  readonly source: string;
  readonly kind: "certain" | "optional" | "not";
}

class PhraseReader {
  readonly #text: string;
  readonly #context: PhraseContext;
  #at = 0;

  constructor(text: string, context: PhraseContext) {
    this.#text = text;
    this.#context = context;
  }

  read(): string {
    const source = this.#readAlternatives();
    if (this.#at < this.#text.length) throw new Error(`\`${this.#text[this.#at]}\` closes nothing.`);
    return source;
  }

  #readAlternatives(): string {
    const all = [this.#readSequence()];
    while (this.#text[this.#at] === "|") {
      this.#at += 1;
      all.push(this.#readSequence());
    }
    return all.length === 1 ? (all[0] ?? "") : `(?:${all.join("|")})`;
  }

  #readSequence(): string {
    const terms: Term[] = [];
    for (;;) {
      while (this.#text[this.#at] === " ") this.#at += 1;
      if (this.#isAtEnd()) return this.#join(terms);
      terms.push(this.#readTerm());
    }
  }

  #isAtEnd(): boolean {
    return ["|", ")", "]", undefined].includes(this.#text[this.#at]);
  }

  /** What stands without spaces between. */
  #readTerm(): Term {
    const isNot = this.#text.startsWith("-(", this.#at);
    if (isNot) this.#at += 1;
    const pieces: string[] = [];
    let isOptional = false;
    while (!this.#isAtEnd() && this.#text[this.#at] !== " ") {
      const mark = this.#text[this.#at] ?? "";
      isOptional = mark === "[" || mark === ANY;
      const piece = this.#readPiece(mark);
      pieces.push(isOptional ? `(?:${piece})?` : piece);
    }
    const [only = ""] = pieces;
    if (isNot) return { source: only, kind: "not" };
    // The space before an optional word is optional with it.
    if (pieces.length === 1 && isOptional) return { source: only.slice(3, -2), kind: "optional" };
    return { source: pieces.join(""), kind: "certain" };
  }

  #readPiece(mark: string): string {
    if (mark === "(" || mark === "[") return `(?:${this.#readBracket(mark === "(" ? ")" : "]")})`;
    if (mark === "{") return this.#readHole();
    this.#at += 1;
    if (mark === ANY) return WORDS;
    if (mark === "*") return `${SIGN}{0,20}`;
    return toLetters(mark, /\p{L}/u.test(this.#text[this.#at] ?? ""));
  }

  #readBracket(closing: string): string {
    this.#at += 1;
    const source = this.#readAlternatives();
    if (this.#text[this.#at] !== closing) throw new Error(`\`${closing}\` is missing.`);
    this.#at += 1;
    return source;
  }

  #readHole(): string {
    const end = this.#text.indexOf("}", this.#at);
    if (end === -1) throw new Error("`}` is missing.");
    const [name = "", given] = this.#text.slice(this.#at + 1, end).split(":");
    this.#at = end + 1;
    if (given !== undefined && Object.hasOwn(HOLES, name)) return `(?<${name}>${compileList(given, this.#context)})`;
    if (name === "name" && this.#context.isDense) return DENSE_NAME;
    const source = (Object.hasOwn(HOLES, name) ? HOLES[name] : undefined) ?? this.#context.lists.get(name);
    if (source === undefined) throw new Error(`There is no hole and no list called {${name}}.`);
    return source;
  }

  #join(terms: readonly Term[]): string {
    const space = this.#context.isDense ? DENSE_SPACE : SPACE;
    let isAfterWord = false;
    const sources = terms.map(({ source, kind }) => {
      if (kind === "not") return `(?!${isAfterWord ? space : ""}${source}${AFTER})`;
      if (kind === "optional") return isAfterWord ? `(?:${space}${source})?` : `(?:${source}${space})?`;
      const spaced = isAfterWord ? `${space}${source}` : source;
      isAfterWord = true;
      return spaced;
    });
    if (!isAfterWord) throw new Error("Something in a phrase has to be certain.");
    return sources.join("");
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
