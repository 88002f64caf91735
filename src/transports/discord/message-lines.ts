import type { Message } from "../../domain/message.ts";
import { toShown } from "./shown-text.ts";

export const LONGEST_NOTE = 2_000;
const LONGEST_NAME = 48;
const LONGEST_TEXT = 300;

/** Two short lines: who, when, where and the way there; then what. */
export function toHit(message: Message, room: number): string {
  const head = `${toAuthor(message)} ${toMoment(message.ts)} <#${message.channel_id}> [open](${message.link})\n> `;
  return head + toWords(message, Math.min(LONGEST_TEXT, room - head.length));
}

/** One short line, for what was said in one place. */
export function toTurn(message: Message, room: number): string {
  const head = `${toAuthor(message)} ${toMoment(message.ts)} `;
  return head + toWords(message, Math.min(LONGEST_TEXT, room - head.length));
}

/** As each reader's own clock and language have it. */
export function toMoment(ts: string): string {
  return `<t:${Math.floor(Date.parse(ts) / 1_000)}:R>`;
}

function toAuthor({ author: { name, bot } }: Message): string {
  return `**${toShown(name, LONGEST_NAME) || "somebody"}**${bot ? " (bot)" : ""}`;
}

function toWords({ content, attachments }: Message, room: number): string {
  const files = attachments.map(({ filename }) => `📎 ${filename}`);
  return toShown([content, ...files].filter((part) => part !== "").join(" "), room) || "(no text)";
}
