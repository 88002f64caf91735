import type { Evidence } from "./evidence.ts";
import { matchWord, type Topic, weighWords } from "./topic.ts";

const MIN_COVERAGE = 0.65;
const MIN_ANSWER_LENGTH = 8;

/** The message that asks the same, if what answered it was not found with it. */
export function findOpenQuestion(evidence: readonly Evidence[], topic: Topic): Evidence | null {
  const weights = weighWords(
    topic,
    evidence.map(({ stems }) => stems),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const coverageOf = ({ stems, placeStems }: Evidence) =>
    topic.reduce(
      (sum, word, index) => sum + (weights[index] ?? 0) * Math.max(matchWord(word, stems), matchWord(word, placeStems)),
      0,
    ) / total;
  const [first] = evidence
    .filter(({ askedStems, rank }) => askedStems !== null && rank !== null)
    .map((one) => ({ one, coverage: coverageOf(one) }))
    .filter(({ coverage }) => coverage >= MIN_COVERAGE)
    .sort((a, b) => b.coverage - a.coverage);
  if (!first) return null;
  const isAnswer = ({ parent, asks, message }: Evidence) =>
    parent === first.one && !asks && message.content.length >= MIN_ANSWER_LENGTH;
  return evidence.some(isAnswer) ? null : first.one;
}
