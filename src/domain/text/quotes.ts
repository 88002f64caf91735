/** A run of this many letters and digits, ignoring other characters, is rarely shared by chance. */
const RUN_LENGTH = 14;
/** A character of these scripts carries as much as several letters. */
const DENSE_RUN_LENGTH = 5;
const DENSE = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;

/** Whether a text repeats part of another, or all of it if it is short. */
export function quotes(text: string, source: string): boolean {
  const [whole, part] = [lettersOf(text), lettersOf(source)];
  if (part.length === 0) return false;
  const joined = whole.join("");
  const isDense = part.some((letter) => DENSE.test(letter));
  const length = Math.min(part.length, isDense ? DENSE_RUN_LENGTH : RUN_LENGTH);
  for (let start = 0; start + length <= part.length; start += 1)
    if (joined.includes(part.slice(start, start + length).join(""))) return true;
  return false;
}

function lettersOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]/gu) ?? []
  );
}

/** A run of this many words is rarely shared by chance. */
const REPEATED_WORDS = 8;
const UNSEPARATED = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
/** A run of letters and digits; in scripts that do not separate words, each character. */
const WORD = new RegExp(`[${UNSEPARATED}]|[[\\p{L}\\p{N}\\p{M}]--[${UNSEPARATED}]]+`, "gv");

/** Whether a text repeats eight words in a row of another, ignoring spelling and separators. The result is for comparing with many other
 * texts. */
export function repeatsWordsOf(text: string): (source: string) => boolean {
  const words = toWords(text);
  const known = new Set(words);
  const runs = new Set(words.slice(REPEATED_WORDS - 1).map((_, start) => runAt(words, start)));
  return (source) => {
    if (runs.size === 0) return false;
    const others = toWords(source);
    // Most texts share no run of eight words at all.
    let inRow = 0;
    return others.some((word, index) => {
      inRow = known.has(word) ? inRow + 1 : 0;
      return inRow >= REPEATED_WORDS && runs.has(runAt(others, index + 1 - REPEATED_WORDS));
    });
  };
}

function toWords(text: string): string[] {
  const bare = text.normalize("NFKC").replaceAll(/\p{Cf}/gu, "");
  return bare.toLowerCase().match(WORD) ?? [];
}

function runAt(words: readonly string[], start: number): string {
  return words.slice(start, start + REPEATED_WORDS).join(" ");
}

/** A run of letters and digits, or a single symbol or emoji, which can carry as much. Punctuation does not count. */
const WORD_OR_SYMBOL = /[\p{L}\p{N}\p{M}]+|[^\s\p{P}\p{L}\p{N}\p{M}]/gu;

/** Whether an edit removed any word. Additions, case, order and punctuation do not matter. */
export function hasRemovedWords(before: string, after: string): boolean {
  if (before === after) return false;
  const left = wordsOf(after);
  for (const word of wordsOf(before)) if (!left.has(word)) return true;
  return false;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.normalize("NFKC").toLowerCase().match(WORD_OR_SYMBOL));
}
