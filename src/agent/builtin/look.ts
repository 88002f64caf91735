import type { Reach } from "../../domain/answer/compose.ts";
import { type FoundHit, isSure, pickPassages, type SaidPassage } from "../../domain/answer/passages.ts";
import { glossed, toTopicWords } from "../../domain/answer/topic.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Wanted } from "../../language/language.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { searchChannelMessages } from "../../tools/search-channel-messages.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchThreadMessages } from "../../tools/search-thread-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import { nothingIfRefused } from "../toolbox.ts";
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
}

/** What a search found, and what of it may answer. */
export interface Searched {
  readonly plan: SearchPlan;
  readonly args: Readonly<Record<string, unknown>>;
  readonly passages: readonly SaidPassage[];
  readonly isSure: boolean;
  /** The person whose messages were searched. */
  readonly person: { readonly id: UserId; readonly name: string } | null;
  readonly reach: Reach;
  readonly cursor: string | null;
}

const LIMIT = 40;
const MAX_PASSAGES = 3;
/** A time that ended: it has an end as well as a beginning. */
const CLOSED = /^(?:yesterday|this morning|the day before yesterday|last |(?:the )?past (?:week|month|year|weekend))/iu;

export interface SearchMore {
  /** Shown before. */
  readonly except?: ReadonlySet<string>;
}

/** Throws as the tools do. */
export async function runSearch(plan: SearchPlan, asked: Asked, { except }: SearchMore = {}): Promise<Searched> {
  const { language, question } = asked;
  const topic = toTopicWords(plan.topic, language);
  const args = toArguments(plan, glossed(plan.topic, language));
  const { hits, coverage, everything_since, unreachable, still_reading, note, cursor } = await callSearch(
    plan.tool,
    args,
    asked,
  );
  const person = plan.tool === "search_user_messages" ? (hits[0]?.message.author ?? null) : null;
  const request = {
    ...question,
    topic,
    language,
    wanted: plan.wanted,
    isLatest: asked.slots.isLatest,
  };
  const pick = (found: readonly FoundHit[]) =>
    pickPassages(found, {
      ...request,
      by: person?.id ?? null,
      // Of what somebody said about something, the latest counts.
      isNewestFirst: (person !== null && plan.wanted === "said") || topic.length === 0,
      ...(except && { except }),
    });
  const found = pick(hits);
  // Somebody asked the same before.
  const open = person ? undefined : found.find(({ asks, coverage }) => asks && coverage >= MIN_SAME_QUESTION);
  const all = open ? pick(await withAnswers(open, hits, asked)) : found;
  const passages = all.slice(0, MAX_PASSAGES);
  return {
    plan,
    args,
    passages,
    isSure: isSaid(plan, passages) || isSure(passages, { ...request, now: asked.now }),
    person,
    reach: {
      scanned: coverage.scanned,
      from: coverage.complete ? coverage.from : everything_since,
      isPartial: unreachable || still_reading,
      isShared: note?.endsWith(ONLY_HERE) ?? false,
    },
    cursor,
  };
}

const MIN_SAME_QUESTION = 0.6;
const ANSWERS = 8;

/** With what was said after a question. */
async function withAnswers(
  { message }: SaidPassage,
  hits: readonly FoundHit[],
  { toolbox }: Asked,
): Promise<readonly FoundHit[]> {
  const args = { message_id: message.link, before: 0, after: ANSWERS, include_own: false };
  const found = await toolbox.call(getMessageContext, args).catch(nothingIfRefused);
  const said = found?.messages.filter(({ author }) => !author.bot) ?? [];
  return hits.map((hit) =>
    hit.message.message_id === message.message_id ? { ...hit, around: [...hit.around, ...said] } : hit,
  );
}

/** Who asks what somebody said is answered by what they said. */
function isSaid({ tool, wanted }: SearchPlan, [first]: readonly SaidPassage[]): boolean {
  return tool === "search_user_messages" && wanted === "said" && first !== undefined && first.coverage >= MIN_SAID;
}

export const MIN_SAID = 0.8;

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
