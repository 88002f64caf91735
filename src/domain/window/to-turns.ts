import type { Message } from "../message.ts";
import { escapeLines, singleLine } from "../text/escape.ts";
import { fileNames } from "../text/message-pieces.ts";
import { toDuration } from "../text/relative-time.ts";
import { estimateTokens } from "../text/tokens.ts";
import { type LinePiece, renderPieces, wrapInBlock } from "../text/untrusted-block.ts";
import type { Window, WindowThread } from "./build-window.ts";
import { removeIsolationSign } from "./isolation.ts";
import type { MessageFormat } from "./message-format.ts";

/** The context that an addressed agent gets. */
export interface WindowContent {
  readonly profile?: readonly LinePiece[] | null;
  /** Facts that match the request, one line each. */
  readonly facts?: readonly (readonly LinePiece[])[];
  readonly window: Window;
  /** The first message of a thread or post. */
  readonly starter: Message | null;
  readonly chain: ReplyChain;
  readonly request: Message | null;
}

export interface ReplyChain {
  /** Oldest first, without the request. */
  readonly messages: readonly Message[];
  /**
   * The reason why the chain ends above the oldest message. `start`: it is the first. `deleted`: a deleted message precedes it. `absent`: an unreadable one
   * does. `long`: more messages did not fit.
   */
  readonly end: "start" | "deleted" | "absent" | "long";
}

/** One turn of a model's conversation. All turns have the role `user`. */
export interface WindowTurn {
  readonly kind: "profile" | "facts" | "window" | "chain" | "request";
  readonly text: string;
  /** An upper estimate. */
  readonly tokens: number;
  /** The messages shown in it. */
  readonly messages: readonly Message[];
}

export interface ToTurnsDeps {
  readonly format: MessageFormat;
  readonly nonce: string;
  readonly now: number;
  /** Earshot's word for the kind of channel, and its name. */
  readonly place: { readonly kind: string; readonly name: string | null };
}

const ENDS: Readonly<Record<ReplyChain["end"], string | null>> = {
  start: null,
  deleted: "The chain goes further back; the message before was deleted.",
  absent: "The chain goes further back; the message before cannot be read here.",
  long: "The chain goes further back.",
};

/** The profile of the person asking, facts, the window, the reply chain, then the request. Empty ones are left out. */
export function toTurns(
  { profile = null, facts = [], window, starter, chain, request }: WindowContent,
  deps: ToTurnsDeps,
): WindowTurn[] {
  const turns: WindowTurn[] = [];
  if (profile) turns.push(linesTurn("profile", "the person asking", [profile], deps));
  if (facts.length > 0) turns.push(linesTurn("facts", "remembered facts", facts, deps));
  if (window.threads.length > 0 || starter) turns.push(windowTurn(window, starter, deps));
  if (chain.messages.length > 0 || ENDS[chain.end] !== null) turns.push(chainTurn(chain, deps));
  if (request) turns.push(requestTurn(request, deps));
  return turns;
}

/** The newest messages of the chain that fit. */
export function fitChain(chain: ReplyChain, maxTokens: number, format: MessageFormat): ReplyChain {
  let remaining = maxTokens - FRAME_TOKENS;
  let first = chain.messages.length;
  for (const message of chain.messages.toReversed()) {
    remaining -= lineTokens(message, format);
    if (remaining < 0) return { messages: chain.messages.slice(first), end: "long" };
    first -= 1;
  }
  return chain;
}

/** The cost of the frame of a chain, with a sentence after it. */
const FRAME_TOKENS = 60;

/** The cost of a message, with the line for a pause before it. */
export function lineTokens(message: Message, format: MessageFormat): number {
  return estimateTokens(renderMessage(message, format)) + PAUSE_TOKENS;
}

const PAUSE_TOKENS = 8;

function linesTurn(
  kind: WindowTurn["kind"],
  about: string,
  all: readonly (readonly LinePiece[])[],
  { nonce }: ToTurnsDeps,
): WindowTurn {
  const label = { kind: about, name: null, from: null, to: null, integrity: "untrusted" } as const;
  const lines = all.map((pieces) => `- ${renderPieces(pieces, nonce)}`);
  return toTurn(kind, wrapInBlock(lines, { nonce, label }), []);
}

/** The first lines that fit. */
export function fitFacts(
  facts: readonly (readonly LinePiece[])[],
  maxTokens: number,
  nonce: string,
): readonly (readonly LinePiece[])[] {
  let remaining = maxTokens - FACTS_FRAME_TOKENS;
  const count = facts.findIndex((pieces) => {
    remaining -= estimateTokens(`- ${renderPieces(pieces, nonce)}`) + 1;
    return remaining < 0;
  });
  return count === -1 ? facts : facts.slice(0, count);
}

const FACTS_FRAME_TOKENS = 40;

function windowTurn(window: Window, starter: Message | null, deps: ToTurnsDeps): WindowTurn {
  const messages = [...(starter ? [starter] : []), ...window.threads.flatMap((thread) => thread.messages)];
  const lines = wrapInBlock(renderWindow({ window, starter }, deps), {
    nonce: deps.nonce,
    label: toLabel(messages, deps),
  });
  const { threads, messages: count } = window.leftOut;
  const whole =
    threads === 0 ? "" : `, ${threads} whole ${threads === 1 ? "conversation" : "conversations"} among them`;
  const note = count === 0 ? [] : [`${count} older ${count === 1 ? "message is" : "messages are"} left out${whole}.`];
  return toTurn("window", [...lines, ...note], messages);
}

function chainTurn({ messages, end }: ReplyChain, deps: ToTurnsDeps): WindowTurn {
  const { nonce, format } = deps;
  const label = { kind: "reply chain", name: null, from: null, to: null, integrity: "untrusted" } as const;
  const lines = messages.length === 0 ? [] : wrapInBlock(renderChain(messages, format), { nonce, label });
  const note = ENDS[end];
  return toTurn("chain", note === null ? lines : [...lines, note], messages);
}

/**
 * The typed text of the request, complete and with its line breaks. Everything else in the message was not typed by the actor: each part gets an
 * untrusted block of its own, complete as well, because the request may be about it.
 */
function requestTurn(request: Message, { format, nonce }: ToTurnsDeps): WindowTurn {
  const words = escapeLines(removeIsolationSign(format.typedBy(request)), nonce);
  const files = fileNames(request)
    .map(({ text }) => singleLine(text))
    .join("\n");
  const mentions = format.mentionedBy(request).join("\n");
  const attached = [
    ...format.attachedTo(request),
    ...(files === "" ? [] : [{ label: "files", text: files }]),
    ...(mentions === "" ? [] : [{ label: "mentions", text: mentions }]),
  ];
  const blocks = attached.flatMap(({ label, text }) => {
    const lines = toShortLines(text).map((line) => `-: ${renderPieces([{ words: line }], nonce)}`);
    const source = {
      kind: `${label} in the request`,
      name: null,
      from: null,
      to: null,
      integrity: "untrusted",
    } as const;
    return wrapInBlock(lines, { nonce, label: source });
  });
  return toTurn("request", [`${format.nameOf(request)}: ${words}`.trimEnd(), ...blocks], [request]);
}

/** Splits a text into lines, and long lines into pieces that fit into a line of a block. */
function toShortLines(text: string): string[] {
  return text.split("\n").flatMap((line) => line.match(/.{1,250}/gsu) ?? []);
}

function toTurn(kind: WindowTurn["kind"], lines: readonly string[], messages: readonly Message[]): WindowTurn {
  const text = lines.join("\n");
  return { kind, text, tokens: estimateTokens(text), messages };
}

function toLabel(messages: readonly Message[], { place }: ToTurnsDeps) {
  const times = messages.map(({ ts }) => ts).sort();
  return { ...place, from: times[0] ?? null, to: times.at(-1) ?? null, integrity: "untrusted" } as const;
}

const HEADER = "[recent channel context]";
/** Pauses of at least this length are mentioned. */
const SILENCE_MS = 3_600_000;
const MAX_NAMES = 8;

/**
 * The window as lines of a block:
 *
 *     [recent channel context]
 *
 *     thread (alice, bob):
 *       alice: content
 *       (3 hours later)
 *       (m7) bob: content
 *
 *     standalone (charlie):
 *       content
 *
 * Text by others is indented; names contain neither colons nor brackets, and a round bracket at the start of an indented line is Earshot's.
 */
function renderWindow(
  { window, starter }: { window: Window; starter: Message | null },
  { format, now }: { format: MessageFormat; now: number },
): string[] {
  const start = starter ? ["", `starter (${format.nameOf(starter)}):`, alone(starter, format)] : [];
  return [HEADER, ...start, ...window.threads.flatMap((thread) => ["", ...renderThread(thread, format, now)])];
}

/** The reply chain as lines of a block, oldest first. */
function renderChain(messages: readonly Message[], format: MessageFormat): string[] {
  return [
    "[reply chain]",
    ...messages.flatMap((message, index) => [...silenceBefore(messages, index), renderMessage(message, format)]),
  ];
}

function renderThread({ messages, earlier }: WindowThread, format: MessageFormat, now: number): string[] {
  const [first] = messages;
  const isStandalone = messages.length === 1 && earlier === 0;
  const label = `${isStandalone ? "standalone" : "thread"} (${listNames(messages, format)}):`;
  const lines = messages.flatMap((message, index) => [
    ...silenceBefore(messages, index),
    isStandalone ? alone(message, format) : renderMessage(message, format),
  ]);
  const before = earlier > 0 ? [`  (${earlier} earlier)`] : [];
  const silence = now - Date.parse(messages.at(-1)?.ts ?? "");
  const after = silence >= SILENCE_MS ? [`  (silent for ${toDuration(silence)})`] : [];
  return first ? [label, ...before, ...lines, ...after] : [];
}

function renderMessage(message: Message, format: MessageFormat): string {
  return `  ${format.handleOf(message)}${format.nameOf(message)}: ${format.textOf(message)}`;
}

/** Without the author's name, unless the text could be mistaken for another person's line or for Earshot's. */
function alone(message: Message, format: MessageFormat): string {
  const text = format.textOf(message);
  return /^[^ ].{0,70}?:|^[(（]/u.test(text) ? renderMessage(message, format) : `  ${format.handleOf(message)}${text}`;
}

function silenceBefore(messages: readonly Message[], index: number): string[] {
  const [before, message] = [messages[index - 1], messages[index]];
  if (!before || !message) return [];
  const silence = Date.parse(message.ts) - Date.parse(before.ts);
  return silence >= SILENCE_MS ? [`  (${toDuration(silence)} later)`] : [];
}

function listNames(messages: readonly Message[], format: MessageFormat): string {
  const names = [...new Set(messages.map((message) => format.nameOf(message)))];
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(", ")} ⟦${more} more⟧` : names.join(", ");
}
