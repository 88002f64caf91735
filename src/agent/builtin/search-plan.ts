import { type Evidence, type FoundHit, toEvidence } from "../../domain/answer/evidence.ts";
import type { Wanted } from "../../domain/answer/languages/language-words.ts";
import { findOpenQuestion } from "../../domain/answer/open-question.ts";
import { type Extract, pickExtracts } from "../../domain/answer/pick-extracts.ts";
import { glossed, toTopicWords } from "../../domain/answer/topic.ts";
import { relatedTo } from "../../domain/answer/word-families.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { searchChannelMessages } from "../../tools/search-channel-messages.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchThreadMessages } from "../../tools/search-thread-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import type { Asked } from "./asked.ts";

export type SearchTool =
  | "search_messages"
  | "search_channel_messages"
  | "search_user_messages"
  | "search_thread_messages";

/** A search that may answer a question. What follows a question changes one part of it. */
export interface SearchPlan {
  readonly tool: SearchTool;
  /** The words to look for; empty for whatever somebody said, or was said in a thread. */
  readonly topic: string;
  readonly person: string | null;
  readonly channel: string | null;
  /** In words of the tools. */
  readonly time: string | null;
  readonly wanted: Wanted;
  /** Something of the person's own is asked for. */
  readonly isOwn?: boolean;
}

/** What a search found, and what of it answers. */
export interface Searched {
  readonly plan: SearchPlan;
  readonly args: Readonly<Record<string, unknown>>;
  readonly extracts: readonly Extract[];
  /** For want of extracts: what is about less of the topic. */
  readonly weakExtracts: readonly Extract[];
  /** The person whose messages were searched. */
  readonly person: { readonly id: UserId; readonly name: string } | null;
  readonly scanned: number;
  readonly from: string | null;
  readonly isPartial: boolean;
  readonly isShared: boolean;
  readonly cursor: string | null;
}

const LIMIT = 40;
const MAX_EXTRACTS = 3;
/** A time that ended: it has an end as well as a beginning. */
const CLOSED = /^(?:yesterday|this morning|the day before yesterday|last |(?:the )?past (?:week|month|year|weekend))/iu;

export interface SearchMore {
  /** Shown before. */
  readonly except?: ReadonlySet<string>;
  /** Also looked for, but not asked for. */
  readonly related?: string;
  /** Whose messages may answer, of all who speak in what was found. */
  readonly by?: (authors: readonly Message["author"][]) => UserId | null;
}

/** Throws as the tools do. */
export async function runSearch(plan: SearchPlan, asked: Asked, options: SearchMore = {}): Promise<Searched> {
  const { language, question, now } = asked;
  const { except = new Set(), related = "" } = options;
  const topic = toTopicWords(plan.topic, language);
  const args = toArguments(plan, `${glossed(plan.topic, language)} ${related}`.trim());
  const output = await callSearch(plan.tool, args, asked);
  const hits: readonly FoundHit[] = output.hits;
  const found = toEvidence(hits, question);
  const open = plan.person === null && topic.length > 0 ? findOpenQuestion(found, topic) : null;
  const evidence = open ? toEvidence([...hits, await readAnswers(open, asked)], question) : found;
  const author = plan.tool === "search_user_messages" ? (output.hits[0]?.message.author ?? null) : null;
  const by = author?.id ?? options.by?.(evidence.map(({ message }) => message.author)) ?? null;
  const request = {
    topic,
    wanted: plan.wanted,
    now,
    limit: MAX_EXTRACTS,
    by,
    except,
    isOwn: plan.isOwn ?? false,
    isLatest: asked.slots.isLatest,
    isByTime: topic.length === 0,
  };
  const extracts = pickExtracts(evidence, request);
  return {
    plan,
    args,
    extracts,
    weakExtracts: extracts.length > 0 ? [] : pickExtracts(evidence, { ...request, isWeak: true }),
    person: author,
    scanned: output.coverage.scanned,
    from: output.coverage.complete ? output.coverage.from : output.everything_since,
    isPartial: output.unreachable || output.still_reading,
    isShared: output.note?.endsWith(ONLY_HERE) ?? false,
    cursor: output.cursor,
  };
}

/** Other words for what is looked for; empty when there are none. */
export function relatedWords({ topic }: SearchPlan, { language }: Asked): string {
  const stems = toTopicWords(topic, language).map(({ stem }) => stem);
  return [...new Set(stems.flatMap((stem) => relatedTo(stem)))].join(" ");
}

const ANSWERS = 8;

/** What was said after a question. */
async function readAnswers({ message, place }: Evidence, { toolbox }: Asked): Promise<FoundHit> {
  const args = { message_id: message.link, before: 0, after: ANSWERS, include_own: false };
  const { messages } = await toolbox.call(getMessageContext, args);
  return { message, channel: { name: place }, around: messages };
}

function toArguments({ tool, person, channel, time }: SearchPlan, query: string): Record<string, unknown> {
  return {
    ...(person !== null && tool === "search_user_messages" && { user_name: person }),
    ...(query !== "" && { query: query.slice(0, 500) }),
    ...(channel !== null && tool !== "search_thread_messages" && { channel }),
    ...(time !== null && toTimes(time)),
    limit: LIMIT,
  };
}

/** A time as the searching tools take it. */
export function toTimes(time: string): { readonly since: string; readonly until?: string } {
  return { since: time.replace(/^since /iu, ""), ...(CLOSED.test(time) && { until: time }) };
}

function callSearch(tool: SearchTool, args: Record<string, unknown>, { toolbox }: Asked) {
  switch (tool) {
    case "search_messages":
      return toolbox.call(searchMessages, args as { query: string });
    case "search_channel_messages":
      return toolbox.call(searchChannelMessages, args as { query: string });
    case "search_user_messages":
      return toolbox.call(searchUserMessages, args as { user_name: string });
    case "search_thread_messages":
      return toolbox.call(searchThreadMessages, args);
  }
}
