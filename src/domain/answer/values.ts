import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { foldBare } from "../search/keywords.ts";
import { isKnownWord } from "./known-words.ts";
import type { Wanted } from "./languages/language-words.ts";
import { stemsOf, type Topic } from "./topic.ts";

const NUMBER_WORD =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|hundred|dozen|half|noon|midnight";
const DAY =
  "mondays?|tuesdays?|tues|wednesdays?|thursdays?|thurs|fridays?|saturdays?|sundays?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|segunda|terça|quarta|quinta|sexta";
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|march|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre";
const SPAN = "minutes?|hours?|days?|weeks?|months?|years?";

/** Kinds of times, the best answer to "when" first. */
const DATES = toPatterns(
  [
    String.raw`\d{4}-\d{2}-\d{2}`,
    String.raw`(?:the )?\d{1,2}(?:st|nd|rd|th)(?: (?:of )?(?:${MONTH}))?(?:\*\*)?(?:,? (?:at )?\d{1,2}[:.]\d{2})?`,
    String.raw`(?:${MONTH})\.? \d{1,2}(?:st|nd|rd|th)?|\d{1,2}\.? (?:de )?(?:${MONTH})|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?`,
  ].join("|"),
  [
    String.raw`\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m|\d{1,2} uhr|\d{1,2}h\d{0,2}`,
    `(?:quarter|half|ten|five|twenty) (?:to|past) (?:${NUMBER_WORD})`,
    `(?:at|by|until|till|around|from|since|um|bis) (?:about )?(?:${NUMBER_WORD})(?: (?:sharp|o'clock|in the (?:morning|evening|afternoon)))?`,
    `(?:${NUMBER_WORD}) (?:sharp|o'clock|in the (?:morning|evening))`,
    `(?:on |every |next |this |last |until )?(?:${DAY})(?: (?:morning|afternoon|evening|night|after lunch))?`,
    `tomorrow(?: (?:morning|afternoon|evening|at \\p{L}+))?|(?:until|in|since) (?:${MONTH}|spring|summer|autumn|winter|\\d{4})`,
  ].join("|"),
  [
    "tonight|today|yesterday|this (?:morning|evening|afternoon|weekend|week)|next (?:week|month|year|spring|summer|autumn|winter)",
    "end of (?:the |this |next )?(?:week|month|year|quarter)|this (?:week|month)",
    `in (?:\\d+|${NUMBER_WORD}|a) (?:${SPAN})|(?:\\d+|${NUMBER_WORD}) (?:to (?:\\d+|${NUMBER_WORD}) )?(?:working )?(?:${SPAN})(?: ago)?`,
    "heute|morgen|übermorgen|gestern|mañana|hoy|ayer|demain|amanhã|hoje",
    "\\d{1,2}\\s?(?:日|月\\d{0,2}日?|時|시|일|월)|明日|今日|昨日|내일|오늘|어제",
  ].join("|"),
);

const UNIT =
  "%|°|percent|degrees?|knots?|kn|km|m²|m|cm|mm|kg|g|l|ml|h|hrs?|mins?|min|seconds?|s|euros?|€|\\$|£|quid|gb|mb|kb|volts?|v|a|w|mhz|ghz|khz|hz|db|dbm|nf|ohm|people|messages|feet|ft|metres?|meters?|miles?|votes?|lines?|files?|times|things";
const NUMBERS = toPatterns(
  String.raw`\d[\d.,:/]*(?:[-–][\d.,]+)?(?: ?(?:${UNIT}|${SPAN}|to \d+|x \d+))?|[€$£]\d[\d.,]*`,
  String.raw`(?!(?:one|half) )(?:${NUMBER_WORD})(?: (?:to|and) (?:${NUMBER_WORD}))?(?: (?:${UNIT}|${SPAN}|\p{L}+s))?`,
);

const THING = String.raw`(?!(?:it|that|this|them|me|you|time|case|fact|general|all|one|about|then|now|least|first|once|${DAY}|${NUMBER_WORD})(?![\p{L}\p{N}]))[\p{L}\p{N}'-]+(?: (?!and |but |if |because )[\p{L}\p{N}'-]+){0,4}`;
const ARTICLE = "the |a |an |our |my |your |his |her |der |die |das |dem |den |el |la |le |les |o |os |as ";
const PLACES = toPatterns(
  `(?:in|at|under|behind|beside|next to|near|inside|outside|above|below|left of|right of|between|unter|hinter|neben|en|sur|sous|em|dans) (?:${ARTICLE})?${THING}|(?:on|by|off|bei|auf) (?:${ARTICLE})${THING}|(?:top|bottom|left|right|second|third) (?:drawer|shelf|floor)[\\p{L} ]*|drawer \\d+|\\S+/\\S+\\.\\w{2,5}`,
);

const FIRST_PERSON = /(?<![\p{L}])(?:i|i'm|i've|i'll|i'd|me|mine|my|ich|yo|je|eu|mein)(?![\p{L}])/iu;
/** Speaks of oneself, and says that it was somebody else or that one does not know. */
const UNSURE =
  /(?<![\p{L}])(?:i (?:do not|don't|didn't|did not|can't|couldn't|would|wouldn't|wish|wonder|doubt|thought|think|guess|hope|know)|not me|no idea|idk|dunno)(?![\p{L}])/iu;
/** People are mentioned, known by name, or written with a capital where no sentence begins. */
const NAMES = [/<@!?\d+>|(?<![\p{L}\p{N}'])[\p{L}\p{M}][\p{L}\p{M}-]+/gu];
const BEFORE_CAPITAL = /[\p{Ll}\p{N},)] $/u;
const CAPITALISED = /^\p{Lu}\p{Ll}+$/u;
const TITLES = [
  /'[^']{2,40}'|(?<=["“„«])[^"“”„«»]{2,40}(?=["“”»])/gu,
  /(?<=[\p{L}\p{N},:)] )(?!I\b|I'|OK\b|The\b)\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*/gu,
];
/** Speaks of what something is called. */
export const NAMING =
  /(?<![\p{L}])(?:name[ds]?|call(?:s|ed)?|known as|heißt|llama|appelle|chama)(?![\p{L}])|名前|이름/iu;

function toPatterns(...sources: readonly string[]): RegExp[] {
  return sources.map((source) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "giu"));
}

export interface ValueRequest {
  readonly wanted: Wanted;
  readonly author: string;
  readonly topic: Topic;
  /** Names of those who speak in what was found, word by word, without case and accents. */
  readonly people: ReadonlySet<string>;
}

/** The part of a sentence that answers the question, as written; null when it holds none. For "who" the author may be the answer. */
export function findValue(sentence: string, { wanted, author, topic, people }: ValueRequest): string | null {
  if (wanted === "when") return nearest(sentence, DATES, topic);
  if (wanted === "how_many") return nearest(sentence, NUMBERS, topic);
  if (wanted === "where") return nearest(sentence, PLACES, topic);
  if (wanted === "name") {
    // Those who speak are thanked and addressed by name: that is not what something is called.
    const isNoTitle = (title: string) => isTopicWord(title, topic) || people.has(foldBare(title));
    return NAMING.test(sentence) || isNamed(sentence, topic) ? nearest(sentence, TITLES, topic, isNoTitle) : null;
  }
  if (wanted !== "who") return null;
  const isNobody = (name: string, words: Topic, at: number) =>
    isTopicWord(name, words) || !isName(name, sentence.slice(0, at), people);
  if (FIRST_PERSON.test(sentence) && !UNSURE.test(sentence)) return author;
  return nearest(sentence, NAMES, topic, isNobody);
}

/** A kind that comes later is worth this many characters. */
const KIND_COUNTS = 12;
const DENIED = /(?:\bnot|\bno longer|\binstead of|\bfrom|n't) (?:on |at |the )?$/iu;

/** Of several values the one that stands next to what was asked about: "party on the 27th, launch on the 30th". */
function nearest(
  sentence: string,
  patterns: readonly RegExp[],
  topic: Topic,
  isOut: (value: string, topic: Topic, at: number) => boolean = () => false,
): string | null {
  const places = placesOf(sentence, topic);
  const isBefore = patterns === NUMBERS;
  let best: { readonly value: string; readonly far: number } | null = null;
  for (const [kind, pattern] of patterns.entries())
    for (const { 0: found, index } of sentence.matchAll(pattern)) {
      if (isOut(found, topic, index)) continue;
      const distance = distanceTo(places, { from: index, to: index + found.length }, isBefore);
      const isDenied = DENIED.test(sentence.slice(Math.max(0, index - 20), index));
      const far = distance + kind * KIND_COUNTS + (isDenied ? 100 : 0);
      if (!best || far < best.far) best = { value: found.trim().replace(/[,.:]+$/u, ""), far };
    }
  return best?.value ?? null;
}

interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** Characters to the nearest word of the topic. What comes before that word is further away, unless that is usual: "22 clamps". */
function distanceTo(places: readonly TextSpan[], { from, to }: TextSpan, isBefore: boolean): number {
  if (places.length === 0) return from;
  return Math.min(
    ...places.map((at) => (at.to <= from ? from - at.to : (isBefore ? 1 : 3) * Math.max(0, at.from - to))),
  );
}

/** Where words of the topic stand. */
function placesOf(sentence: string, topic: Topic): TextSpan[] {
  return [...sentence.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: word, index }) => {
    const stems = stemsOf(word);
    return topic.some(({ alternatives }) => [...alternatives.keys()].some((stem) => stems.has(stem)))
      ? [{ from: index, to: index + word.length }]
      : [];
  });
}

function isName(word: string, before: string, people: ReadonlySet<string>): boolean {
  if (word.startsWith("<@")) return true;
  const bare = foldBare(word);
  if (people.has(bare)) return !isOrdinaryWord(bare) && (CAPITALISED.test(word) || !isKnownWord(bare));
  return !isKnownWord(bare) && CAPITALISED.test(word) && BEFORE_CAPITAL.test(before);
}

/** "my dog Mungo" says the name. */
function isNamed(sentence: string, topic: Topic): boolean {
  return placesOf(sentence, topic).some(({ to: at }) =>
    /^(?:,|:| is| no\. \d+ is)? \p{Lu}\p{Ll}/u.test(sentence.slice(at, at + 14)),
  );
}

function isTopicWord(value: string, topic: Topic): boolean {
  const stems = stemsOf(value);
  return topic.some(({ stem }) => stems.has(stem));
}

/** Whether two values say the same: "the 26th" and "26th". */
export function sameValue(a: string, b: string): boolean {
  const bare = (value: string) =>
    value
      .toLowerCase()
      .replaceAll(/^(?:the|on|at|by|until|in|every|next|this) /gu, "")
      .replaceAll(/[^\p{L}\p{N}]/gu, "");
  const [one, other] = [bare(a), bare(b)];
  return one === other || one.includes(other) || other.includes(one);
}
