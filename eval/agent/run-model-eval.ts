import { toContextBudget } from "../../src/agent/model/context-budget.ts";
import type { ChatModel } from "../../src/ports/chat-model.ts";
import { tools } from "../../src/tools/index.ts";
import { printTable } from "../../test/support/table.ts";
import { problemsOf, toModelRows } from "./model-measures.ts";
import { askModel, type ModelOutcome } from "./model-outcome.ts";
import type { EvalQuestion } from "./question-set.ts";
import { isOnly, selectQuestions, toToolQuestions } from "./select-questions.ts";
import { openWorlds } from "./worlds.ts";

const TIERS = { small: 4_096, full: 32_768 } as const;
type Tier = keyof typeof TIERS;

interface ModelEvalRequest {
  readonly questions: readonly EvalQuestion[];
  /** When the sample community is asked. */
  readonly now: number | undefined;
  /** The file with rooms of real talk. */
  readonly data: string;
  readonly tiers: readonly Tier[];
  readonly only: string | undefined;
  /** Questions per tier, because each costs something. */
  readonly limit: number;
  /** Prints the answers in which something is wrong. */
  readonly show: boolean;
}

interface ModelEvalDeps {
  readonly model: ChatModel;
  print(line: string): void;
}

/** Asks a model the questions, in each tier; `--only tools` asks the example questions of the tools instead. */
export async function runModelEval(
  request: ModelEvalRequest,
  { model, print }: ModelEvalDeps,
): Promise<ReadonlyMap<Tier, readonly ModelOutcome[]>> {
  const chosen = new Map(request.tiers.map((tier) => [tier, choose(request, tier)]));
  print(describeCost(chosen));
  const { worlds, missing } = await openWorlds([...chosen.values()].flat(), request);
  const outcomes = new Map<Tier, readonly ModelOutcome[]>();
  try {
    for (const [tier, questions] of chosen) {
      const warn = (message: string) => print(`In the ${tier} tier, ${message}.`);
      outcomes.set(tier, await askModel(questions, { model, contextTokens: TIERS[tier], worlds, warn }));
    }
  } finally {
    for (const { world } of worlds.values()) await world.close();
  }
  for (const [tier, all] of outcomes) {
    if (request.show) for (const outcome of all) showProblems(outcome, print);
    const tokens = TIERS[tier].toLocaleString("en");
    printTable(`${all.length} questions in the ${tier} tier (${tokens} tokens of context)`, toModelRows(all), print);
  }
  if (missing.size > 0) print(`\nSkipped ${[...missing].join(", ")}: the data is not there (name it with --data).`);
  return outcomes;
}

function choose({ questions, only, limit }: ModelEvalRequest, tier: Tier): EvalQuestion[] {
  if (only === "tools") return selectQuestions(toToolQuestions(tools, tier), limit);
  return selectQuestions(only === undefined ? questions : withEarlier(questions, only), limit);
}

/** Those that are wanted, with all that they follow. */
function withEarlier(questions: readonly EvalQuestion[], only: string): EvalQuestion[] {
  const wanted = new Set<string>();
  for (const question of questions.toReversed())
    if (isOnly(question, only) || wanted.has(question.id)) {
      wanted.add(question.id);
      if (question.after !== undefined) wanted.add(question.after);
    }
  return questions.filter(({ id }) => wanted.has(id));
}

function describeCost(chosen: ReadonlyMap<Tier, readonly EvalQuestion[]>): string {
  let [calls, tokens] = [0, 0];
  const parts: string[] = [];
  for (const [tier, { length }] of chosen) {
    const { maxSteps } = toContextBudget(TIERS[tier]);
    calls += length * maxSteps;
    tokens += length * maxSteps * TIERS[tier];
    parts.push(`${length} questions in the ${tier} tier with ${maxSteps} calls each`);
  }
  const [most, size] = [calls, tokens].map((count) => count.toLocaleString("en"));
  return `Asks ${parts.join(", ")}: at most ${most} calls of the model and ${size} tokens, usually far fewer.`;
}

function showProblems(outcome: ModelOutcome, print: ModelEvalDeps["print"]): void {
  const { question, text } = outcome;
  const problems = problemsOf(outcome).join(", ");
  if (problems !== "")
    print(`\n${question.id} [${problems}] ${question.as} in ${question.in}: ${question.text}\n${text}`);
}
