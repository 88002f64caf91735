/** Longer sentences are cut at a comma or a space. */
const MAX_SENTENCE_LENGTH = 200;

const ABBREVIATION = /(?:^|\s)(?:dr|mr|mrs|ms|st|no|vs|etc|e\.g|i\.e|approx|nr|sr|sra|prof)\.$/iu;

/** The sentences of a message in order. Code, quotations of others and empty lines fall away. */
export function toSentences(content: string): string[] {
  return content
    .replaceAll(/```[\s\S]*?(?:```|$)/gu, "\n")
    .split("\n")
    .filter((line) => !/^>/u.test(line))
    .map((line) => line.replace(/^\s*(?:#{1,3} |-# |[-*•] )/u, "").replaceAll(/\*\*|__|~~|\|\|/gu, ""))
    .flatMap(splitLine)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function splitLine(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of line.matchAll(/(?<![.!?…。！？])[.!?…。！？]+["'”’)]*(?=\s|$|[\p{Lo}])/gu)) {
    const end = index + mark.length;
    const part = line.slice(start, end);
    if (ABBREVIATION.test(part) || (/^\d+\.$/u.test(part.trim()) && mark === ".")) continue;
    parts.push(part);
    start = end;
  }
  if (start < line.length) parts.push(line.slice(start));
  return parts.flatMap(shorten);
}

/** Clauses that each fit. */
function shorten(sentence: string): string[] {
  if (sentence.length <= MAX_SENTENCE_LENGTH) return [sentence];
  const clauses = sentence.split(/(?<=[,;:])\s+/u).flatMap(cut);
  const parts: string[] = [];
  for (const clause of clauses) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + clause.length < MAX_SENTENCE_LENGTH)
      parts[parts.length - 1] = `${last} ${clause}`;
    else parts.push(clause);
  }
  return parts;
}

/** At spaces where there are some. */
function cut(clause: string): string[] {
  if (clause.length <= MAX_SENTENCE_LENGTH) return [clause];
  const space = clause.lastIndexOf(" ", MAX_SENTENCE_LENGTH);
  const end = space > 0 ? space : MAX_SENTENCE_LENGTH;
  return [clause.slice(0, end).toWellFormed(), ...cut(clause.slice(end).toWellFormed().trimStart())];
}

const QUESTION = /[?？؟]["'”’)\s\p{ExtPict}]*$/u;
/** Chat often asks without a question mark. */
const ASKS =
  /^(?:(?:and|so|but|ok|hey|wait|um|quick one,?|stupid question,?) )*(?:who|whose|what|when|where|why|how|which|is|are|was|were|does|do|did|has|have|can|could|will|would|should|anyone|anybody|has anyone|does anyone|wer|was|wann|wo|warum|wie|qué|quién|cuándo|dónde|cómo|qui|quand|où|pourquoi|comment|quem|quando|onde|como)\b(?!.*[!]$)(?!'s (?:it|that)\b)/iu;
/** Asks, whatever mark is at its end: "does anyone have a cable." */
const ASKS_ALL =
  /^(?:(?:and|so|but|ok|hey|hi|wait|um)[, ]+)*(?:(?:do|does|did|has|have|is|can|could|would|will) (?:anyone|anybody|someone|somebody|you|we|i)|who(?:'s| is| has| wants)|what about)(?![\p{L}])/iu;
/** Names what it asks about first: "the mast step, do we use oak". */
const ASKS_LATER =
  /[,:;] (?:(?:and|so|but) )?(?:do|does|did|should|shall|can|could|is|are|was|will|would|which|what|who|when|where|how|why) (?:we|you|i|they|he|she|it|one|the|this|that|is|are|do|does|did|much|many|long)(?![\p{L}'])[^.!]*$/iu;
/** Asks for something without asking. */
const SEEKS =
  /^(?:(?:hi|hey|hello|so|ok|also)[, !]+)*(?:i'?m |i am |still )?(?:looking for|searching for|in need of)(?![\p{L}])|^(?:any(?:one|body)|some(?:one|body))(?![\p{L}])(?! (?:is|was|has|said|who|should|could|found|left|else's)(?![\p{L}]))/iu;
/** "what a day", "how nice", "who cares" ask nothing. */
const EXCLAIMS =
  /^(?:what an? |how (?:lovely|nice|cool|funny|great)|who (?:cares|knows)|when (?:i|you|we|it|they|he|she|the) |where (?:i|you|we|it) |do (?:not|it|your|n't)|have a |is ok|will do|can confirm|can do|was |which (?:is|means|explains)|what (?:i|we|they|you) )/iu;

export function isQuestion(sentence: string): boolean {
  if (QUESTION.test(sentence)) return true;
  const bare = sentence.replace(/^(?:<@!?\d+>|[^\p{L}\p{N}<])+/u, "").trim();
  if (SEEKS.test(bare) || ASKS_ALL.test(bare) || ASKS_LATER.test(bare)) return true;
  return !/[.!]$/u.test(bare) && ASKS.test(bare) && !EXCLAIMS.test(bare) && bare.length < MAX_QUESTION_LENGTH;
}

const MAX_QUESTION_LENGTH = 160;
