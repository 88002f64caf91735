import { tellsTime } from "../search/time-question.ts";
import { isMarkedAsQuestion } from "../summary/cue-phrases.ts";
import { withoutCode } from "../text/without-code.ts";
import { detectLanguage, LANGUAGES } from "./language.ts";
import { type Language, wordSet } from "./languages/language-words.ts";
import { repairSpelling } from "./mistyped.ts";
import { toSocial } from "./question-kind.ts";
import { wordsOf } from "./question-text.ts";
import { isQuestion, toSentences } from "./sentences.ts";

/** What a message does, by its form alone. `names`: a few words that neither ask nor state anything, "regatta date" say. */
export type MessageForm = "asks" | "states" | "names";

/** More is read of no message. */
const MAX_LENGTH = 2_000;
/** The language shows in the beginning. */
const MAX_LANGUAGE_LENGTH = 200;
/** Without a mark at its end, a longer sentence is no question. */
const MAX_UNMARKED_LENGTH = 160;
const MAX_WORDS_NAMED = 5;
/** In scripts without spaces. */
const MAX_LETTERS_NAMED = 15;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** How statements end in Japanese and Korean. */
const PREDICATE =
  /(?:です|ます|した|ません|だ|だよ|よ|ね|った|いる|ある|ない|んだ|다|요|음|임|함|됨|네|야|어|지)[。.!！~〜\s]*$/u;
/** A text with one of these is a sentence, in the languages of the word lists. */
const CLAUSE = wordSet(
  `i i'm i'll i've you're he he's she she's it it's we we're we'll they they're is isn't are aren't was wasn't were will won't would can
  can't cannot could should must has hasn't have haven't had do don't does doesn't did didn't not no nope yes yep yeah there's that's now
  ich du er es wir ist sind war waren wird werden wurde wurden hat haben hatte kann können muss soll nicht kein keine nein ja doch jetzt
  son fue fueron está están será hay han tiene tienen sí ya ahora c'est est sont était sera ont avait il elle je j'ai nous pas non oui
  é são foi está estão será tem têm há não sim já agora è sono hanno non zijn heeft hebben niet nee jest są był była było nie tak
  это есть был была было будет не нет да değil var yok oldu لا ليس نعم`,
);
/** "At ten", "under the pier": that answers something. */
const PLACED =
  /^(?:at|in|on|by|under|behind|beside|near|next to|until|till|after|before|am|um|im|bei|beim|unter|hinter|neben|vor|ab|bis|auf|à|au|aux|dans|sur|sous|chez|derrière|après|avant|a las?|al|en|bajo|detrás|cerca|después|antes|às|ao|no|na|em|sob|atrás|depois|até) /iu;
/** Languages that have a list of stop words only. */
const OTHER_QUESTIONS =
  /^(?:(?:en|e|ed|i|a|и|а|ve|و) )?(?:wanneer|waar|waarom|hoe|hoeveel|wie|wat|welke?|quando|dove|chi|cosa|che cosa|perché|quanto|quanti|quale|quali|kiedy|gdzie|kto|co|dlaczego|jak|ile|jaki|jaka|jakie|który|która|czy|когда|где|кто|что|почему|зачем|как|сколько|какой|какая|какие|куда|откуда|متى|أين|اين|من|ما|ماذا|كيف|لماذا|هل|كم)(?![\p{L}\p{N}])|(?<![\p{L}])(?:ne zaman|nerede|nereye|kim|neden|nasıl|hangi|kaç)(?![\p{L}])|(?<![\p{L}])(?:mi|mı|mu|mü)$/iu;

/** At least half of what a message says asks for something: then the message does. Greetings and thanks do not count. */
export function toMessageForm(text: string): MessageForm {
  const plain = withoutCode(text.slice(0, MAX_LENGTH).toWellFormed().normalize("NFC"))
    .replaceAll(/<@[!&]?\d+>/gu, " ")
    .replaceAll(/[’ʼ`´]/gu, "'");
  const sentences = toSentences(plain);
  if (sentences.every(isMarkedAsQuestion)) return sentences.length > 0 ? "asks" : "names";
  const language = detectLanguage(plain.slice(0, MAX_LANGUAGE_LENGTH));
  const said = sentences.filter((sentence) => toSocial(bare(sentence), language.asks) === null);
  const asking = said.filter((sentence) => asks(sentence, language)).length;
  if (asking > 0 && 2 * asking >= said.length) return "asks";
  return asking === 0 && namesOnly(said.join(" ")) ? "names" : "states";
}

function asks(sentence: string, { code, asks: words }: Language): boolean {
  if (isMarkedAsQuestion(sentence)) return true;
  const plain = bare(sentence).replace(OPENING, "");
  // Few words often do not tell the language.
  if (LANGUAGES.some((each) => each.asks.imperative.test(plain))) return true;
  const { follow } = words;
  const whole = [words.help, follow.more, follow.whoSaidIt, follow.whenWasIt, follow.whereWasIt, follow.why];
  if (whole.some((pattern) => pattern.test(plain))) return true;
  if (plain.length > MAX_UNMARKED_LENGTH) return false;
  if (code === "en") {
    const isAsked = isQuestion(repairSpelling(sentence.trim().replace(OPENING, "")));
    return isAsked || WHO_KNOWS.test(plain) || OTHER_QUESTIONS.test(plain);
  }
  // "Wer mitkommt, meldet sich bei Mark": what begins like a question and goes on after a comma states something.
  if (/[,、:;]\s*\S/u.test(plain) || (code === "ja" && PREDICATE.test(plain))) return false;
  return words.wanted.some(([pattern, wanted]) => wanted !== "said" && wanted !== "yes_no" && pattern.test(plain));
}

/** Alone that asks nothing. */
const WHO_KNOWS = /^(?:(?:and|so|but) )*who knows (?:about|where|when|how|what|who|which|if|the|a|any)(?![\p{L}])/iu;
/** Before what is asked. */
const OPENING = /^(?:(?:now|again|also|well|then|please|pls|btw|yo|hi|hello|right|one more|next)(?:[,:!]\s*|\s+))+/iu;

function bare(sentence: string): string {
  return sentence
    .trim()
    .replace(/^[¿¡\s\p{P}\p{S}]+/u, "")
    .replace(/(?:[\s?!.…？！。\p{ExtPict}]|\u{fe0f}|\u{200d})+$/u, "");
}

/** Few words, none of which makes a sentence or tells a number, a time or a link. */
function namesOnly(text: string): boolean {
  if (/\p{N}|https?:\/\//u.test(text) || PLACED.test(text)) return false;
  if (WITHOUT_SPACES.test(text)) return !PREDICATE.test(text) && text.length <= MAX_LETTERS_NAMED;
  const words = wordsOf(text);
  return words.length <= MAX_WORDS_NAMED && !words.some((word) => CLAUSE.has(word.toLowerCase()) || tellsTime(word));
}
