import type { QuestionKind } from "../../domain/answer/question-kind.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { ToolOffer } from "../../ports/chat-model.ts";
import { attachmentBase64 } from "../../tools/attachment-base64.ts";
import { createThread } from "../../tools/create-thread.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { editMessage } from "../../tools/edit-message.ts";
import { forgetFact } from "../../tools/forget-fact.ts";
import { getChannelSummary } from "../../tools/get-channel-summary.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { getProjectFacts } from "../../tools/get-project-facts.ts";
import { getRecentMessages } from "../../tools/get-recent-messages.ts";
import { getUserFacts } from "../../tools/get-user-facts.ts";
import { react } from "../../tools/react.ts";
import { recallBotConversation } from "../../tools/recall-bot-conversation.ts";
import { rememberFact } from "../../tools/remember-fact.ts";
import { searchChannelMessages } from "../../tools/search-channel-messages.ts";
import { searchContext } from "../../tools/search-context.ts";
import { searchDocuments } from "../../tools/search-documents.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchThreadMessages } from "../../tools/search-thread-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import { send } from "../../tools/send.ts";
import { type JsonSchema, toToolSchema } from "../../tools/tool-schema.ts";
import type { ContextBudget } from "./context-budget.ts";

export interface OfferedTool {
  readonly tool: Tool;
  readonly offer: ToolOffer;
}

export interface OfferRequest {
  readonly kind: QuestionKind["kind"];
  readonly isIsolated: boolean;
  readonly budget: Pick<ContextBudget, "tier" | "toolTokens">;
}

/** The offer to a model with a small context for each kind of question, the best first; search in all channels is always included. */
const BEST: Readonly<Record<QuestionKind["kind"], readonly Tool[]>> = {
  thanks: [],
  greeting: [],
  help: [],
  own_questions: [],
  act: [send, createThread, react, editMessage],
  needs_model: [getRecentMessages, searchChannelMessages, searchContext, getUserFacts],
  about_me: [getUserFacts, searchContext, searchUserMessages, getProjectFacts],
  // The name may refer to something else.
  about_person: [getUserFacts, searchUserMessages, searchChannelMessages, searchDocuments],
  latest: [getRecentMessages, getChannelSummary, searchChannelMessages, getMessageContext],
  shared_facts: [getProjectFacts, getUserFacts, searchContext, searchChannelMessages],
  thread: [searchThreadMessages, getMessageContext, getChannelSummary, getRecentMessages],
  message: [getMessageContext, searchUserMessages, searchChannelMessages, getRecentMessages],
  search: [searchChannelMessages, searchDocuments, getRecentMessages, searchContext],
  catch_up: [getChannelSummary, getRecentMessages, searchChannelMessages, getMessageContext],
  remember: [rememberFact, getUserFacts, searchContext, searchChannelMessages],
  forget: [forgetFact, getUserFacts, searchContext, searchChannelMessages],
  bots: [recallBotConversation, searchUserMessages, searchContext, getMessageContext],
  // The name may be that of a bot.
  person: [searchUserMessages, getUserFacts, recallBotConversation, searchChannelMessages],
  fact: [getUserFacts, searchContext, getProjectFacts, searchUserMessages],
};

/** Base64 is useless to a model; it is shown pictures instead. */
const NOT_FOR_MODELS: ReadonlySet<string> = new Set([attachmentBase64.name]);

/** The tools offered to a model for a question, the most useful first, as many as fit. */
export function offerTools(tools: readonly Tool[], { kind, isIsolated, budget }: OfferRequest): OfferedTool[] {
  const best = BEST[kind];
  // An isolated question must use nothing but itself.
  if (best.length === 0 || isIsolated) return [];
  const few = [...best.slice(0, 1), searchMessages, ...best.slice(1)];
  const ranked = budget.tier === "full" ? [...few, ...tools] : few;
  const names = new Set(tools.filter((tool) => !tool.isForPrograms && !NOT_FOR_MODELS.has(tool.name)).map(nameOf));
  const offered: OfferedTool[] = [];
  let room = budget.toolTokens;
  for (const tool of new Set(ranked)) {
    if (!names.has(tool.name)) continue;
    const offer = offerOf(tool, budget.tier);
    room -= offerTokens(offer);
    if (room >= 0) offered.push({ tool, offer });
  }
  return offered;
}

const OFFERS = { small: new WeakMap<Tool, ToolOffer>(), full: new WeakMap<Tool, ToolOffer>() };

/** Cached, because writing a schema takes longer than classifying a question. */
function offerOf(tool: Tool, tier: ContextBudget["tier"]): ToolOffer {
  const known = OFFERS[tier].get(tool);
  if (known) return known;
  const offer = toOffer(tool, tier);
  OFFERS[tier].set(tool, offer);
  return offer;
}

/** Fields that a model with a small context can do without. */
const SPARE: ReadonlySet<string> = new Set([
  "limit",
  "cursor",
  "scan",
  "include_bots",
  "before",
  "after",
  "days",
  "visibility",
  "fact_id",
]);

/** Without `for`, because the model answers in the channel of the question. */
function toOffer(tool: Tool, tier: ContextBudget["tier"]): ToolOffer {
  const { name, about, input } = toToolSchema(tool);
  const isLeftOut = (field: string) => field === "for" || (tier === "small" && SPARE.has(field));
  const fields = Object.entries((input["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>)
    .filter(([field]) => !isLeftOut(field))
    .map(([field, schema]) => [field, tier === "small" ? shorten(schema) : schema] as const);
  const [first = about] = about.split(/(?<=\.) /);
  return {
    name,
    // The prompt says when to use it, too.
    about: tier === "small" ? first : about,
    schema: { ...input, properties: Object.fromEntries(fields) },
  };
}

/** Text after a semicolon is for readers of the full documentation. */
function shorten({ description, ...schema }: JsonSchema): JsonSchema {
  return typeof description === "string" ? { ...schema, description: description.split("; ")[0] } : schema;
}

const nameOf = ({ name }: Tool) => name;

/** Tokens that servers add around each offer. */
const FRAME_TOKENS = 12;

export function offerTokens(offer: ToolOffer): number {
  return estimateTokens(JSON.stringify(offer)) + FRAME_TOKENS;
}
