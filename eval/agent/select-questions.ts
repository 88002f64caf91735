import type { ContextBudget } from "../../src/agent/model/context-budget.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { dmMessages } from "../../src/tools/dm-messages.ts";
import { searchThreadMessages } from "../../src/tools/search-thread-messages.ts";
import type { EvalQuestion } from "./question-set.ts";

/** At most `limit` of the questions, spread evenly over them, each with the questions that it follows. */
export function selectQuestions(questions: readonly EvalQuestion[], limit: number): EvalQuestion[] {
  const byId = new Map(questions.map((question) => [question.id, question]));
  const chosen = new Set<EvalQuestion>();
  for (let index = 0; index < Math.min(limit, questions.length); index += 1) {
    const wanted = questions[Math.floor((index * questions.length) / Math.min(limit, questions.length))];
    const chain = withEarlier(wanted, byId).filter((question) => !chosen.has(question));
    if (chosen.size + chain.length <= limit) for (const question of chain) chosen.add(question);
  }
  return questions.filter((question) => chosen.has(question));
}

function withEarlier(
  question: EvalQuestion | undefined,
  byId: ReadonlyMap<string, EvalQuestion>,
): readonly EvalQuestion[] {
  if (!question) return [];
  return question.after === undefined ? [question] : [...withEarlier(byId.get(question.after), byId), question];
}

/** By their kind, or by the beginning of their ids. */
export function isOnly({ kind, id }: EvalQuestion, only: string | undefined): boolean {
  return only === undefined || kind === only || id.startsWith(`${only}-`);
}

/** Where a tool works, if not anywhere. */
const PLACES: Readonly<Record<string, string>> = {
  [searchThreadMessages.name]: "turtle-log",
  [dmMessages.name]: "dm",
};

/** The example questions of the tools. With little room a model is not offered those that reach into Discord directly. */
export function toToolQuestions(tools: readonly Tool[], tier: ContextBudget["tier"]): EvalQuestion[] {
  const offered = tools.filter(({ name }) => tier === "full" || !name.startsWith("discord."));
  return offered.flatMap(({ name, examples = [] }) =>
    examples.map(
      (text, index): EvalQuestion => ({
        id: `tools-${name}-${index + 1}`,
        ...{ kind: "tools", world: "sample", as: "sarah", in: PLACES[name] ?? "general", text, tools: [name] },
        ...{ gold: [], outdated: [], expect: "answer", forbidden: [] },
      }),
    ),
  );
}
