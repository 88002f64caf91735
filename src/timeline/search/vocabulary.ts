import { slipsBetween } from "../../domain/search/typing-slips.ts";

/** A mark stands for what a message is, not for what it says: it is never mistaken for a word. */
const MARK = "\u0001";
/** The longest ending that a stem has lost. */
const MOST_LOST = 5;

export function toMark(kind: "from" | "mentions" | "has", value: string): string {
  return `${MARK}${kind}:${value}`;
}

/** Numbers for terms, for as long as somebody uses them. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #terms: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #uses = new Uint32Array(1024);
  /** Of words; zero for marks. */
  #lengths = new Uint8Array(1024);
  /** The first letter of the word. */
  #starts = new Uint16Array(1024);
  /** Which letters occur in the word. */
  #letters = new Uint32Array(1024);

  get size(): number {
    return this.#numbers.size;
  }

  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  term(number: number): string {
    return this.#terms[number] ?? "";
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
    this.#lengths[number] = term.startsWith(MARK) ? 0 : Math.min(255, term.length);
    this.#starts[number] = term.charCodeAt(0);
    this.#letters[number] = lettersOf(term);
    return number;
  }

  retain(numbers: Uint32Array): void {
    for (const number of numbers) this.#uses[number] = (this.#uses[number] ?? 0) + 1;
  }

  /** What nobody uses any more is forgotten. */
  release(numbers: Uint32Array): void {
    for (const number of numbers) {
      const left = (this.#uses[number] ?? 1) - 1;
      this.#uses[number] = left;
      if (left > 0) continue;
      this.#numbers.delete(this.term(number));
      this.#terms[number] = undefined;
      this.#lengths[number] = 0;
      this.#free.push(number);
    }
  }

  /** Terms that may be meant by a word, beside the word itself: what begins with its stem, and what it is a slip of. */
  similar(stem: string, spelling: string, slips: number): { number: number; distance: number }[] {
    const found: { number: number; distance: number }[] = [];
    const [lengths, starts, letters] = [this.#lengths, this.#starts, this.#letters];
    const [first, second, absent] = [spelling.charCodeAt(0), spelling.charCodeAt(1), ~lettersOf(spelling)];
    const least = Math.max(3, stem.length - slips - MOST_LOST);
    for (let number = 0; number < this.#terms.length; number += 1) {
      const length = lengths[number] ?? 0;
      const start = starts[number] ?? 0;
      if (length < least || (start !== first && start !== second)) continue;
      const mayBeSlip =
        slips > 0 && length <= spelling.length + slips && bitCount((letters[number] ?? 0) & absent) <= slips;
      const mayBegin = length > stem.length && start === first;
      if (!mayBeSlip && !mayBegin) continue;
      const term = this.term(number);
      if (term === stem) continue;
      const distance = mayBeSlip ? slipsBetween(spelling, term, slips) : null;
      if (distance !== null) found.push({ number, distance: Math.max(1, distance) });
      else if (mayBegin && term.startsWith(stem)) found.push({ number, distance: 1 });
    }
    return found;
  }

  #grow(): void {
    const room = this.#uses.length * 2;
    this.#uses = copyInto(new Uint32Array(room), this.#uses);
    this.#lengths = copyInto(new Uint8Array(room), this.#lengths);
    this.#starts = copyInto(new Uint16Array(room), this.#starts);
    this.#letters = copyInto(new Uint32Array(room), this.#letters);
  }
}

function copyInto<Numbers extends Uint8Array | Uint16Array | Uint32Array>(target: Numbers, source: Numbers): Numbers {
  target.set(source);
  return target;
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let index = 0; index < word.length; index += 1) letters |= 1 << (word.charCodeAt(index) & 31);
  return letters >>> 0;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
