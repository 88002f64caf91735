import type { UserId } from "./ids.ts";
import { joinParts, type Message, typedText } from "./message.ts";

const WAITS = ", something waits for your review.";

/** The bot's request to a person to review something. */
export function toReviewPrompt(actor: UserId): string {
  return `<@${actor}>${WAITS}`;
}

/** Removes the bot's own review prompts and button labels from these messages, because they are no part of a conversation. */
export function withoutControls(messages: readonly Message[], botId: UserId): Message[] {
  return messages.flatMap((message) => {
    if (message.author.id !== botId) return [message];
    if (typedText(message).endsWith(WAITS)) return [];
    const parts = message.parts.filter(({ kind }) => kind !== "component");
    return parts.length === message.parts.length ? [message] : [{ ...message, parts, content: joinParts(parts) }];
  });
}
