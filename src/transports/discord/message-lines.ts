import type { UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { createDisplayNames, type DisplayNames } from "../../domain/names/resolve-name.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { messagePieces } from "../../domain/text/message-pieces.ts";
import { renderPieces } from "../../domain/text/untrusted-block.ts";

export const MAX_NOTE_LENGTH = 2_000;
const MAX_NAME_LENGTH = 48;
const MAX_TEXT_LENGTH = 300;

export interface Agent {
  readonly botId: UserId;
  readonly botName: string;
}

/** People's names in one answer. */
export function toDisplayNames({ botId, botName }: Agent): DisplayNames {
  return createDisplayNames({
    agent: { id: botId, name: botName },
    escape: (name) => escapeMarkdown(name, MAX_NAME_LENGTH) || "somebody",
  });
}

/** Two short lines: author, time, channel and link; then the text. */
export function toHit(message: Message, room: number, names: DisplayNames): string {
  const head = `${toAuthor(message, names)} ${toMoment(message.ts)} <#${message.channel_id}> [open](${message.link})\n> `;
  return head + toWords(message, Math.min(MAX_TEXT_LENGTH, room - head.length));
}

/** One short line, for messages of one channel. */
export function toTurn(message: Message, room: number, names: DisplayNames): string {
  const head = `${toAuthor(message, names)} ${toMoment(message.ts)} `;
  return head + toWords(message, Math.min(MAX_TEXT_LENGTH, room - head.length));
}

/** Discord's timestamp markup, in each reader's own time zone and language. */
export function toMoment(ts: string): string {
  return `<t:${Math.floor(Date.parse(ts) / 1_000)}:R>`;
}

function toAuthor({ author }: Message, names: DisplayNames): string {
  return `**${names.of(author)}**${author.bot ? " (bot)" : ""}`;
}

/** The typed text, followed by descriptions of attachments in brackets. A bracket that is cut off is closed. */
function toWords(message: Message, room: number): string {
  const words = escapeMarkdown(renderPieces(messagePieces(message, null), null), room - 1);
  return words.lastIndexOf("⟦") > words.lastIndexOf("⟧") ? `${words}⟧` : words;
}
