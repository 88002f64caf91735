import type { z } from "zod";
import type { Message } from "../../domain/message.ts";
import type { DisplayNames } from "../../domain/names/resolve-name.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { ToolCall } from "../../gate/call/tool-call.ts";
import type { Note } from "../../ports/discord.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { partialNotes } from "../../tools/search-fields.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { send } from "../../tools/send.ts";
import type { CommandCalls } from "./command-calls.ts";
import { MAX_NOTE_LENGTH, toHit } from "./message-lines.ts";
import type { FindRequest, RecentCommand, RecentCommands } from "./recent-commands.ts";
import { toAnswerButton } from "./review-button.ts";

/** Fits a phone screen. */
const PAGE = 5;
/** Maximum hits searched for the shared page. */
const MAX_HITS = 100;
const MAX_QUERY_LENGTH = 100;

type SearchResult = z.output<typeof searchMessages.output>;
type Manner = Pick<ToolCall, "signal" | "onProgress">;

export interface FindCommandDeps {
  readonly calls: CommandCalls;
  readonly recent: RecentCommands;
}

/** One page of hits, visible to the person only. */
export async function findPage(
  { invocation, request, cursor }: Pick<RecentCommand, "invocation" | "cursor"> & { readonly request: FindRequest },
  manner: Manner,
  { calls, recent }: FindCommandDeps,
): Promise<Note> {
  const operation = await calls.openPrivately(invocation);
  const args = { ...toArguments(request), limit: PAGE, ...(cursor !== null && { cursor }) };
  const found = await calls.call(searchMessages, args, { operation, ...manner });
  const messages = found.hits.map(({ message }) => message);
  const next = found.has_more ? found.cursor : null;
  const notes = [...toNotes(found), ...(found.note === null ? [] : [found.note])];
  if (messages.length === 0 && next === null) return { text: nothingFound(request, notes) };
  const shown = messages.map(({ message_id }) => message_id);
  const commandId = recent.add({ invocation, request, cursor: next, shown });
  const own = { owner: invocation.userId, commandId };
  const buttons = [
    ...(next === null ? [] : [toAnswerButton({ step: "more", ...own })]),
    ...(invocation.guildId === null || shown.length === 0 ? [] : [toAnswerButton({ step: "share", ...own })]),
  ];
  return {
    text: toText({ messages, title: `Found for “${quote(request)}”:`, notes }, calls.displayNames()),
    buttons,
  };
}

/** Posts the page in the channel of the command, as far as everyone there may know it. Null if posted, otherwise the text for the
 * person. */
export async function shareFound(
  { invocation, request, shown }: Pick<RecentCommand, "invocation" | "shown"> & { readonly request: FindRequest },
  manner: Manner,
  calls: CommandCalls,
): Promise<Note | null> {
  const operation = await calls.openHere(invocation);
  const args = { ...toArguments(request), limit: MAX_HITS };
  const found = await calls.look(searchMessages, args, { operation, ...manner });
  const messages = (found?.hits ?? []).map(({ message }) => message);
  const wanted = messages.filter(({ message_id }) => shown.includes(message_id));
  if (wanted.length === 0) return { text: nothingFound(request, found ? toNotes(found) : []) };
  const text = toText(
    {
      messages: wanted,
      title: `Shared by <@${invocation.userId}>, found for “${quote(request)}”:`,
      notes: [found?.note ?? ONLY_HERE],
    },
    calls.displayNames(),
  );
  await calls.call(send, { channel: invocation.channelId, text }, { operation, ...manner });
  return null;
}

/** The person comes first: an unclosed quotation mark in the query would swallow it. */
function toArguments({ query, from, in: channel, since }: FindRequest) {
  return {
    query: from === undefined ? query : `from:${from} ${query}`,
    ...(channel !== undefined && { channel }),
    ...(since !== undefined && { since }),
  };
}

/** The same text whether there are no hits or none that may be disclosed. */
function nothingFound(request: FindRequest, notes: readonly string[]): string {
  return [`Nothing found for “${quote(request)}”.`, ...notes.map(toSmallPrint)].join("\n");
}

function toNotes(found: SearchResult): readonly string[] {
  return [...(found.examined === null ? [] : [found.examined]), ...partialNotes(found)];
}

interface Page {
  readonly messages: readonly Message[];
  readonly title: string;
  readonly notes: readonly string[];
}

function toText({ messages, title, notes }: Page, names: DisplayNames): string {
  const frame = [title, ...notes.map(toSmallPrint)];
  const taken = frame.reduce((sum, line) => sum + line.length + 1, 0);
  const room = Math.floor((MAX_NOTE_LENGTH - taken) / Math.max(1, messages.length)) - 1;
  const [first, ...rest] = frame;
  return [first, ...messages.map((message) => toHit(message, room, names)), ...rest].join("\n");
}

function toSmallPrint(words: string): string {
  return `-# ${words}`;
}

function quote({ query }: FindRequest): string {
  return escapeMarkdown(query.replaceAll(/[“”„‟]/g, "'"), MAX_QUERY_LENGTH);
}

export function toFindRequest(options: ReadonlyMap<string, string>): FindRequest {
  const [query = "", channel, from, since] = ["query", "in", "from", "since"].map((name) => options.get(name)?.trim());
  return {
    kind: "find",
    query,
    ...(channel && { in: channel }),
    ...(from && { from }),
    ...(since && { since }),
  };
}
