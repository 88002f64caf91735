import type { UserId } from "./ids.ts";
import { joinParts, type Message, typedText } from "./message.ts";

const WAITS = ", something waits for your review.";

/** With which the bot asks a person to review something. */
export function toReviewPrompt(actor: UserId): string {
  return `<@${actor}>${WAITS}`;
}

/** What the bot itself said among these messages: without its prompts for review, and without the labels of its buttons. Nobody said those. */
export function withoutControls(messages: readonly Message[], botId: UserId): Message[] {
  return messages.flatMap((message) => {
    if (message.author.id !== botId) return [message];
    if (typedText(message).endsWith(WAITS)) return [];
    const parts = message.parts.filter(({ kind }) => kind !== "component");
    return parts.length === message.parts.length ? [message] : [{ ...message, parts, content: joinParts(parts) }];
  });
}
