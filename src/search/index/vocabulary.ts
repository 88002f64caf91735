/** A mark stands for what a message is, not for what it says: it is never mistaken for a word. */
const MARK = "\u0001";
/** Longer words count as this long. */
export const MAX_LENGTH = 255;

/** `by`: a word of the author's name; `asks`: what the message says is a question; `lent`: a word of the question that it answers. */
export function toMark(kind: "from" | "mentions" | "has" | "by" | "asks" | "tells" | "lent", value: string): string {
  return `${MARK}${kind}:${value}`;
}

/** Numbers of terms, as long as they are in use. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #terms: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #uses = new Uint32Array(1024);
  /** Per word: the first letter and the length; zero for marks. */
  #shapes = new Uint32Array(1024);
  /** Which letters occur in the word. */
  #letters = new Uint32Array(1024);
  /** The numbers of open holds, the oldest first. */
  readonly #holds = new Set<number>();
  #lastHold = 0;
  /** Unused numbers that an open hold may still refer to, each with the newest hold at that time. In the order in which they were retired. */
  readonly #retired = new Map<number, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** All numbers are below this. */
  get end(): number {
    return this.#terms.length;
  }

  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  term(number: number): string {
    return this.#terms[number] ?? "";
  }

  /** Orders words by their first letter, then by their length. Zero for what is no word. See `toShape`. */
  shape(number: number): number {
    return this.#shapes[number] ?? 0;
  }

  /** A bit for each letter that the term has; some letters share one. See `lettersOf`. */
  letters(number: number): number {
    return this.#letters[number] ?? 0;
  }

  /** The number is the term's own once it was retained. */
  add(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#terms.length;
    if (number >= this.#uses.length) this.#grow();
    this.#numbers.set(term, number);
    this.#terms[number] = term;
    this.#uses[number] = 0;
    this.#shapes[number] = term.startsWith(MARK) ? 0 : toShape(term.charCodeAt(0), term.length);
    this.#letters[number] = lettersOf(term);
    return number;
  }

  retain(numbers: Uint32Array): void {
    for (const number of numbers) this.#uses[number] = (this.#uses[number] ?? 0) + 1;
  }

  /** Unused terms are forgotten once every hold that was open by then has ended. */
  release(numbers: Uint32Array): void {
    for (const number of numbers) {
      const left = (this.#uses[number] ?? 1) - 1;
      this.#uses[number] = left;
      if (left > 0) continue;
      if (this.#holds.size === 0) this.#forget(number);
      else {
        this.#retired.delete(number);
        this.#retired.set(number, this.#lastHold);
      }
    }
  }

  /**
   * Until it is ended, every number keeps its term and every term its number: code that pauses while working with numbers needs a hold. Ending it
   * twice is safe.
   */
  hold(): () => void {
    this.#lastHold += 1;
    const hold = this.#lastHold;
    this.#holds.add(hold);
    return () => {
      if (this.#holds.delete(hold)) this.#forgetRetired();
    };
  }

  #forgetRetired(): void {
    const [oldest = Number.POSITIVE_INFINITY] = this.#holds;
    for (const [number, newestHold] of this.#retired) {
      if (newestHold >= oldest) return;
      this.#retired.delete(number);
      if (this.#uses[number] === 0) this.#forget(number);
    }
  }

  #forget(number: number): void {
    this.#numbers.delete(this.term(number));
    this.#terms[number] = undefined;
    this.#shapes[number] = 0;
    this.#free.push(number);
  }

  #grow(): void {
    const room = this.#uses.length * 2;
    this.#uses = copyInto(new Uint32Array(room), this.#uses);
    this.#shapes = copyInto(new Uint32Array(room), this.#shapes);
    this.#letters = copyInto(new Uint32Array(room), this.#letters);
  }
}

/** @see Vocabulary.shape */
export function toShape(firstLetter: number, length: number): number {
  return firstLetter * (MAX_LENGTH + 1) + Math.min(MAX_LENGTH, length);
}

function copyInto(target: Uint32Array<ArrayBuffer>, source: Uint32Array): Uint32Array<ArrayBuffer> {
  target.set(source);
  return target;
}

/** @see Vocabulary.letters */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let index = 0; index < word.length; index += 1) letters |= 1 << (word.charCodeAt(index) & 31);
  return letters >>> 0;
}
