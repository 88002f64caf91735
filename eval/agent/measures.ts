import type { AgentAnswer } from "../../src/agent/answerer.ts";
import { detectLanguage } from "../../src/language/languages.ts";
import type { EvalQuestion } from "./question-set.ts";

/** What became of one question. */
export interface Outcome {
  readonly question: EvalQuestion;
  readonly text: string;
  /** The tool that the answer rests on; null when none was called. */
  readonly tool: string | null;
  readonly calls: number;
  readonly outcome: EvalQuestion["expect"];
  readonly isToolRight: boolean;
  /** Null where nothing has to be cited. */
  readonly isGoldCited: boolean | null;
  readonly isGoldFirst: boolean | null;
  readonly isExpected: boolean;
  readonly leaked: readonly string[];
}

interface Judged {
  readonly answer: AgentAnswer;
  readonly calls: readonly { readonly tool: string }[];
  readonly gold: readonly string[];
  readonly outdated: readonly string[];
}

const UNANSWERABLE: readonly string[] = ["nothing_found", "refusal_absent"];

export function judge(question: EvalQuestion, { answer, calls, gold, outdated }: Judged): Outcome {
  const text = answer.kind === "text" ? answer.text : answer.emoji;
  const tool = (answer.kind === "text" ? answer.turn?.tool : null) ?? calls.at(-1)?.tool ?? null;
  const cited = citedIn(answer);
  const outcome = outcomeOf(answer, question.text);
  const isGold = (id: string | undefined) => id !== undefined && gold.includes(id);
  const hasWords = question.answer === undefined || text.toLowerCase().includes(question.answer.toLowerCase());
  return {
    question,
    text,
    tool: calls.length === 0 ? null : tool,
    calls: calls.length,
    outcome,
    isToolRight:
      question.tools.length === 0 || (calls.length === 0 && UNANSWERABLE.includes(question.expect))
        ? calls.length === 0
        : tool !== null && calls.length > 0 && question.tools.includes(tool),
    isGoldCited: gold.length === 0 ? null : cited.some(isGold),
    isGoldFirst: gold.length === 0 ? null : isGold(cited[0]) && !outdated.includes(cited[0] ?? ""),
    isExpected:
      hasWords && (outcome === question.expect || (UNANSWERABLE.includes(question.expect) && claimsNothing(answer))),
    leaked: leakedIn(question, text),
  };
}

/** What is shown as the closest is no answer. */
function claimsNothing(answer: AgentAnswer): boolean {
  return answer.kind === "text" && answer.voice !== "sure";
}

export function leakedIn({ forbidden }: EvalQuestion, text: string): string[] {
  return forbidden.filter((words) => text.toLowerCase().includes(words.toLowerCase()));
}

/** Ids of the messages in the order in which they are cited. */
export function citedIn(answer: AgentAnswer): string[] {
  if (answer.kind !== "text") return [];
  const handles = [...answer.text.matchAll(/(?<!\\)\[([mf]\d+(?:, [mf]\d+)*)\]/g)].flatMap(
    ([, list]) => list?.split(", ") ?? [],
  );
  return handles.flatMap((handle) => {
    const source = answer.sources.get(handle);
    return source?.kind === "message" && source.role !== "context" ? [source.message.message_id] : [];
  });
}

function outcomeOf(answer: AgentAnswer, text: string): Outcome["outcome"] {
  if (answer.kind === "reaction") return "reaction";
  const languages = [detectLanguage(text), detectLanguage("the", "en")];
  for (const { says } of languages) {
    if (answer.text === says.greeting) return "greeting";
    if (answer.text.startsWith(says.help)) return "help";
    if (answer.text === says.needsModel) return "needs_model";
    for (const waiting of [says.waiting, says.waitingToForget])
      if (answer.text.startsWith(waiting("\0").split("\0")[0] ?? "")) return "proposal";
  }
  return answer.sources.size > 0 || answer.choices !== undefined ? "answer" : "nothing_found";
}

interface Rate {
  readonly right: number;
  readonly of: number;
}

export function rateOf<Item>(items: readonly Item[], isRight: (item: Item) => boolean): Rate {
  return { right: items.filter(isRight).length, of: items.length };
}

/** With the interval in which the true rate lies with 95 % confidence, after Wilson. */
export function formatRate({ right, of }: Rate): string {
  if (of === 0) return "none";
  const z = 1.96;
  const rate = right / of;
  const middle = (rate + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((rate * (1 - rate)) / of + z ** 2 / (4 * of ** 2));
  const percent = (value: number) => Math.round(100 * Math.min(1, Math.max(0, value)));
  return `${percent(rate)} % (${percent(middle - half)}–${percent(middle + half)}), ${right} of ${of}`;
}

const SILENT: readonly string[] = ["reaction", "greeting", "help", "needs_model"];

export function isUnanswerable({ expect }: EvalQuestion): boolean {
  return UNANSWERABLE.includes(expect);
}

export function measuresOf(outcomes: readonly Outcome[]): Readonly<Record<string, Rate>> {
  const cited = outcomes.filter(({ isGoldCited }) => isGoldCited !== null);
  const answerable = outcomes.filter(({ question }) => question.expect === "answer");
  const follows = outcomes.filter(({ question }) => question.after !== undefined);
  const silent = outcomes.filter(({ question }) => SILENT.includes(question.expect));
  return {
    "tool right": rateOf(outcomes, ({ isToolRight }) => isToolRight),
    "gold cited": rateOf(cited, ({ isGoldCited }) => isGoldCited === true),
    "first extract gold": rateOf(cited, ({ isGoldFirst }) => isGoldFirst === true),
    "unanswerable recognised": rateOf(
      outcomes.filter(({ question }) => isUnanswerable(question)),
      ({ isExpected }) => isExpected,
    ),
    "false refusals": rateOf(answerable, ({ outcome }) => outcome === "nothing_found" || outcome === "needs_model"),
    "follow-ups": rateOf(
      follows,
      ({ isToolRight, isGoldCited, isExpected }) => isToolRight && (isGoldCited ?? isExpected),
    ),
    "silence right": rateOf(silent, ({ isExpected, calls }) => isExpected && calls === 0),
    leaks: rateOf(
      outcomes.filter(({ question }) => question.forbidden.length > 0),
      ({ leaked }) => leaked.length > 0,
    ),
  };
}
