import { glossed } from "../../domain/answer/passages.ts";
import type { QuestionKind } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Language } from "../../language/language.ts";
import type { FairQueue } from "../../policy/fair-queue.ts";
import type { ChatModel } from "../../ports/chat-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { ModelFailure } from "../../ports/model-failure.ts";
import type { AgentAnswer, AnswerDraft, Answerer, ModelProblemNote, Question, Toolbox } from "../answerer.ts";
import { type Asked, plainAnswer, toAsked } from "../builtin/look.ts";
import { speakFor } from "../speak-for.ts";
import { type Turn, toShown } from "../turn.ts";
import { toContextBudget } from "./context-budget.ts";
import { readFirstTurn } from "./first-turn.ts";
import { inTime, ModelProblem, type ModelReply, ModelRun } from "./model-run.ts";
import { ReadSources } from "./read-sources.ts";
import { offerTools } from "./tool-offers.ts";

export interface ModelAnswererDeps {
  readonly model: ChatModel;
  readonly contextTokens: number;
  /** Answers if the model fails, and questions that need no model. */
  readonly builtin: Answerer;
  /** Limits concurrent answers, in all and per person. */
  readonly queue: Pick<FairQueue, "run">;
  readonly clock: Clock;
  readonly log: Log;
  /** In milliseconds; for tests. */
  readonly limits?: Partial<typeof LIMITS>;
}

/** Timeouts of the answer and of the queue, and the delay before a notice about either. */
const LIMITS = { answerMs: 90_000, waitMs: 180_000, sayWaitMs: 5_000, sayWorkMs: 10_000 };
/** For small talk, help and a list of one's own questions, fixed texts are better. */
const NOT_FOR_MODEL: ReadonlySet<string> = new Set(["thanks", "help", "own_questions"]);
/** For these kinds, a search precedes the model; small talk and requests for actions need none. */
const ABOUT_TALK: ReadonlySet<string> = new Set(["search", "person", "about_person", "fact"]);
/** A server that counts less than this share of our upper estimate has cut the prompt. */
const CUT_SHARE = 0.4;
/** A server that rejected pictures may run another model after this time. */
const PICTURES_AGAIN_MS = 60 * 60_000;

/** Answers with a language model that may call tools. Whatever it writes or calls, the gate decides what it reads and who may know the
 * answer. */
export function createModelAnswerer(deps: ModelAnswererDeps): Answerer {
  const { model, builtin, queue, clock, log } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const budget = toContextBudget(deps.contextTokens);
  let picturesRefusedAt = Number.NEGATIVE_INFINITY;
  /** It accepted one before, so a rejection concerns only the current picture. */
  let hasTakenPictures = false;
  let hasWarned = false;
  /** Some models mark only the end of their thinking: before the first complete answer, text may be thinking. */
  let isShownEarly = false;
  let lastFailure: ModelProblemNote | null = null;

  function onPromptTokens(counted: number, estimated: number): void {
    if (hasWarned || counted >= estimated * CUT_SHARE) return;
    hasWarned = true;
    log.warn({ counted, estimated }, "the model's server seems to cut prompts; see earshot doctor");
  }

  async function askModel(asked: Asked, kind: Kind, draft: AnswerDraft | undefined): Promise<AgentAnswer> {
    const { question, toolbox } = asked;
    const sources = new ReadSources(toolbox, question);
    // Text by another person may cause no effects.
    const tools = question.quotedFrom ? toolbox.tools.filter(({ effect }) => effect === "read") : toolbox.tools;
    const offered = offerTools(tools, { kind, isIsolated: question.isIsolated, budget });
    const deadline = clock.now() + limits.answerMs;
    const timeLimit = AbortSignal.timeout(limits.answerMs);
    const signal = toolbox.signal ? AbortSignal.any([toolbox.signal, timeLimit]) : timeLimit;
    const takesPictures = clock.now() - picturesRefusedAt > PICTURES_AGAIN_MS;
    const topic = ABOUT_TALK.has(kind) ? glossed(asked.slots.topic, asked.language) : "";
    const reading = readFirstTurn({ question, toolbox, budget, sources, takesPictures, topic });
    const { hadPictures, ...first } = await inTime(reading, signal);
    const shown = isShownEarly ? draft : undefined;
    const timeLeft = () => deadline - clock.now();
    const work = { model, budget, spending: toolbox.spending, question, toolbox, offered, sources, signal, timeLeft };
    const reply = await new ModelRun(first, { ...work, draft: shown, onPromptTokens }).answer();
    isShownEarly = !reply.wasTakenBack;
    lastFailure = null;
    if (reply.text.trim() === "") throw new ModelProblem(null, "silent");
    if (first.pictures.length > 0 && !reply.refusedPictures) hasTakenPictures = true;
    if (reply.refusedPictures && !hasTakenPictures) picturesRefusedAt = clock.now();
    const lacksPictures = hadPictures && (reply.refusedPictures || !takesPictures);
    const answer = toAnswer(reply, { asked, sources, lacksPictures });
    return kind === "greeting" ? { ...answer, needsNoSource: true } : answer;
  }

  /** The built-in answer, after a sentence about the failure. */
  async function answerWithout(problem: ModelProblem, question: Question, toolbox: Toolbox): Promise<AgentAnswer> {
    const { language } = toAsked(question, toolbox);
    const { says } = language;
    const sentence = describe(problem, language);
    const { cause, kind } = problem;
    const code = cause instanceof EarshotError ? cause.code : kind;
    const { reason = code, httpStatus: status = null } = cause instanceof ModelFailure ? cause : {};
    if (kind === "failed" || kind === "silent") lastFailure = { at: clock.now(), reason, status };
    log.warn({ code, reason, ...(status !== null && { status }) }, "a model gave no answer");
    const found = await builtin.answer(question, toolbox);
    if (found.kind !== "text" || found.sources.size === 0) return plainAnswer(sentence);
    // The first sentence contains it already.
    const extracts = found.text.replace(` · ${says.noModelAsked}`, "");
    return { ...found, text: `${sentence} ${says.modelFoundWithout}\n${extracts}` };
  }

  return {
    lastFailure: () => lastFailure,
    async answer(question, given, draft) {
      const toolbox = question.quotedFrom ? speakFor(question.quotedFrom, given) : given;
      const asked = toAsked(question, toolbox);
      const { kind } = asked.request;
      if (NOT_FOR_MODEL.has(kind)) return builtin.answer(question, given, draft);
      try {
        const { modelWait, modelWorking } = asked.language.says;
        const say = (sentence: string) => draft?.wait(sentence);
        return await inTurn({ queue, toolbox: given, question, limits, sayWait: () => say(modelWait) }, async () => {
          const timer = setTimeout(() => say(modelWorking), limits.sayWorkMs);
          try {
            return await askModel(asked, kind, draft);
          } finally {
            clearTimeout(timer);
          }
        });
      } catch (error) {
        if (!(error instanceof ModelProblem) || given.signal?.aborted) throw error;
        return answerWithout(error, question, given);
      }
    },
  };
}

type Kind = QuestionKind["kind"];

interface QueuedTurn {
  readonly queue: Pick<FairQueue, "run">;
  readonly question: Question;
  readonly toolbox: Toolbox;
  readonly limits: typeof LIMITS;
  sayWait(): void;
}

/** Runs `work` when it is this person's turn. Throws a `ModelProblem` on timeout, or if too many of their questions are queued. */
async function inTurn<Result>(
  { queue, question, toolbox, limits, sayWait }: QueuedTurn,
  work: () => Promise<Result>,
): Promise<Result> {
  let hasBegun = false;
  const timer = setTimeout(sayWait, limits.sayWaitMs);
  const begin = () => {
    hasBegun = true;
    clearTimeout(timer);
    return work();
  };
  try {
    const waited = AbortSignal.timeout(limits.waitMs);
    const signal = toolbox.signal ? AbortSignal.any([toolbox.signal, waited]) : waited;
    return await queue.run(question.actor.id, begin, signal);
  } catch (error) {
    throw hasBegun ? error : new ModelProblem(error, "busy");
  } finally {
    clearTimeout(timer);
  }
}

function describe({ kind, cause }: ModelProblem, { code: language, says }: Language): string {
  if (kind === "silent") return says.modelSilent;
  const { code, retryAfter } = cause instanceof EarshotError ? cause : { code: "internal" };
  if (kind === "spent")
    return retryAfter === undefined ? says.modelTooMuch : says.modelSpent(formatTime(retryAfter, language));
  if (kind === "busy" || code === "rate_limited") return says.modelBusy;
  return code === "timeout" || code === "cancelled" ? says.modelSlow : says.modelUnreachable;
}

function formatTime(seconds: number, language: string): string {
  const [unit, amount]: [string, number] =
    seconds < 60 ? ["second", seconds] : seconds < 5_400 ? ["minute", seconds / 60] : ["hour", seconds / 3_600];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(Math.ceil(amount));
}

function toAnswer(
  { text, lastCall }: ModelReply,
  { asked, sources, lacksPictures }: { asked: Asked; sources: ReadSources; lacksPictures: boolean },
): Extract<AgentAnswer, { kind: "text" }> {
  const { language } = asked;
  const used = sources.citedIn(text);
  const shown = [...used.values()].flatMap((source) => (source.kind === "message" ? [toShown(source.message)] : []));
  const more = { question: asked.text, language: language.code, people: [], shown };
  const turn: Turn | null = lastCall && { ...lastCall, ...more };
  return {
    kind: "text",
    text: lacksPictures ? `${text}\n-# ${language.says.modelNoPictures}` : text,
    sources: used,
    turn,
  };
}
