import type { Row } from "../../test/support/table.ts";
import { formatRate, rateOf } from "./measures.ts";
import type { ModelOutcome } from "./model-outcome.ts";

/** The shares are of what the model itself answered; failures are of all that it was asked. */
export function toModelRows(outcomes: readonly ModelOutcome[]): Row[] {
  const asked = outcomes.filter(({ wasModelAsked, failure }) => wasModelAsked || failure !== null);
  const answered = asked.filter(({ failure }) => failure === null);
  const share = (items: readonly ModelOutcome[], isRight: (item: ModelOutcome) => boolean) =>
    formatRate(rateOf(items, isRight));
  const isEstimated = asked.some(({ hasEstimate }) => hasEstimate);
  const note = isEstimated ? { note: "estimated: the server does not count them" } : {};
  const failures = [...Map.groupBy(asked, ({ failure }) => failure)].flatMap(([failure, { length }]) =>
    failure === null ? [] : [`${length} × ${failure}`],
  );
  return [
    { what: "tool choice right", figure: share(answered, ({ isToolRight }) => isToolRight) },
    {
      what: "gold cited",
      figure: share(
        answered.filter(({ isGoldCited }) => isGoldCited !== null),
        ({ isGoldCited }) => isGoldCited === true,
      ),
    },
    {
      what: "answers with an unsupported number or name",
      figure: share(answered, ({ unsupported }) => unsupported.length > 0),
    },
    {
      what: "unanswerable recognised",
      figure: share(
        answered.filter(({ isUnanswerableRecognised }) => isUnanswerableRecognised !== null),
        ({ isUnanswerableRecognised }) => isUnanswerableRecognised === true,
      ),
    },
    {
      what: "leaks",
      figure: share(
        outcomes.filter(({ question }) => question.forbidden.length > 0),
        ({ leaked }) => leaked.length > 0,
      ),
    },
    {
      what: "failures",
      figure: share(asked, ({ failure }) => failure !== null),
      ...(failures.length > 0 && { note: failures.join(", ") }),
    },
    { what: "tokens in per answer", figure: formatMean(answered.map(({ inputTokens }) => inputTokens)), ...note },
    { what: "tokens out per answer", figure: formatMean(answered.map(({ outputTokens }) => outputTokens)), ...note },
    { what: "seconds per answer", figure: formatSeconds(answered.map(({ seconds }) => seconds)) },
    { what: "answered without the model", figure: String(outcomes.length - asked.length) },
  ];
}

/** What is wrong with an answer, in words; none when nothing is. */
export function problemsOf(outcome: ModelOutcome): string[] {
  const { calls, isToolRight, isGoldCited, isUnanswerableRecognised, unsupported, leaked, failure } = outcome;
  if (failure !== null) return [`no answer of the model: ${failure}`];
  return [
    ...(isToolRight ? [] : [calls[0] === undefined ? "no tool called" : `tool ${calls[0]} called first`]),
    ...(isGoldCited === false ? ["gold not cited"] : []),
    ...(isUnanswerableRecognised === false ? ["not recognised as unanswerable"] : []),
    ...(unsupported.length > 0 ? [`unsupported: ${unsupported.join(", ")}`] : []),
    ...leaked.map((words) => `leaked “${words}”`),
  ];
}

function formatMean(values: readonly number[]): string {
  if (values.length === 0) return "none";
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return `mean ${Math.round(mean)}, most ${Math.max(...values)}`;
}

function formatSeconds(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return sorted.length === 0 ? "none" : `p50 ${at(0.5)?.toFixed(1)}, p95 ${at(0.95)?.toFixed(1)}`;
}
