import type { Answerer } from "../agent/answerer.ts";
import type { Config } from "../config/config.ts";
import { FairQueue } from "../policy/fair-queue.ts";
import type { ChatModel } from "../ports/chat-model.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Log } from "../ports/log.ts";
import type { Model } from "../ports/model.ts";
import { systemClock } from "../storage/durable-parts.ts";

/** The one for summaries; null where none is configured. Loaded only when it is wanted: it takes a while. */
export async function openModel({ model }: Config): Promise<Model | null> {
  const { baseUrl, apiKey, name, cheapName, contextTokens } = model;
  const chosen = cheapName ?? name;
  if (chosen === undefined) return null;
  const { createModel } = await import("../models/openai/create-model.ts");
  return createModel({ baseUrl, name: chosen, contextTokens, ...(apiKey && { apiKey }) });
}

/** The one that calls tools; null where none is configured. `timeoutMs`: without a byte from its server. */
export async function openChatModel({ model }: Config, timeoutMs?: number): Promise<ChatModel | null> {
  const { baseUrl, apiKey, name } = model;
  if (name === undefined) return null;
  const { createChatModel } = await import("../models/openai/create-chat-model.ts");
  return createChatModel({ baseUrl, name, ...(apiKey && { apiKey }), ...(timeoutMs && { timeoutMs }) });
}

/** Its words and rules in many languages take a while to load: no start waits for them. */
export const loadBuiltin = async () => (await import("../agent/builtin/builtin-answerer.ts")).createBuiltinAnswerer();

export async function openAnswerer(config: Config, log: Log): Promise<Answerer> {
  const builtin: Answerer = { isLocal: true, answer: async (...asked) => (await loadBuiltin()).answer(...asked) };
  const model = await openChatModel(config);
  if (!model) return builtin;
  const { createModelAnswerer } = await import("../agent/model/model-answerer.ts");
  const queue = new FairQueue({ running: config.agent.parallel, runningPerOwner: 1, waitingPerOwner: MAX_WAITING });
  return createModelAnswerer({
    model,
    contextTokens: config.model.contextTokens,
    builtin,
    queue,
    clock: systemClock,
    log,
  });
}

/** Null unless both are set: half of the money would be no money. */
export function toPrices({ model: { inputPricePerMillion: input, outputPricePerMillion: output } }: Config) {
  return input === undefined || output === undefined ? null : { input, output };
}

/** Questions of one person that wait for the model. */
const MAX_WAITING = 4;

/** Null where none is configured. The model's key goes to the model's server and to no other. */
export async function openEmbedder({ embedder, model }: Config): Promise<Embedder | null> {
  if (embedder.name === undefined) return null;
  const { createEmbedder } = await import("../models/openai/create-embedder.ts");
  const isModels = embedder.baseUrl === undefined || embedder.baseUrl === model.baseUrl;
  const apiKey = embedder.apiKey ?? (isModels ? model.apiKey : undefined);
  return createEmbedder({
    baseUrl: embedder.baseUrl ?? model.baseUrl,
    name: embedder.name,
    ...(apiKey && { apiKey }),
  });
}
