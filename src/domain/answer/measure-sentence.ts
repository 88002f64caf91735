import type { Evidence } from "./evidence.ts";
import type { Wanted } from "./languages/language-words.ts";
import { matchWord, stemsOf, type Topic } from "./topic.ts";
import { findValue } from "./values.ts";

export interface MeasureRequest {
  readonly topic: Topic;
  /** How much each word of the topic counts. */
  readonly weights: readonly number[];
  readonly wanted: Wanted;
  readonly now: number;
  /** Asks for something of the author's own: "my dog" rather than "the dog". */
  readonly isOwn: boolean;
  /** See `ValueRequest`. */
  readonly people: ReadonlySet<string>;
}

/** How well a sentence answers. */
export interface MeasuredSentence {
  readonly evidence: Evidence;
  readonly sentence: string;
  /** The date, name, place or number that was asked for. */
  readonly value: string | null;
  /** How much of what was asked for it is about, 0 to 1. */
  readonly coverage: number;
  /** How much of that stands in the message itself, or in the question that it answers. */
  readonly direct: number;
  /** A word of the topic stands in the sentence, or in the question that it answers. */
  readonly isStated: boolean;
  readonly score: number;
}

/** How much a word of the topic counts by where it stands. */
const COUNTS = {
  message: 0.88,
  /** In a question of the same message, which the sentence does not answer. */
  ownQuestion: 0.35,
  /** In the question that the message answers. */
  answered: 0.9,
  /** In a question that was asked shortly before. */
  asked: 0.78,
  replied: 0.7,
  before: 0.64,
  near: 0.45,
  place: 0.85,
  author: 0.6,
} as const;
const BONUS = {
  inside: 0.1,
  rank: 0.08,
  recent: 0.06,
  corrects: 0.06,
  own: 0.2,
  reason: 0.12,
  sameQuestion: 0.14,
  yesOrNo: 0.08,
} as const;
const DAY_MS = 86_400_000;
const RECENT_DAYS = 7;

export function measureSentence(evidence: Evidence, sentence: string, request: MeasureRequest): MeasuredSentence {
  const { topic, weights, wanted, now, isOwn, people } = request;
  const { message, rank, parent } = evidence;
  const own = stemsOf(sentence);
  let [covered, total, inside, direct] = [0, 0, 0, 0];
  for (const [index, word] of topic.entries()) {
    const weight = weights[index] ?? 0;
    const inSentence = matchWord(word, own);
    const { found, isDirect } = findWord(evidence, (stems) => matchWord(word, stems));
    covered += weight * Math.max(inSentence, found);
    direct += weight * Math.max(inSentence, isDirect ? found : 0);
    inside += weight * inSentence;
    total += weight;
  }
  const share = (sum: number) => (total === 0 ? 1 : sum / total);
  const value = findValue(sentence, { wanted, author: message.author.name, topic, people });
  const age = Math.max(0, now - Date.parse(message.ts)) / DAY_MS;
  const isAnswer = parent?.askedStems != null;
  // People explain first what they ask about.
  const prefaceFactor = evidence.askedStems !== null ? 0.87 : 1;
  const score =
    share(covered) * kindFactor(wanted, value) * lengthFactor(sentence, isAnswer) * prefaceFactor +
    (total === 0 ? 0 : BONUS.inside * share(inside)) +
    (rank === null ? 0 : BONUS.rank / (1 + rank / 6)) +
    BONUS.recent * Math.exp(-age / RECENT_DAYS) +
    (CORRECTS.test(sentence) ? BONUS.corrects : 0) +
    (isOwn && OWN.test(sentence) && inside > 0 ? BONUS.own : 0) +
    (wanted === "why" && REASON.test(sentence) ? BONUS.reason : 0) +
    (wanted === "yes_no" && YES_OR_NO.test(sentence) ? BONUS.yesOrNo : 0) +
    (isAnswer && asksSame(parent, request) ? BONUS.sameQuestion : 0);
  const isStated =
    inside > 0 || topic.length === 0 || (isAnswer && topic.some((word) => matchWord(word, parent.stems) > 0));
  return { evidence, sentence, value, coverage: share(covered), direct: share(direct), isStated, score };
}

const SAME_QUESTION = 0.8;

/** Somebody asked the same before. */
function asksSame({ askedStems }: Evidence, { topic, weights }: MeasureRequest): boolean {
  if (askedStems === null || topic.length === 0) return false;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const asked = topic.reduce((sum, word, index) => sum + (weights[index] ?? 0) * matchWord(word, askedStems), 0);
  return asked >= total * SAME_QUESTION;
}

/** Where a word stands best outside of the sentence. */
function findWord(evidence: Evidence, match: (stems: ReadonlySet<string>) => number) {
  const { parent, near, asked, isReply, statedStems, askedStems, placeStems, authorStems } = evidence;
  const answers = Math.max(
    parent?.askedStems ? COUNTS.answered * match(parent.stems) : 0,
    ...(isReply ? [] : asked.map((other) => COUNTS.asked * match(other.stems))),
  );
  const inMessage = COUNTS.message * match(statedStems);
  const around = Math.max(
    askedStems ? COUNTS.ownQuestion * match(askedStems) : 0,
    parent ? (isReply ? COUNTS.replied : COUNTS.before) * match(parent.stems) : 0,
    COUNTS.place * match(placeStems),
    COUNTS.author * match(authorStems),
    ...near.map((other) => COUNTS.near * match(other.stems)),
  );
  const isDirect = Math.max(answers, inMessage) >= around;
  return { found: Math.max(answers, inMessage, around), isDirect };
}

const CORRECTS =
  /\b(?:correction|corrected|update|actually|instead|moved (?:it )?(?:from|to)|rescheduled|postponed|changed (?:from|to)|no longer|not the \d|decision|decided|final|result|it's official|now (?:at|on|it's|is)|korrektur|doch|corrección|en realidad|en fait|correção)\b/iu;
/** Says yes or no. */
const YES_OR_NO =
  /(?<![\p{L}])(?:yes|yep|yeah|yup|no|nope|never|agreed|approved|confirmed|allowed|of course|sure|definitely|not|already|says yes|said yes|done|ja|nein|sí|oui|non|sim|não)(?![\p{L}])/iu;
const OWN = /(?<![\p{L}])(?:my|mine|our|i have|i've got|mein\p{L}*|mi|mon|ma|meu|minha)(?![\p{L}])/iu;
const REASON =
  /(?<![\p{L}])(?:because|since|due to|so that|that's why|the reason|it was|caused|thanks to|otherwise|turns out|weil|wegen|porque|parce que|à cause)(?![\p{L}])/iu;

/** An answer to "when" without a time is hardly one. */
function kindFactor(wanted: Wanted, value: string | null): number {
  if (value !== null) return 1;
  if (wanted === "when" || wanted === "how_many") return 0.62;
  if (wanted === "name") return 0.72;
  if (wanted === "where") return 0.8;
  return wanted === "who" ? 0.82 : 1;
}

/** One word says something only as an answer. */
function lengthFactor(sentence: string, isAnswer: boolean): number {
  const letters = sentence.replaceAll(/[^\p{L}\p{N}]/gu, "").length;
  if (letters >= 12) return 1;
  if (letters < 3 && !isAnswer) return 0.4;
  return (isAnswer ? 0.92 : 0.7) + (letters >= 6 ? 0.08 : 0);
}
