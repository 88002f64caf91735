import { repairSpelling } from "./mistyped.ts";

/** A question as it is compared with patterns: without the bot's name, greetings before the question, and marks around it. */
export function tidyQuestion(
  text: string,
  agent: { readonly id: string; readonly name: string },
  languageCode = "en",
): string {
  const name = agent.name.replaceAll(/[^\p{L}\p{N} ]/gu, String.raw`\$&`);
  const called = new RegExp(`^(?:(?:hey|hi|hello|ok|okay|yo)[, ]+)?@?${name}(?![\\p{L}\\p{N}])[\\s,:;!.…-]*`, "iu");
  const plain = text
    .slice(0, MAX_QUESTION_LENGTH)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[’ʼ`´]/gu, "'")
    .replaceAll(new RegExp(`<@!?${agent.id}>`, "gu"), " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const bare = plain
    .replace(called, "")
    .replace(new RegExp(`[,\\s]+@?${name}[\\s?!.…\\p{ExtPict}\\u{fe0f}]*$`, "iu"), "")
    .replace(/^[¿¡\s]+/u, "")
    .replace(/(?<=[\p{L}\p{N}].*)(?:[\s?!.…？！。\p{ExtPict}]|\u{fe0f}|\u{200d})+$/u, "")
    .replace(/^[?!.…？！。]+$/u, "")
    .trim();
  return languageCode === "en" ? repairSpelling(bare) : bare;
}

/** Longer texts are no question of a form that is known; patterns would take long on them. */
const MAX_QUESTION_LENGTH = 400;

/** Letters or digits of any script. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The words of a question as they were typed, without marks around them. */
export function wordsOf(text: string): string[] {
  return text.match(/<[@#][!&]?\d+>|[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_'.-]*[\p{L}\p{M}\p{N}_]|[\p{L}\p{N}]/gu) ?? [];
}
