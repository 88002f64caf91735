import { quote } from "../../domain/answer/compose.ts";
import { matchFact } from "../../domain/answer/fact-words.ts";
import { toTopicWords } from "../../domain/answer/topic.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { PassageOutput } from "../../tools/passage-fields.ts";
import { searchDocuments } from "../../tools/search-documents.ts";
import type { AgentAnswer } from "../answerer.ts";
import { type Asked, Citations, linesAnswer } from "./asked.ts";

/** "How do I …?", "what does the handbook say …?", "am I allowed …?", in the languages that are spoken. */
const HOW_TO = new RegExp(
  [
    String.raw`^(?:so |and |hey )?(?:how (?:do|can|could|should|must|would|does one|to)\b|what (?:does|do) the .{1,40} say\b`,
    String.raw`where (?:do|can|should) (?:i|we|one)\b|(?:may|can|am) (?:i|we)\b|is it allowed\b|are (?:\w+ ){1,4}allowed\b`,
    String.raw`wie (?:kann|muss|darf|soll|\w+e?n?) (?:ich|wir|man)\b|darf (?:ich|man)\b`,
    String.raw`¿?c[óo]mo\b|comment\b|como\b|puedo\b|posso\b)`,
  ].join("|"),
  "iu",
);
const HOW_TO_EAST_ASIAN = /どうやって|どうすれば|方法|어떻게/u;
/** How much of what is asked a passage has to speak of. */
const MIN_MATCH = 0.7;
const MAX_LOOKED_AT = 5;
const MAX_QUOTE_LENGTH = 500;
const NO_REACH = { scanned: null, from: null, isPartial: false };

/** Asks for what a handbook would say, rather than for what somebody said. */
export function isHowTo(text: string): boolean {
  return HOW_TO.test(text) || HOW_TO_EAST_ASIAN.test(text);
}

/** The passage of a document that is about the topic; null when none is. */
export async function answerFromDocuments(topic: string, asked: Asked): Promise<AgentAnswer | null> {
  const { language, toolbox, text } = asked;
  if (topic === "") return null;
  // The topic leaves out words that the ranking can use, such as "a year".
  const query = `${text} ${topic}`.slice(0, 500);
  const found = await toolbox.call(searchDocuments, { query, limit: MAX_LOOKED_AT }).catch(nothingIfRefused);
  const wanted = toTopicWords(topic, language);
  const best = found?.passages
    .map((passage) => ({ passage, match: matchPassage(passage, wanted) }))
    .reduce<Graded | null>((first, one) => (first && first.match >= one.match ? first : one), null);
  if (!found || !best || best.match < MIN_MATCH) return null;
  const citations = new Citations();
  const words = best.passage.text.replaceAll(/\s*\n\s*/gu, " ");
  const line = `${quote(words, MAX_QUOTE_LENGTH)} [${citations.passage(best.passage)}]`;
  const reach = { ...NO_REACH, isShared: found.note !== null };
  const turn = {
    ...{ tool: searchDocuments.name, args: { query }, question: text, language: language.code },
    ...{ people: [], shown: [], cursor: null },
  };
  return linesAnswer({ lines: [line], reach, citations, turn }, asked);
}

interface Graded {
  readonly passage: PassageOutput;
  readonly match: number;
}

/** A word of a heading says what the whole is about. */
function matchPassage({ document, headings, text }: PassageOutput, wanted: ReturnType<typeof toTopicWords>): number {
  return matchFact({ key: [document, ...headings].join(" "), text, name: null }, wanted);
}

/** A client, or somebody's role, may not search documents. */
function nothingIfRefused(error: unknown): null {
  if (error instanceof EarshotError && ["not_found", "invalid", "forbidden"].includes(error.code)) return null;
  throw error;
}
