import type { AgentAnswer, Answerer } from "../../src/agent/answerer.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { linkCitations } from "../../src/agent/citations.ts";
import { createModelAnswerer } from "../../src/agent/model/model-answerer.ts";
import type { Turn } from "../../src/agent/turn.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import { detectLanguage } from "../../src/language/languages.ts";
import { FairQueue } from "../../src/policy/fair-queue.ts";
import type { ChatModel, StepRequest } from "../../src/ports/chat-model.ts";
import { toWireName } from "../../src/tools/tool-schema.ts";
import { unsupportedIn } from "./claims.ts";
import { isUnanswerable, leakedIn } from "./measures.ts";
import type { EvalQuestion } from "./question-set.ts";
import type { EvalWorld } from "./worlds.ts";

/** What became of one question that a model was asked. */
export interface ModelOutcome {
  readonly question: EvalQuestion;
  readonly text: string;
  /** Tools that the model called, in order, by the names that it wrote. */
  readonly calls: readonly string[];
  /** The first call is right, or none was needed: nothing has to be looked up, or what has to be cited was shown already. */
  readonly isToolRight: boolean;
  /** Null where nothing has to be cited. */
  readonly isGoldCited: boolean | null;
  /** Null where there is an answer. Recognised: it cites nothing, and claims nothing that it was not told. */
  readonly isUnanswerableRecognised: boolean | null;
  readonly unsupported: readonly string[];
  readonly leaked: readonly string[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The server did not count some of them. */
  readonly hasEstimate: boolean;
  readonly seconds: number;
  /** Why the built-in answerer, or nobody, answered instead; null where the model did. */
  readonly failure: string | null;
  /** False for thanks and the like, which are answered without the model. */
  readonly wasModelAsked: boolean;
}

interface ModelAskDeps {
  readonly model: ChatModel;
  readonly contextTokens: number;
  readonly worlds: ReadonlyMap<string, EvalWorld>;
  /** Something about the model's server that is no failure, such as that it cuts prompts. */
  warn(message: string): void;
}

/** Asks the questions one after the other: those of worlds that are not there are left out. */
export async function askModel(questions: readonly EvalQuestion[], deps: ModelAskDeps): Promise<ModelOutcome[]> {
  let failure: string | null = null;
  let meter = new Meter();
  const log = {
    ...{ debug() {}, info() {}, error() {} },
    warn(fields: Record<string, unknown>, message: string) {
      if (typeof fields["code"] === "string") failure = fields["code"];
      else deps.warn(message);
    },
  };
  const answerer: Answerer = createModelAnswerer({
    model: { step: (request) => meter.step(deps.model, request) },
    contextTokens: deps.contextTokens,
    builtin: createBuiltinAnswerer(),
    queue: new FairQueue({ running: 1, runningPerOwner: 1, waitingPerOwner: 1 }),
    clock: { now: () => Date.now() },
    log,
  });
  const turns = new Map<string, Turn | null>();
  const outcomes: ModelOutcome[] = [];
  for (const question of questions) {
    const at = deps.worlds.get(question.world);
    if (!at) continue;
    failure = null;
    meter = new Meter();
    const began = performance.now();
    const asking = at.world.ask({
      answerer,
      text: question.text,
      as: at.person(question.as),
      in: at.channel(question.in),
      ...(question.private !== undefined && { isPrivate: question.private }),
      before: question.after === undefined ? null : (turns.get(question.after) ?? null),
    });
    const answer = await asking.then(
      (answered) => answered.answer,
      (error: unknown) => {
        if (!(error instanceof EarshotError)) throw error;
        failure = error.code;
        return NO_ANSWER;
      },
    );
    const seconds = (performance.now() - began) / 1_000;
    turns.set(question.id, answer.kind === "text" ? answer.turn : null);
    const gold = question.gold.map((reference) => at.message(reference));
    outcomes.push({ ...judge(question, { answer, meter, gold }), seconds, failure });
  }
  return outcomes;
}

/** The agent would say what went wrong instead. */
const NO_ANSWER: AgentAnswer = { kind: "text", text: "", sources: new Map(), turn: null };

/** What one answer takes of a model. */
class Meter {
  readonly calls: string[] = [];
  readonly #told = new Set<string>();
  inputTokens = 0;
  outputTokens = 0;
  hasEstimate = false;
  steps = 0;

  async step(model: ChatModel, request: StepRequest) {
    this.steps += 1;
    for (const { role, text } of request.turns)
      if (role !== "assistant") for (const line of text.split("\n")) this.#told.add(line);
    const step = await model.step(request);
    this.calls.push(...step.calls.map(({ tool }) => tool));
    this.inputTokens += step.usage.inputTokens;
    this.outputTokens += step.usage.outputTokens;
    this.hasEstimate ||= step.usage.isEstimated;
    return step;
  }

  /** Lines that the model was shown with one of these handles. */
  linesWith(handles: readonly string[]): string[] {
    const wanted = new Set(handles);
    return [...this.#told].filter((line) => line.match(/\b[mf]\d{1,6}\b/g)?.some((handle) => wanted.has(handle)));
  }
}

interface Judged {
  readonly answer: AgentAnswer;
  readonly meter: Meter;
  readonly gold: readonly string[];
}

function judge(question: EvalQuestion, { answer, meter, gold }: Judged): Omit<ModelOutcome, "seconds" | "failure"> {
  const { calls, inputTokens, outputTokens, hasEstimate, steps } = meter;
  const text = answer.kind === "text" ? answer.text : answer.emoji;
  const sources: Extract<AgentAnswer, { kind: "text" }>["sources"] =
    answer.kind === "text" ? answer.sources : new Map();
  const { cited, facts } = linkCitations(text, sources);
  const handles = text.match(/\b[mf]\d{1,6}\b/g)?.filter((handle) => sources.has(handle)) ?? [];
  const isGoldCited = gold.length === 0 ? null : cited.some(({ message_id }) => gold.includes(message_id));
  const known = [
    ...[question.text, question.as],
    ...cited.flatMap(({ author, content, ts }) => [author.name, content, ts, dayOf(ts)]),
    ...meter.linesWith(handles),
  ];
  const unsupported = unsupportedIn(text, known, { hasNames: detectLanguage(text).code !== "de" });
  const [first] = calls;
  const needsNoCall = question.tools.length === 0 || isUnanswerable(question) || isGoldCited === true;
  const citesNothing = cited.length === 0 && facts.length === 0;
  return {
    ...{ question, text, calls, isGoldCited, unsupported, inputTokens, outputTokens, hasEstimate },
    isToolRight: first === undefined ? needsNoCall : question.tools.map(toWireName).includes(first),
    isUnanswerableRecognised: isUnanswerable(question) ? citesNothing && unsupported.length === 0 : null,
    leaked: leakedIn(question, text),
    wasModelAsked: steps > 0,
  };
}

/** As people write it. */
function dayOf(ts: string): string {
  return new Date(ts).toLocaleDateString("en", { timeZone: "UTC", dateStyle: "full" });
}
