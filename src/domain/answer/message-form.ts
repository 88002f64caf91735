import type { Language, QuestionWords } from "../../language/language.ts";
import { detectLanguage, ENGLISH, READ } from "../../language/languages.ts";
import { isStopWord } from "../search/stop-words.ts";
import { tellsTime } from "../search/time-question.ts";
import { findCues, isMarkedAsQuestion } from "../summary/cue-phrases.ts";
import { withoutCode } from "../text/without-code.ts";
import { repairSpelling, toSocial, wordsOf } from "./question-kind.ts";

/** What a message does, by its form alone. `names`: a few words that neither ask nor state anything, "regatta date" say. */
export type MessageForm = "asks" | "states" | "names";

const MAX_LENGTH = 2_000;
const MAX_LANGUAGE_LENGTH = 200;
/** Without a mark at its end, a longer sentence is no question. */
const MAX_UNMARKED_LENGTH = 160;
const MAX_WORDS_NAMED = 5;
const MAX_LETTERS_NAMED = 15;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** It asks if half of its sentences do, greetings and thanks apart. As many that tell a value make it a statement: "the 26th? no, the 27th". */
export function toMessageForm(text: string): MessageForm {
  const plain = withoutCode(text.slice(0, MAX_LENGTH).toWellFormed().normalize("NFC"))
    .replaceAll(/<@[!&]?\d+>/gu, " ")
    .replaceAll(/[’ʼ`´]/gu, "'");
  const language = detectLanguage(plain.slice(0, MAX_LANGUAGE_LENGTH));
  const sentences = toSentences(plain);
  const said = sentences.filter((sentence) => toSocial(bare(sentence), language.asks) === null);
  const told = said.filter((sentence) => !asks(sentence, language));
  const asking = said.length - told.length;
  if (asking > 0 && asking > (told.some(tellsValue) ? told.length : told.length - 1)) return "asks";
  return asking > 0 || !namesOnly(said.join(" ")) ? "states" : "names";
}

/** Few words often do not tell the language. */
function inAny(test: (words: QuestionWords) => boolean | undefined): boolean {
  return READ.wordLists.some((language) => test(language.asks));
}

function asks(sentence: string, { code, asks: words }: Language): boolean {
  const plain = bare(sentence);
  if (inAny(({ asksNothing }) => asksNothing.test(plain))) return false;
  if (isMarkedAsQuestion(sentence)) return true;
  if (inAny(({ requests, alsoAsks }) => requests.test(plain) || alsoAsks.test(plain))) return true;
  const { help, more, whoSaidIt, whenWasIt, whereWasIt, why } = words;
  if ([help, more, whoSaidIt, whenWasIt, whereWasIt, why].some((phrases) => phrases.test(plain))) return true;
  if (plain.length > MAX_UNMARKED_LENGTH) return false;
  if (code === "en") return words.openings.readings(repairSpelling(sentence.trim(), ENGLISH)).some(isQuestion);
  // "Wer mitkommt, meldet sich bei Mark": what begins like a question and goes on after a comma states something.
  if (/[,、:;]\s*\S/u.test(plain) || (code === "ja" && words.statementEnding?.test(plain))) return false;
  return words.wanted.some(([phrases, wanted]) => wanted !== "said" && wanted !== "yes_no" && phrases.test(plain));
}

function tellsValue(sentence: string): boolean {
  const plain = bare(sentence);
  const isPlaced = inAny(({ placed }) => placed.test(plain));
  return isPlaced || /\p{N}/u.test(plain) || findCues(plain).isDecision || wordsOf(plain).some(tellsTime);
}

function bare(sentence: string): string {
  return sentence
    .trim()
    .replace(/^[¿¡\s\p{P}\p{S}]+/u, "")
    .replace(/(?:[\s?!.…？！。\p{ExtPict}]|\u{fe0f}|\u{200d})+$/u, "");
}

/** Few words, none of which makes a sentence or tells a number, a time or a link. */
function namesOnly(text: string): boolean {
  if (/\p{N}|https?:\/\//u.test(text)) return false;
  const isStated = ({ placed, asksNothing, statementEnding }: QuestionWords) =>
    placed.test(text) || asksNothing.test(text) || statementEnding?.test(bare(text));
  if (inAny(isStated)) return false;
  if (WITHOUT_SPACES.test(text)) return text.length <= MAX_LETTERS_NAMED;
  const words = wordsOf(text);
  // "Mark brings the keys": a verb before its object.
  const isVerb = (word: string, next: string | undefined) =>
    next !== undefined && !isStopWord(word) && inAny(({ articles }) => articles.has(next));
  const lower = words.map((word) => word.toLowerCase());
  const states = (word: string, index: number) =>
    tellsTime(word) || isVerb(word, lower[index + 1]) || inAny(({ clauseWords }) => clauseWords.has(word));
  return words.length <= MAX_WORDS_NAMED && !lower.some(states);
}

/** At most 200 characters, which end at a comma or a space where there is one. */
const PIECE = /.{1,200}$|.{1,199}[,;:](?=\s)|.{1,200}(?=\s)|.{1,200}/gu;

const ABBREVIATION = String.raw`(?:^|\s)(?:dr|mr|mrs|ms|st|no|vs|etc|e\.g|i\.e|approx|nr|sr|sra|prof)`;
const LIST_NUMBER = String.raw`(?:^|[.!?…]\s)\s*\d+`;
const BETWEEN_SENTENCES = new RegExp(
  String.raw`(?<=(?:[!?…。！？]|(?<!${ABBREVIATION}|${LIST_NUMBER})\.)["'”’)]{0,3})(?=\s|\p{Lo})`,
  "iu",
);

/** The sentences of a message in order. Code, quotations of others and empty lines fall away. */
export function toSentences(content: string): string[] {
  return content
    .replaceAll(/```[\s\S]*?(?:```|$)/gu, "\n")
    .split("\n")
    .filter((line) => !/^>/u.test(line))
    .map((line) => line.replace(/^\s*(?:#{1,3} |-# |[-*•] )/u, "").replaceAll(/\*\*|__|~~|\|\|/gu, ""))
    .flatMap((line) => line.split(BETWEEN_SENTENCES).flatMap((sentence) => sentence.match(PIECE) ?? []))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Chat often asks without a question mark; some ask whatever mark is at the end: "does anyone have a cable." */
export function isQuestion(sentence: string): boolean {
  if (isMarkedAsQuestion(sentence)) return true;
  const bare = sentence.replace(/^(?:<@!?\d+>|[^\p{L}\p{N}<])+/u, "").trim();
  if (inAny(({ alwaysAsks }) => alwaysAsks.test(bare))) return true;
  if (/[.!]$/u.test(bare) || bare.length >= MAX_UNMARKED_LENGTH) return false;
  return inAny(({ asks, asksLater, exclaims }) => asksLater.test(bare) || (asks.test(bare) && !exclaims.test(bare)));
}
