import type { Language } from "../../language/language.ts";
import { detectLanguage, ENGLISH, LANGUAGES } from "../../language/languages.ts";
import { isStopWord } from "../search/stop-words.ts";
import { tellsTime } from "../search/time-question.ts";
import { findCues, isMarkedAsQuestion } from "../summary/cue-phrases.ts";
import { withoutCode } from "../text/without-code.ts";
import { toSocial } from "./question-kind.ts";
import { repairSpelling, wordsOf } from "./question-text.ts";
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
const CLAUSE = new Set(
  `i i'm i'll i've you're he he's she she's it it's we we're we'll they they're is isn't are aren't was wasn't were will won't would can
  can't cannot could should must has hasn't have haven't had do don't does doesn't did didn't not no nope yes yep yeah there's that's now
  ich du er es wir ist sind war waren wird werden wurde wurden hat haben hatte kann können muss soll nicht kein keine nein ja doch jetzt
  son fue fueron está están será hay han tiene tienen sí ya ahora c'est est sont était sera ont avait il elle je j'ai nous pas non oui
  é são foi está estão será tem têm há não sim já agora è sono hanno non zijn heeft hebben niet nee jest są był była było nie tak
  это есть был была было будет не нет да değil var yok oldu لا ليس نعم
  brings takes starts ends opens closes begins comes goes leaves needs wants meets stays won lost got found beginnt startet endet bringt
  kommt geht gibt nimmt heißt liegt steht bleibt gewann abgesagt verschoben gefunden commence finit apporte vient va annulé annulée
  reporté reportée empieza termina trae viene cierra ganó cancelado cancelada aplazado aplazada começa traz vem fecha ganhou adiado adiada`.split(
    /\s+/u,
  ),
);
/** "Mark brings the keys", "race cancelled": a verb before its object, and one that tells what became of something. */
const VERB =
  /(?<![\p{L}'])(?<word>[\p{L}']+) (?:the|a|an|das|die|den|dem|ein|eine|einen|le|la|les|un|une|el|los|las|una|unos|unas) \p{L}|(?<!\p{L})\p{L}{3,}ed$/iu;
/** "At ten", "under the pier": that answers something. */
const PLACED =
  /^(?:at|in|on|by|under|behind|beside|near|next to|until|till|after|before|am|um|im|bei|beim|unter|hinter|neben|vor|ab|bis|auf|à|au|aux|dans|sur|sous|chez|derrière|après|avant|a las?|al|en|bajo|detrás|cerca|después|antes|às|ao|no|na|em|sob|atrás|depois|até) /iu;
/** Languages that have a list of stop words only. */
const OTHER_QUESTIONS =
  /^(?:(?:en|e|ed|i|a|и|а|ve|و) )?(?:wanneer|waar|waarom|hoe|hoeveel|wie|wat|welke?|quando|dove|chi|cosa|che cosa|perché|quanto|quanti|quale|quali|kiedy|gdzie|kto|co|dlaczego|jak|ile|jaki|jaka|jakie|który|która|czy|когда|где|кто|что|почему|зачем|как|сколько|какой|какая|какие|куда|откуда|متى|أين|اين|من|ما|ماذا|كيف|لماذا|هل|كم)(?![\p{L}\p{N}])|(?<![\p{L}])(?:ne zaman|nerede|nereye|kim|neden|nasıl|hangi|kaç)(?![\p{L}])|(?<![\p{L}])(?:mi|mı|mu|mü)$/iu;

/**
 * At least half of what a message says asks for something: then the message does. Greetings and thanks do not count. As much that tells a number, a
 * time, a place or a decision makes it a statement: "the 26th? no, the 27th".
 */
export function toMessageForm(text: string): MessageForm {
  const plain = withoutCode(text.slice(0, MAX_LENGTH).toWellFormed().normalize("NFC"))
    .replaceAll(/<@[!&]?\d+>/gu, " ")
    .replaceAll(/[’ʼ`´]/gu, "'")
    .replace(CHECKED, "");
  const sentences = toSentences(plain);
  if (sentences.every(isMarkedAsQuestion)) return sentences.length > 0 ? "asks" : "names";
  const language = detectLanguage(plain.slice(0, MAX_LANGUAGE_LENGTH));
  const said = sentences.filter((sentence) => toSocial(bare(sentence), language.asks) === null);
  const told = said.filter((sentence) => !asks(sentence, language));
  const asking = said.length - told.length;
  if (asking > 0 && asking > (told.some(tellsValue) ? told.length : told.length - 1)) return "asks";
  const whole = said.join(" ");
  if (asking > 0 || !namesOnly(whole)) return "states";
  return PLEASE.test(bare(whole)) ? "asks" : "names";
}

function asks(sentence: string, { code, asks: words }: Language): boolean {
  if (isMarkedAsQuestion(sentence)) return true;
  const plain = bare(sentence).replace(OPENING, "");
  // Few words often do not tell the language.
  if (LANGUAGES.some((each) => each.asks.requests.test(plain))) return true;
  const whole = [words.help, words.more, words.whoSaidIt, words.whenWasIt, words.whereWasIt, words.why];
  if (whole.some((pattern) => pattern.test(plain))) return true;
  if (plain.length > MAX_UNMARKED_LENGTH || ASKS_NOTHING.test(plain)) return false;
  if (!/[,、:;]\s*\S/u.test(plain) && REQUESTS.test(plain)) return true;
  if (code === "en") {
    if (WITHOUT_SUBJECT.test(plain)) return false;
    const isAsked = isQuestion(repairSpelling(sentence.trim().replace(OPENING, ""), ENGLISH));
    return isAsked || WHO_KNOWS.test(plain) || asksOtherwise(plain, code);
  }
  // "Wer mitkommt, meldet sich bei Mark": what begins like a question and goes on after a comma states something.
  if (/[,、:;]\s*\S/u.test(plain) || (code === "ja" && PREDICATE.test(plain))) return false;
  if (asksOtherwise(plain, code)) return true;
  return words.wanted.some(([pattern, wanted]) => wanted !== "said" && wanted !== "yes_no" && pattern.test(plain));
}

/**
 * Languages without a word list are taken for one that has some of their words. Longer sentences, and those that tell a number, are rather two clauses:
 * "quando piove ci vediamo nel capannone".
 */
function asksOtherwise(plain: string, code: Language["code"]): boolean {
  const at = OTHER_QUESTIONS.exec(plain)?.index;
  if (at === undefined || code === "de" || (at > 0 && code !== "en")) return false;
  return wordsOf(plain).length <= MAX_WORDS_NAMED && !/\p{N}/u.test(plain);
}

function tellsValue(sentence: string): boolean {
  const plain = bare(sentence);
  return /\p{N}/u.test(plain) || PLACED.test(plain) || findCues(plain).isDecision || wordsOf(plain).some(tellsTime);
}

/** "Is on the 26th", "has been moved", "have the keys, will bring them": a verb whose subject is left out. */
const WITHOUT_SUBJECT =
  /^(?:(?:and|so|but|ok) )*(?:(?:is|are|was|were|has|have|does|do|did|can|could|will|would|should) (?:be|been|not|never|now|still|already|only|just|also|always|probably|at|in|on|by|under|behind|beside|near|until|after|before|from|(?:the )?\d\S*$|\p{L}{3,}ed(?!\p{L}))|did (?:it|that|this)(?!\p{L})|(?:have|has|did|does|would|will|can|could|should) [^,]+, (?:i|i'm|i'll|he|he's|she|she's|it|it's|we|they|there|will|all) |how (?:we|i|they) [^:]+: )/iu;
/** Sayings that begin with a question word: "as always", "every year". */
const ASKS_NOTHING =
  /^(?:(?:wann|wo|wie|wer|was) (?:auch )?immer|wie (?:gesagt|üblich|besprochen|vereinbart)|quand (?:il|on|je) \p{L}+ (?:on|il|nous|je)|(?:cuando|quando) (?:llueve|llueva|puedas|quieras|llegues|vengas|chove|chover|puder|quiser|chegar|vier|piove)|(?:como|donde|onde|come) (?:siempre|sempre|dije|dicho|disse|detto)|quien(?:es)? (?:venga|quiera|pueda|necesite|tenga|vaya)n?|quem (?:vier|quiser|puder|tiver|precisar|for)|jak (?:zawsze|zwykle|co|już|mówi\p{L}*)|co (?:roku|dzień|tydzień|miesiąc|wieczór|rano)|gdzie indziej|как (?:всегда|обычно|уже)|что касается|wat (?:mij|ons) betreft|hoe dan ook|من (?:المهم|الممكن|أجل)|ما (?:زال|زالت|دام)|いつも|いつでも|何でも|誰でも|どこでも|언제나|언제든|누구나|어디나)(?!\p{Script=Latin})/iu;

/** After a statement: "it is the 27th, got it?" */
const CHECKED =
  /, ?(?:ok|okay|got it|understood|all ?right|verstanden|klar|d'accord|compris|vale|entendido|tá)\s*\?+\s*$/iu;
/** Requests, and questions that the word lists do not know: a question word with the verb right after it, say. */
const REQUESTS = new RegExp(
  `^(?:${[
    "(?:any|got any) (?:news|updates?|info|idea|word)|(?:anything|info|news|details) (?:on|about)|need (?:info|help|details)",
    "ich wüsste gern|gibt(?: es|'s) (?:schon |was |etwas )?(?:neues|neuigkeiten|infos?)|(?:weißt|weisst) du",
    "was (?:ist|sind|war|weißt|weisst|wisst|gibt|gibt's|gibts|hat|haben|sagt|sagte|macht|passiert|läuft|bedeutet|soll|wird)|welche[rsmn]? \\p{L}+ \\p{L}+",
    "wie (?:komme?|geht|steht|sieht|läuft|funktioniert|mache?|kann|soll|war|ist)|(?:ist|sind|hat|haben|findet|kommt|kann) (?:jemand|es|man|ihr|wir)",
    "est-ce qu(?:e|'\\p{L}+)|qu'est-ce qu(?:e|i|'\\p{L}+)|sais-tu|savez-vous|quel(?:le)?s? (?:est|sont|était|jour|heure)|que (?:sais|dit|disent|fait|signifie)",
    "c'est (?:quoi|où|quand|comment|combien)|comment (?:aller|faire|on|va|ça|je|est|sont)|y a-t-il|a-t-on|as-tu|avez-vous|peut-on",
    "qué (?:es|son|fue|dijo|dice|dijeron|sabes|pasa|pasó|hay|significa|hora|día)|cuál(?:es)? (?:es|son|fue)|cómo (?:llego|es|se|está|puedo|hago|va|funciona)",
    "o que (?:é|são|foi|você|vc|disse|aconteceu|há|tem|significa)|qua(?:l|is) (?:é|foi|são|era)|como (?:chego|faço|posso|funciona|está|vai)",
    "(?:kto|kiedy|gdzie|dlaczego|czy) \\p{L}+ \\p{L}+$|czy wiesz|powiedz|pokaż|podsumuj",
    "dimmi|mostrami|riassumi|sai (?:chi|quando|dove|se|cosa)|vertel (?:me|ons)|weet (?:jij|je|u|iemand)",
    "скажи|подскажи|покажи|расскажи|ты знаешь|söyle|göster|anlat|أخبرني|قل لي",
  ].join("|")})(?![\\p{L}])`,
  "iu",
);
/** "Regatta info please" */
const PLEASE =
  /(?<!\p{L})(?:please|pls|plz|bitte|por favor|stp|svp|s'il (?:te|vous) plaît|proszę|per favore|пожалуйста)$/iu;
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
  if (/\p{N}|https?:\/\//u.test(text) || PLACED.test(text) || ASKS_NOTHING.test(text)) return false;
  if (WITHOUT_SPACES.test(text)) return !PREDICATE.test(text) && text.length <= MAX_LETTERS_NAMED;
  const words = wordsOf(text);
  const verb = VERB.exec(text);
  if (verb && !isStopWord((verb.groups?.["word"] ?? "").toLowerCase())) return false;
  return words.length <= MAX_WORDS_NAMED && !words.some((word) => CLAUSE.has(word.toLowerCase()) || tellsTime(word));
}
