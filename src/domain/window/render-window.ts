import type { Message } from "../message.ts";
import { toDuration } from "../text/relative-time.ts";
import type { Window, WindowThread } from "./build-window.ts";
import type { MessageFormat } from "./message-format.ts";

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
 * What others wrote is indented; names contain neither colons nor brackets, and a round bracket at the start of an indented line is ours.
 */
export function renderWindow(
  { window, starter }: { window: Window; starter: Message | null },
  { format, now }: { format: MessageFormat; now: number },
): string[] {
  const start = starter ? ["", `starter (${format.nameOf(starter)}):`, alone(starter, format)] : [];
  return [HEADER, ...start, ...window.threads.flatMap((thread) => ["", ...renderThread(thread, format, now)])];
}

/** The reply chain as lines of a block, oldest first. */
export function renderChain(messages: readonly Message[], format: MessageFormat): string[] {
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

export function renderMessage(message: Message, format: MessageFormat): string {
  return `  ${format.handleOf(message)}${format.nameOf(message)}: ${format.textOf(message)}`;
}

/** Without the author's name, unless the text could be mistaken for somebody else's line or for one of ours. */
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
