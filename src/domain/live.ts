import { idTime, type MessageId } from "./ids.ts";

/**
 * What was said in a channel this long before a request counts as being said now, which may be repeated there to everybody who can view the channel, whether or
 * not they can read its history. Long enough for the talk that a question belongs to; shorter than anybody would call history.
 */
const LIVE_MS = 10 * 60_000;

/** What an operation answers, and when it was opened. */
interface LiveRequest {
  readonly openedAt: number;
  readonly origin: { readonly messageId: MessageId | null };
}

/** From when on messages are live within an operation. */
export function liveSince({ openedAt }: Pick<LiveRequest, "openedAt">): number {
  return openedAt - LIVE_MS;
}

/** The request itself is live however late it is answered: its author asks for it. What came between is not. */
export function isLive(messageId: MessageId, { openedAt, origin }: LiveRequest): boolean {
  return messageId === origin.messageId || idTime(messageId) >= liveSince({ openedAt });
}
