import { foldBare } from "../search/keywords.ts";
import type { Evidence } from "./evidence.ts";
import type { Wanted } from "./languages/language-words.ts";
import { type MeasuredSentence, type MeasureRequest, measureSentence } from "./measure-sentence.ts";
import { isQuestion } from "./sentences.ts";
import { isUncertain, lighten, type Topic, weighWords, withTypos } from "./topic.ts";
import { NAMING, sameValue } from "./values.ts";

/** A sentence that answers. */
export interface Extract {
  readonly evidence: Evidence;
  readonly sentence: string;
  /** The date, name, place or number that was asked for. */
  readonly value: string | null;
  /** Something newer says otherwise. */
  readonly isEarlier: boolean;
}

export interface PickRequest {
  readonly topic: Topic;
  readonly wanted: Wanted;
  readonly now: number;
  readonly limit: number;
  /** Only what this person wrote; what others wrote is context. */
  readonly by?: string | null;
  readonly isOwn?: boolean;
  /** Also what is about less of the topic. */
  readonly isWeak?: boolean;
  /** Asks for what holds now: of several statements the newest is right. */
  readonly isLatest?: boolean;
  /** The newest first, whatever it is about. */
  readonly isByTime?: boolean;
  /** Shown before. */
  readonly except?: ReadonlySet<string>;
}

/** Less of the topic than this is no answer. */
const MIN_COVERAGE = 0.5;
/** Enough where nothing better is found anywhere. */
const MIN_WEAK_COVERAGE = 0.46;
/** Where words were translated or corrected, others may be right that do not fit. */
const MIN_WEAK_COVERAGE_UNCERTAIN = 0.4;
/** What is shown beside the best has at least this part of its score. */
const MIN_OF_BEST = 0.72;
/** "I have it" holds no word of the question. */
const MIN_OF_BEST_WHO = 0.6;
/** What is shown beside the best speaks of it itself. */
const MIN_DIRECT = 0.4;
/** Candidates that are about the topic equally well; among them the newest is right. */
const SAME_COVERAGE = 0.85;

/** The sentences that answer best, the best first; none when nothing is about it. */
export function pickExtracts(evidence: readonly Evidence[], request: PickRequest): Extract[] {
  const texts = evidence.map(({ stems }) => stems);
  const names = new Set(evidence.flatMap(({ authorStems }) => [...authorStems]));
  // People seldom write their own name, and those who say a name seldom say that it is one.
  const topic = lighten(
    withTypos(request.topic, texts),
    ({ stem, spelling }) => names.has(stem) || (request.wanted === "name" && NAMING.test(spelling)),
  );
  const minWeak = isUncertain(topic) ? MIN_WEAK_COVERAGE_UNCERTAIN : MIN_WEAK_COVERAGE;
  const minCoverage = request.isWeak ? minWeak : MIN_COVERAGE;
  const people = new Set(evidence.flatMap(({ message }) => namesOf(message.author.name)));
  const measure = { ...request, isOwn: request.isOwn ?? false, topic, weights: weighWords(topic, texts), people };
  const isWanted = ({ message, asks }: Evidence) =>
    !asks && (request.by == null || message.author.id === request.by) && !request.except?.has(message.message_id);
  const candidates = evidence
    .filter(isWanted)
    .flatMap((one) => bestSentence(one, measure) ?? [])
    .filter(({ coverage }) => coverage >= minCoverage)
    .sort((a, b) => b.score - a.score);
  return order(withoutCopies(candidates), request);
}

/** The words of a display name that may be used alone. */
function namesOf(name: string): string[] {
  return foldBare(name).match(/[\p{L}\p{M}]{2,}/gu) ?? [];
}

function bestSentence(evidence: Evidence, request: MeasureRequest): MeasuredSentence | null {
  let best: MeasuredSentence | null = null;
  for (const sentence of evidence.sentences) {
    if (isQuestion(sentence)) continue;
    const candidate = measureSentence(evidence, sentence, request);
    if (!best || candidate.score > best.score) best = candidate;
  }
  return best;
}

/** Of a message and what was forwarded or copied of it, the original. */
function withoutCopies(candidates: readonly MeasuredSentence[]): MeasuredSentence[] {
  const byText = Map.groupBy(candidates, ({ sentence }) => sentence.toLowerCase());
  const originals = new Set(
    [...byText.values()].map((same) => same.reduce((first, one) => (timeOf(one) < timeOf(first) ? one : first))),
  );
  const isLong = ({ sentence }: MeasuredSentence) => sentence.length > MIN_COPY_LENGTH;
  return candidates.filter((one) => !isLong(one) || originals.has(one));
}

const MIN_COPY_LENGTH = 20;

function order(candidates: readonly MeasuredSentence[], { wanted, limit, isByTime, isLatest }: PickRequest): Extract[] {
  const [first] = candidates;
  if (!first) return [];
  if (isByTime) return [...candidates].sort(newestFirst).slice(0, limit).map(toPlainExtract);
  const isValued = hasValue(wanted);
  const isGood = ({ score, direct, value, isStated }: MeasuredSentence) =>
    (isStated || !first.isStated || !isValued || wanted === "who") &&
    score >= first.score * (wanted === "who" ? MIN_OF_BEST_WHO : MIN_OF_BEST) &&
    direct >= Math.min(wanted === "who" ? 0 : MIN_DIRECT, first.direct) &&
    (!isValued || value !== null || first.value === null || wanted === "who");
  const isSame = ({ coverage, score, value }: MeasuredSentence) =>
    coverage >= first.coverage * SAME_COVERAGE &&
    score >= first.score * SAME_COVERAGE &&
    (!isValued || value !== null || first.value === null);
  const good = candidates.filter(isGood);
  const [same, rest] = [good.filter(isSame), good.filter((one) => !isSame(one))];
  const isTold = wanted === "when" || wanted === "how_many";
  if (wanted === "yes_no" || wanted === "why") return good.slice(0, limit).sort(newestFirst).map(toPlainExtract);
  if (!isTold && isLatest) return [...same.sort(newestFirst), ...rest].slice(0, limit).map(toPlainExtract);
  const ordered = (isTold ? [...same.sort(newestFirst), ...rest] : good).slice(0, limit);
  return ordered.map((one, index) => ({
    ...toPlainExtract(one),
    isEarlier: index > 0 && isTold && isOutdated(one, ordered),
  }));
}

/** Whether a value is asked for, which leads the answer. */
export function hasValue(wanted: Wanted): boolean {
  return wanted === "when" || wanted === "who" || wanted === "where" || wanted === "how_many" || wanted === "name";
}

/** Older than the first, about the same, and of another value. */
function isOutdated(one: MeasuredSentence, [lead]: readonly MeasuredSentence[]): boolean {
  if (!lead?.value || !one.value || sameValue(one.value, lead.value)) return false;
  return timeOf(one) < timeOf(lead) && one.coverage >= lead.coverage * SAME_COVERAGE;
}

function toPlainExtract({ evidence, sentence, value }: MeasuredSentence): Extract {
  return { evidence, sentence, value, isEarlier: false };
}

function newestFirst(a: MeasuredSentence, b: MeasuredSentence): number {
  return timeOf(b) - timeOf(a);
}

function timeOf({ evidence }: MeasuredSentence): number {
  return Date.parse(evidence.message.ts);
}
