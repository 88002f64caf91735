import type { UserId } from "../ids.ts";
import { type Message, typedText } from "../message.ts";
import { withoutCode } from "../text/without-code.ts";
import { toMessageForm } from "./message-form.ts";

/** A question that was put to the agent, or what the agent answered: no evidence, because answers would come to quote answers. */
export type Echo = "question" | "answer";

/** What else was said in the channel, as far as it may be seen. */
export interface EchoContext {
  readonly botId: UserId;
  /** The message is one of the bot's. */
  isByBot(id: bigint): boolean;
  /** One of the bot's messages replies to it. */
  isAnswered(id: bigint): boolean;
}

/**
 * What the bot says in a reply, in response to a command or in direct messages is its own answer. Anything else it posts was posted for somebody,
 * who confirmed every word: an announcement, which is evidence. So is a statement to the bot, whether or not it was answered, and all that people
 * write in direct messages.
 */
export function toEcho(message: Message, context: EchoContext): Echo | null {
  const { author, guild_id, kind, reply_to, parts } = message;
  const id = BigInt(message.message_id);
  if (kind === "system") return null;
  const isDirect = guild_id === null;
  if (author.id === context.botId) return isDirect || kind === "reply" || kind === "command" ? "answer" : null;
  if (isDirect) return null;
  const isAnswered = context.isAnswered(id);
  const isMentioned = mentions(message, context.botId);
  const isToBot = reply_to !== null && (reply_to.to_bot === true || context.isByBot(BigInt(reply_to.message_id)));
  if (!isAnswered && !isMentioned && !isToBot) return null;
  const form = toMessageForm(typedText(message));
  // "@bot regatta date" asks for it. Without a mention a few words are a question if they were taken for one, and in a reply rather an answer.
  const isTaken = isMentioned || (isAnswered && reply_to === null);
  return form === "asks" || (form === "names" && isTaken && parts.every((part) => part.kind === "typed"))
    ? "question"
    : null;
}

export function mentions(message: Message, botId: UserId): boolean {
  if (!message.content.includes(botId)) return false;
  const typed = withoutCode(typedText(message));
  return typed.includes(`<@${botId}>`) || typed.includes(`<@!${botId}>`);
}
