import type { Reach } from "../../domain/answer/compose.ts";
import { isSure, pickPassages, type SaidPassage } from "../../domain/answer/passages.ts";
import { glossed, toTopicWords } from "../../domain/answer/topic.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Wanted } from "../../language/language.ts";
import { searchChannelMessages } from "../../tools/search-channel-messages.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchThreadMessages } from "../../tools/search-thread-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import type { Turn } from "../turn.ts";
import { type Asked, reachOf } from "./asked.ts";

const SEARCHES = {
  search_messages: searchMessages,
  search_channel_messages: searchChannelMessages,
  search_user_messages: searchUserMessages,
  search_thread_messages: searchThreadMessages,
};

/** A search that may answer a question. What follows a question changes one part of it. */
export interface SearchPlan {
  readonly tool: keyof typeof SEARCHES;
  /** The words to look for; empty for whatever somebody said, or was said in a thread. */
  readonly topic: string;
  readonly person: string | null;
  readonly channel: string | null;
  /** In words of the tools. */
  readonly time: string | null;
  readonly wanted: Wanted;
}

/** The search that answered the question before; null where something else did. */
export function planOf({ tool, args }: Turn): SearchPlan | null {
  return Object.hasOwn(SEARCHES, tool) && "wanted" in args ? (args as unknown as SearchPlan) : null;
}

/** What a search found, and what of it may answer. */
export interface Searched {
  readonly plan: SearchPlan;
  readonly passages: readonly SaidPassage[];
  readonly isSure: boolean;
  /** The person whose messages were searched. */
  readonly person: { readonly id: UserId; readonly name: string } | null;
  readonly reach: Reach;
}

const LIMIT = 40;
const MAX_PASSAGES = 3;
/** A time that ended: it has an end as well as a beginning. */
const CLOSED = /^(?:yesterday|this morning|the day before yesterday|last |(?:the )?past (?:week|month|year|weekend))/iu;
/** Who asks what somebody said is answered by what they said. */
export const MIN_SAID = 0.8;

/** From what was asked to what may be meant. */
export async function searchFurther(plan: SearchPlan, asked: Asked): Promise<Searched> {
  const { slots, question } = asked;
  const searched = await runSearch(plan, asked);
  const isHinted = plan.tool === "search_channel_messages" && plan.channel === null && !slots.isHere;
  if (searched.passages.length > 0 || !isHinted || question.guildId === null) return searched;
  const everywhere = await runSearch({ ...plan, tool: "search_messages" }, asked);
  if (everywhere.passages.length > 0 || plan.time === null) return everywhere;
  return runSearch({ ...plan, tool: "search_messages", time: null }, asked);
}

/** `except`: shown before. Throws as the tools do. */
export async function runSearch(plan: SearchPlan, asked: Asked, except?: ReadonlySet<string>): Promise<Searched> {
  const { language, question, toolbox, now, slots } = asked;
  const { tool, wanted } = plan;
  // They take the same, and give the same.
  const search = SEARCHES[tool] as typeof searchMessages;
  const found = await toolbox.call(search, toArguments(plan, glossed(plan.topic, language)));
  const person = tool === "search_user_messages" ? (found.hits[0]?.message.author ?? null) : null;
  const topic = toTopicWords(plan.topic, language);
  const request = { ...question, topic, language, wanted, now, isLatest: slots.isLatest };
  // Of what somebody said about something, the latest counts.
  const isNewestFirst = (person !== null && wanted === "said") || topic.length === 0;
  const more = { by: person?.id ?? null, isNewestFirst, ...(except && { except }) };
  const passages = pickPassages(found.hits, { ...request, ...more }).slice(0, MAX_PASSAGES);
  const isSaid = tool === "search_user_messages" && wanted === "said" && (passages[0]?.coverage ?? 0) >= MIN_SAID;
  return { plan, passages, isSure: isSaid || isSure(passages, request), person, reach: reachOf(found) };
}

function toArguments({ tool, person, channel, time }: SearchPlan, query: string) {
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
