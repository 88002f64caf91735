import { setTimeout } from "node:timers/promises";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { orCancelled } from "../../domain/or-cancelled.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { ChatModel, Step, ToolRequest } from "../../ports/chat-model.ts";
import type { OperationSpending, SpentTokens } from "../../ports/operation-spending.ts";
import { channelInfo } from "../../tools/channel-info.ts";
import { send } from "../../tools/send.ts";
import { toWireName } from "../../tools/tool-schema.ts";
import type { AnswerDraft, Question, Toolbox } from "../answerer.ts";
import type { ContextBudget } from "./context-budget.ts";
import { Conversation, cutResult } from "./conversation.ts";
import { toPrompt } from "./prompt.ts";
import type { ReadSources } from "./read-sources.ts";
import { type OfferedTool, offerTokens } from "./tool-offers.ts";

export interface ModelRunDeps {
  readonly model: ChatModel;
  readonly budget: ContextBudget;
  readonly spending: OperationSpending;
  readonly question: Question;
  readonly toolbox: Toolbox;
  readonly offered: readonly OfferedTool[];
  readonly sources: ReadSources;
  readonly draft: AnswerDraft | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds left for the answer. */
  timeLeft(): number;
  /** The prompt tokens as counted by the server, and Earshot's own upper estimate. */
  onPromptTokens(counted: number, estimated: number): void;
}

export interface ModelReply {
  readonly text: string;
  /** The last search or other look-up, which a follow-up question can modify. */
  readonly lastCall: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> } | null;
  /** The model's server rejected the pictures. */
  readonly refusedPictures: boolean;
  /** Text shown as the start of an answer turned out to be thinking. */
  readonly wasTakenBack: boolean;
}

/** Further calls in one step are not run. */
const MAX_CALLS = 6;
const MIN_RESULT_TOKENS = 120;
/** Minimum pause after a rate limit of the server. */
const MIN_PAUSE_MS = 1_000;
/** A text of this length, or with citations, is the answer rather than a preface to a call. */
const PREFACE_LENGTH = 280;
const CITATION = /(?:\[|【)[mfp]\d/;
const REPEATED = "You have called this before with the same arguments. Answer with what you have.";
const NOT_A_TOOL = "There is no such tool here.";
const TOO_MANY = "Too many calls at once.";
const SEND = toWireName(send.name);
const BAD_ARGUMENTS = "The arguments could not be read: send one JSON object.";

/** The reason why the model gave no answer. Errors of tools are not meant. */
export class ModelProblem extends Error {
  /** `silent`: an empty answer. `busy`: not asked, because too many questions are queued. `spent`: over budget. */
  readonly kind: "failed" | "silent" | "busy" | "spent";

  constructor(cause: unknown, kind: ModelProblem["kind"] = "failed") {
    super("The model gave no answer.", { cause });
    this.kind = kind;
  }
}

/** One answer of a model, which may call tools step by step before it writes text. */
export class ModelRun {
  readonly #deps: ModelRunDeps;
  readonly #conversation: Conversation;
  readonly #done = new Set<string>();
  #lastCall: ModelReply["lastCall"] = null;
  #refusedPictures = false;
  #wasTakenBack = false;
  /** Text of this step is visible, so it is the answer, whatever calls follow. */
  #isShown = false;

  constructor(first: ConstructorParameters<typeof Conversation>[0], deps: ModelRunDeps) {
    this.#deps = deps;
    this.#conversation = new Conversation(first);
  }

  /** Throws a `ModelProblem`, also if the budget is used up before there is an answer. */
  async answer(): Promise<ModelReply> {
    const { maxSteps } = this.#deps.budget;
    for (let count = 1; count <= maxSteps; count += 1) {
      const isLast = count === maxSteps || this.#deps.offered.length === 0;
      const step = await this.#step(isLast);
      const sent = this.#isShown ? null : await inTime(this.#sentHere(step.calls), this.#deps.signal);
      const said = sent ?? (step.calls.length === 0 || isLast || this.#isShown ? step.text : null);
      if (said !== null) return this.#toReply(said);
      this.#conversation.addStep(step);
      await this.#runCalls(step.calls);
    }
    throw new EarshotError("internal", "A model has no steps.");
  }

  #toReply(said: string): ModelReply {
    const text = toOwnWords(said);
    const [lastCall, refusedPictures, wasTakenBack] = [this.#lastCall, this.#refusedPictures, this.#wasTakenBack];
    return { text, lastCall, refusedPictures, wasTakenBack };
  }

  async #step(isLast: boolean): Promise<Step> {
    for (let waits = 0; ; waits += 1)
      try {
        return await this.#ask(isLast);
      } catch (error) {
        if (this.#isRefusal(error)) {
          this.#refusedPictures = true;
          this.#conversation.leaveOutPictures();
        } else await this.#waitFor(error, waits);
      }
  }

  /** Waits for the rate limit of the server. Throws any other error, and if there is not enough time. */
  async #waitFor(problem: unknown, waits: number): Promise<void> {
    const cause = problem instanceof ModelProblem ? problem.cause : null;
    if (!(cause instanceof EarshotError) || cause.code !== "rate_limited") throw problem;
    // The limit applies to this answer, so waiting does not help.
    if (problem instanceof ModelProblem && problem.kind === "spent" && cause.retryAfter === undefined) throw problem;
    const pauseMs = Math.max(
      MIN_PAUSE_MS,
      cause.retryAfter === undefined ? 2 ** waits * 2_000 : cause.retryAfter * 1_000,
    );
    const { signal, timeLeft } = this.#deps;
    if (pauseMs >= timeLeft()) throw problem;
    await inTime(setTimeout(pauseMs, undefined, { signal }), signal);
  }

  /** The server rejects the pictures, so a retry without them may succeed. */
  #isRefusal(error: unknown): boolean {
    return error instanceof EarshotError && error.code === "unsupported" && this.#conversation.hasPictures;
  }

  async #ask(isLast: boolean): Promise<Step> {
    const { model, budget, offered, spending, signal, onPromptTokens } = this.#deps;
    const conversation = this.#conversation;
    const tools = offered.map(({ offer }) => offer);
    const system = toPrompt(offered.map(({ tool }) => tool.name));
    const fixed = estimateTokens(system) + tools.reduce((sum, offer) => sum + offerTokens(offer), 0);
    if (!conversation.fit(budget.inputTokens - fixed))
      throw new ModelProblem(new EarshotError("unavailable", "The question has no room in the context of the model."));
    const inputTokens = fixed + conversation.tokens;
    const reservation = reserve(spending, inputTokens + budget.outputTokens);
    let heard = "";
    this.#isShown = false;
    try {
      const step = await model.step({
        system,
        turns: conversation.turns,
        tools,
        toolChoice: isLast ? "none" : "auto",
        maxOutputTokens: budget.outputTokens,
        signal,
        onText: (text) => {
          if (!text.startsWith(heard)) this.#wasTakenBack = true;
          heard = text;
          this.#grow(text, isLast);
        },
      });
      reservation.settle(step.usage);
      if (!step.usage.isEstimated) onPromptTokens(step.usage.inputTokens, inputTokens);
      return step;
    } catch (error) {
      reservation.settle(toFailedUsage(error, { inputTokens, outputTokens: budget.outputTokens, heard }));
      throw this.#isRefusal(error) ? error : new ModelProblem(error);
    }
  }

  #grow(text: string, isLast: boolean): void {
    const { draft, sources } = this.#deps;
    if (!draft || (!isLast && text.length < PREFACE_LENGTH && !CITATION.test(text))) return;
    this.#isShown = true;
    const shown = toOwnWords(text);
    draft.grow(shown, sources.citedIn(shown));
  }

  async #runCalls(calls: readonly ToolRequest[]): Promise<void> {
    const { budget, signal } = this.#deps;
    const room = budget.inputTokens - this.#conversation.tokens;
    const each = Math.max(MIN_RESULT_TOKENS, Math.min(budget.resultTokens, Math.floor(room / calls.length)));
    const running = calls.map((call, index) => (index < MAX_CALLS ? this.#call(call, each) : TOO_MANY));
    const texts = await inTime(Promise.all(running), signal);
    for (const [index, call] of calls.entries())
      this.#conversation.addResult(call, cutResult(texts[index] ?? "", each));
  }

  /** A model's send to the channel of its answer counts as the answer, however it names the channel. Null without such a send. */
  async #sentHere(calls: readonly ToolRequest[]): Promise<string | null> {
    const { channelId, guildId, isPrivate } = this.#deps.question;
    // A private answer must not be posted in the channel.
    if (isPrivate && guildId !== null) return null;
    for (const { tool, args } of calls) {
      if (tool !== SEND || typeof args !== "object" || args === null) continue;
      const { channel, channel_id, text } = args as Readonly<Record<string, unknown>>;
      const place = channel ?? channel_id ?? channelId;
      if (typeof text !== "string" || typeof place !== "string") continue;
      if (place === channelId || (await this.#channelIdOf(place)) === channelId) return text;
    }
    return null;
  }

  /** Null for a channel that may not be known here, or is not found. */
  async #channelIdOf(name: string): Promise<ChannelId | null> {
    try {
      return (await this.#deps.toolbox.call(channelInfo, { channel: name })).channel_id;
    } catch (error) {
      if (error instanceof EarshotError && error.code !== "internal" && error.code !== "cancelled") return null;
      throw error;
    }
  }

  /** Reports errors to the model, which may correct its call. */
  async #call({ tool: name, args }: ToolRequest, maxTokens: number): Promise<string> {
    const { offered, toolbox, sources } = this.#deps;
    const tool = offered.find(({ offer }) => offer.name === name)?.tool;
    if (!tool) return NOT_A_TOOL;
    if (typeof args !== "object" || args === null || Array.isArray(args)) return BAD_ARGUMENTS;
    const key = JSON.stringify([name, args]);
    if (this.#done.has(key)) return REPEATED;
    this.#done.add(key);
    const given = args as Readonly<Record<string, unknown>>;
    const bounded = {
      ...given,
      ...(tool.maxTokensField && { [tool.maxTokensField]: maxTokens }),
      // The agent cites by handles, and creates the links itself.
      ...(tool.linksField && { [tool.linksField]: false }),
    };
    try {
      const { value, text } = await toolbox.run(tool.name, bounded);
      sources.add(value, { isLookedUp: true });
      if (tool.effect === "read") this.#lastCall = { tool: tool.name, args: given };
      return text;
    } catch (error) {
      if (!(error instanceof EarshotError) || error.code === "internal" || error.code === "cancelled") throw error;
      return error.hint ? `${error.message} ${error.hint}` : error.message;
    }
  }
}

/**
 * Escapes formatting that is reserved for Earshot: links with a text (citations), and small print (remarks on the answer). Any other link
 * shows its target.
 */
function toOwnWords(text: string): string {
  return text.replaceAll("](", "] (").replaceAll(/^([ \t>*+\d.-]*?)-#/gm, "$1\\-#");
}

/**
 * The usage of a failed call. A server that was unreachable or refused generated nothing, so a broken model must not use up everyone's
 * budget. A stopped call may have used all allowed tokens for thinking or calls.
 */
function toFailedUsage(
  error: unknown,
  { inputTokens, outputTokens, heard }: SpentTokens & { readonly heard: string },
): SpentTokens {
  const isStopped = error instanceof EarshotError && (error.code === "timeout" || error.code === "cancelled");
  if (isStopped) return { inputTokens, outputTokens };
  if (heard === "") return { inputTokens: 0, outputTokens: 0 };
  return { inputTokens, outputTokens: Math.min(outputTokens, estimateTokens(heard)) };
}

function reserve(spending: OperationSpending, tokens: number): ReturnType<OperationSpending["reserve"]> {
  try {
    return spending.reserve(tokens);
  } catch (error) {
    throw new ModelProblem(error, "spent");
  }
}

/** Throws a `ModelProblem` after the deadline of the answer. */
export async function inTime<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  try {
    return await orCancelled(value, signal);
  } catch (error) {
    throw signal.aborted ? new ModelProblem(new EarshotError("timeout", "The answer took too long.")) : error;
  }
}
