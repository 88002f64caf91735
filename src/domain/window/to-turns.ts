import type { Message } from "../message.ts";
import { escapeLines } from "../text/escape.ts";
import { renderPieces } from "../text/line-pieces.ts";
import { fileNames } from "../text/message-pieces.ts";
import { singleLine } from "../text/single-line.ts";
import { estimateTokens } from "../text/tokens.ts";
import { wrapInBlock } from "../text/untrusted-block.ts";
import type { Window } from "./build-window.ts";
import { removeIsolationSign } from "./isolation.ts";
import type { MessageFormat } from "./message-format.ts";
import { renderChain, renderMessage, renderWindow } from "./render-window.ts";

/** What an agent that is spoken to is told. */
export interface WindowContent {
  readonly window: Window;
  /** What the place begins with, where it is a thread or a post. */
  readonly starter: Message | null;
  readonly chain: ReplyChain;
  readonly request: Message | null;
}

export interface ReplyChain {
  /** Oldest first, without the request. */
  readonly messages: readonly Message[];
  /** `start`: it begins there. `deleted`: what comes before was deleted. `absent`: it cannot be read. `long`: it goes on further back. */
  readonly end: "start" | "deleted" | "absent" | "long";
}

/** One turn of a model's conversation, all of them the user's. */
export interface WindowTurn {
  readonly kind: "window" | "chain" | "request";
  readonly text: string;
  /** At most so many. */
  readonly tokens: number;
  /** What it shows. */
  readonly messages: readonly Message[];
}

export interface ToTurnsDeps {
  readonly format: MessageFormat;
  readonly nonce: string;
  readonly now: number;
  /** Where it is: our own word for it, and its name. */
  readonly place: { readonly kind: string; readonly name: string | null };
}

const ENDS: Readonly<Record<ReplyChain["end"], string | null>> = {
  start: null,
  deleted: "The chain goes further back; the message before was deleted.",
  absent: "The chain goes further back; the message before cannot be read here.",
  long: "The chain goes further back.",
};

/** The window, then the chain, then the request; what there is nothing to tell of is left out. */
export function toTurns({ window, starter, chain, request }: WindowContent, deps: ToTurnsDeps): WindowTurn[] {
  const turns: WindowTurn[] = [];
  if (window.threads.length > 0 || starter) turns.push(windowTurn(window, starter, deps));
  if (chain.messages.length > 0 || ENDS[chain.end] !== null) turns.push(chainTurn(chain, deps));
  if (request) turns.push(requestTurn(request, deps));
  return turns;
}

/** As much of the chain as fits, from its newest message on. */
export function fitChain(chain: ReplyChain, maxTokens: number, format: MessageFormat): ReplyChain {
  let room = maxTokens - FRAME_TOKENS;
  let first = chain.messages.length;
  for (const message of chain.messages.toReversed()) {
    room -= lineTokens(message, format);
    if (room < 0) return { messages: chain.messages.slice(first), end: "long" };
    first -= 1;
  }
  return chain;
}

/** What the frame of a chain takes, with a sentence after it. */
const FRAME_TOKENS = 60;

/** What a message takes, with the pause before it. */
export function lineTokens(message: Message, format: MessageFormat): number {
  return estimateTokens(renderMessage(message, format)) + PAUSE_TOKENS;
}

const PAUSE_TOKENS = 8;

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
 * In the words of whoever asks, whole and over as many lines as they are. What came with them is not theirs: each piece stands in a block of its
 * own, whole as well, because the request may be about it.
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

/** Its lines, the long ones in pieces for which a line of a block has room. */
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
