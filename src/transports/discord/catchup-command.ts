import type { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { ToolCall } from "../../gate/call/tool-call.ts";
import type { Note } from "../../ports/discord.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { getChannelSummary } from "../../tools/get-channel-summary.ts";
import { send } from "../../tools/send.ts";
import type { CommandCalls } from "./command-calls.ts";
import { MAX_NOTE_LENGTH, toMoment } from "./message-lines.ts";
import type { CatchupRequest, RecentCommand, RecentCommands } from "./recent-commands.ts";
import { toAnswerButton } from "./review-button.ts";

const MAX_POINT_LENGTH = 300;
const MAX_CITES = 2;
const MAX_SUMMARISED = 600;
/** Per answer. Ten points need no more. */
const MAX_NOTES = 4;

type Summary = z.output<typeof getChannelSummary.output>;
type Manner = Pick<ToolCall, "signal" | "onProgress">;

export interface CatchupDeps {
  readonly calls: CommandCalls;
  readonly recent: RecentCommands;
}

interface CatchupCommand extends Pick<RecentCommand, "invocation"> {
  readonly request: CatchupRequest;
}

/** Summarises recent messages, visible to the invoking person only. */
export async function catchUp(
  { invocation, request }: CatchupCommand,
  manner: Manner,
  { calls, recent }: CatchupDeps,
): Promise<readonly Note[]> {
  if (invocation.guildId === null && request.in === undefined)
    throw new EarshotError("invalid", "In direct messages `in` is needed: pick the channel to catch up on.");
  const operation = await calls.openPrivately(invocation);
  const summary = await calls.call(getChannelSummary, toArguments(request), { operation, ...manner });
  const { channel_id } = summary.source;
  if (summary.points.length === 0)
    return [{ text: [nothingNew(channel_id), ...toNotes(summary).map(toSmallPrint)].join("\n") }];
  const smallPrint = [describeOrigin(summary), ...toNotes(summary)].map(toSmallPrint);
  const texts = pack([toTitle(summary), ...summary.points.map(toBullet), ...smallPrint]);
  if (invocation.guildId === null) return texts.map((text) => ({ text }));
  const commandId = recent.add({ invocation, request: { ...request, in: channel_id }, cursor: null, shown: [] });
  const buttons = [toAnswerButton({ step: "share", owner: invocation.userId, commandId })];
  return texts.map((text, index) => (index === texts.length - 1 ? { text, buttons } : { text }));
}

/** Posts it in the channel of the command, if everyone there may know it. Null if posted, otherwise the text for the person. */
export async function shareCatchup(
  { invocation, request }: CatchupCommand,
  manner: Manner,
  calls: CommandCalls,
): Promise<Note | null> {
  const operation = await calls.openHere(invocation);
  const summary = await calls.look(getChannelSummary, toArguments(request), { operation, ...manner });
  if (!summary || summary.points.length === 0) return { text: nothingNew(request.in ?? invocation.channelId) };
  const title = `Shared by <@${invocation.userId}>. ${toTitle(summary)}`;
  const smallPrint = [...toNotes(summary), ONLY_HERE].map(toSmallPrint);
  const [text = ""] = pack([title, ...summary.points.map(toBullet), ...smallPrint], 10 * MAX_NOTE_LENGTH);
  await calls.call(send, { channel: invocation.channelId, text }, { operation, ...manner });
  return null;
}

/** The options of the command as a request. "since Monday" extends to now; "Monday" alone would end with that day. */
export function toCatchupRequest(options: ReadonlyMap<string, string>): CatchupRequest {
  const [since, channel, focus] = ["since", "in", "focus"].map((name) => options.get(name)?.trim());
  return {
    kind: "catchup",
    timeframe: since ? `since ${since.replace(/^since\s+/i, "")}` : "since I was last here",
    ...(channel && { in: channel }),
    ...(focus && { focus }),
  };
}

function toArguments({ timeframe, in: channel, focus }: CatchupRequest) {
  return {
    timeframe,
    limit: MAX_SUMMARISED,
    ...(channel !== undefined && { channel }),
    ...(focus !== undefined && { focus }),
  };
}

function toTitle({ source, coverage }: Summary): string {
  const since = coverage.from === null ? "" : `, from ${toMoment(coverage.from)} on`;
  return `What was said in <#${source.channel_id}>${since}:`;
}

function nothingNew(channelId: string): string {
  return `Nothing new in <#${channelId}>.`;
}

function toNotes({ note }: Summary): readonly string[] {
  return note === null ? [] : [escapeMarkdown(note, MAX_POINT_LENGTH)];
}

function toBullet({ text, cites }: Summary["points"][number]): string {
  const links = cites.slice(0, MAX_CITES).map(({ link }, index) => `[${index + 1}](${link})`);
  return [`- ${escapeMarkdown(text, MAX_POINT_LENGTH)}`, ...links].join(" ");
}

function describeOrigin({ by, messages }: Summary): string {
  const count = messages === 1 ? "one message" : `${messages.toLocaleString("en")} messages`;
  return by === "model" ? `Written by a model after ${count}.` : `Picked from ${count}.`;
}

function toSmallPrint(words: string): string {
  return `-# ${words}`;
}

/** Packs lines into as few notes as possible. */
function pack(lines: readonly string[], longest = MAX_NOTE_LENGTH): string[] {
  const notes: string[] = [];
  for (const line of lines) {
    const last = notes.at(-1);
    if (last !== undefined && last.length + 1 + line.length <= longest) notes[notes.length - 1] = `${last}\n${line}`;
    else if (notes.length < MAX_NOTES) notes.push(line);
  }
  return notes;
}
