/** A question as it is compared with patterns: without the bot's name, greetings before the question, and the marks at its end. */
export function tidyQuestion(text: string, agent: { readonly id: string; readonly name: string }): string {
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
  return plain
    .replaceAll(/[\p{L}]+/gu, (word) => MISTYPED[word.toLowerCase()] ?? word)
    .replace(called, "")
    .replace(new RegExp(`[,\\s]+@?${name}[\\s?!.…]*$`, "iu"), "")
    .replace(/^[¿¡\s]+/u, "")
    .replace(/[\s?!.…？！。]+$/u, "")
    .trim();
}

/** Longer texts are no question of a form that is known; patterns would take long on them. */
const MAX_QUESTION_LENGTH = 400;

/** How the words that ask are often mistyped; whatever else is mistyped, the search tolerates. */
const MISTYPED: Readonly<Record<string, string>> = {
  ...{ waht: "what", wat: "what", wht: "what", whta: "what", wut: "what", hwat: "what", wehn: "when", whne: "when" },
  ...{ whn: "when", wen: "when", wher: "where", wehre: "where", whre: "where", hwo: "how", whoo: "who", wich: "which" },
  ...{ whcih: "which", didd: "did", dose: "does", abuot: "about", abotu: "about", abt: "about", teh: "the" },
  ...{ cacth: "catch", summerize: "summarize", summerise: "summarise", rember: "remember", remeber: "remember" },
  ...{ waat: "what", wats: "what's", whos: "who's", wheres: "where's", whens: "when's", whats: "what's" },
};

/** Letters or digits of any script. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The words of a question as they were typed, without marks around them. */
export function wordsOf(text: string): string[] {
  return text.match(/<[@#][!&]?\d+>|[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_'.-]*[\p{L}\p{M}\p{N}_]|[\p{L}\p{N}]/gu) ?? [];
}
