import type { Language } from "../../language/language.ts";
import { foldWord } from "../../language/language-file.ts";
import { ENGLISH } from "../../language/languages.ts";

/** A question as it is compared with patterns: without the bot's name, greetings before the question, and marks around it. */
export function tidyQuestion(
  text: string,
  agent: { readonly id: string; readonly name: string },
  language: Language = ENGLISH,
): string {
  const name = agent.name.replaceAll(/[^\p{L}\p{N} ]/gu, String.raw`\$&`);
  const called = new RegExp(`^(?:(\\p{L}+)[, ]+)?@?${name}(?![\\p{L}\\p{N}])[\\s,:;!.…-]*`, "iu");
  const { greetings, thanks } = language.asks;
  const plain = text
    .slice(0, MAX_QUESTION_LENGTH)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[’ʼ`´]/gu, "'")
    .replaceAll(new RegExp(`<@!?${agent.id}>`, "gu"), " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const bare = plain
    .replace(called, (before, word: string | undefined) => {
      const isSocial = greetings.has(word?.toLowerCase() ?? "") || thanks.has(word?.toLowerCase() ?? "");
      return word === undefined ? "" : isSocial ? `${word} ` : before;
    })
    .replace(new RegExp(`[,\\s]+@?${name}[\\s?!.…\\p{ExtPict}\\u{fe0f}]*$`, "iu"), "")
    .replace(/^[¿¡\s]+/u, "")
    .replace(/(?<=[\p{L}\p{N}].*)(?:[\s?!.…？！。\p{ExtPict}]|\u{fe0f}|\u{200d})+$/u, "")
    .replace(/^[?!.…？！。]+$/u, "")
    .trim();
  return repairSpelling(bare, language);
}

/** Longer texts are no question of a form that is known; patterns would take long on them. */
const MAX_QUESTION_LENGTH = 400;
const WORD = /(?<![\p{L}\p{N}_@#<:-])[\p{L}\p{N}][\p{L}\p{M}\p{N}']*/gu;
const DRAWN_OUT = /(\p{L})\1{2,}/gu;

/** With chat spellings written out, and letters that were drawn out as often as they belong there: "whaaats up" is "what's up". */
export function repairSpelling(text: string, { spellings, vocabulary }: Language): string {
  return text.replaceAll(WORD, (written) => {
    const lower = written.toLowerCase();
    // A short one with a capital may be a name.
    const meant = written.length < 3 && written !== lower ? undefined : spellings.get(lower);
    if (meant !== undefined) return meant;
    const shorter = [lower.replaceAll(DRAWN_OUT, "$1$1"), lower.replaceAll(DRAWN_OUT, "$1")];
    return shorter.find((word) => word !== lower && (vocabulary.has(foldWord(word)) || spellings.has(word))) ?? written;
  });
}

/** Letters or digits of any script. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The words of a question as they were typed, without marks around them. */
export function wordsOf(text: string): string[] {
  return text.match(/<[@#][!&]?\d+>|[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_'.-]*[\p{L}\p{M}\p{N}_]|[\p{L}\p{N}]/gu) ?? [];
}
