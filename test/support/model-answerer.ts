import type { Answerer } from "../../src/agent/answerer.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { createModelAnswerer, type ModelAnswererDeps } from "../../src/agent/model/model-answerer.ts";
import { FairQueue } from "../../src/policy/fair-queue.ts";
import type { ChatModel } from "../../src/ports/chat-model.ts";

export type ModelAnswererOptions = Partial<Pick<ModelAnswererDeps, "contextTokens" | "limits" | "log">> & {
  /** Answers at once. */
  readonly running?: number;
};

/** Nothing ends for want of time. */
export const PATIENT = { answerMs: 60_000, waitMs: 60_000, sayWaitMs: 60_000, sayWorkMs: 60_000 };

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** An answerer with a model, and with the built-in one where that fails. */
export function openModelAnswerer(
  model: ChatModel,
  { contextTokens = 32_768, limits = PATIENT, running = 2, log = QUIET }: ModelAnswererOptions = {},
): Answerer {
  return createModelAnswerer({
    ...{ model, contextTokens, limits },
    builtin: createBuiltinAnswerer(),
    queue: new FairQueue({ running, runningPerOwner: 1, waitingPerOwner: 4 }),
    clock: { now: () => Date.now() },
    log,
  });
}
