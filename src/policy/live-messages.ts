import { type ChannelId, idTime, type MessageId } from "../domain/ids.ts";
import type { Label } from "../domain/label.ts";
import type { Operation } from "./operation.ts";

/**
 * What was said in a channel this long before a request counts as being said now, which may be repeated there to everybody who can view the channel, whether or
 * not they can read its history. Long enough for the talk that a question belongs to; shorter than anybody would call history.
 */
const LIVE_MS = 10 * 60_000;

type Request = Pick<Operation, "openedAt" | "origin">;

/** From when on messages are live within an operation. */
export function liveSince({ openedAt }: Pick<Operation, "openedAt">): number {
  return openedAt - LIVE_MS;
}

/** The request itself is live however late it is answered: its author asks for it. What came between is not. */
export function isLive(messageId: MessageId, { openedAt, origin }: Request): boolean {
  return messageId === origin.messageId || idTime(messageId) >= liveSince({ openedAt });
}

/** The channels of which more was read than what is live. A search looks through the whole history; a name is known to everybody who can view the channel. */
export function listReadBack(label: Label, request: Request): ReadonlySet<ChannelId> {
  const readBack = new Set(label.searched.keys());
  for (const { messageId, channelId } of label.messages.values())
    if (!isLive(messageId, request)) readBack.add(channelId);
  return readBack;
}
