import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { ReplyChain } from "../domain/window/to-turns.ts";
import type { ChannelView } from "./view.ts";

const PAGE = 100;
/** So often a page is asked for; those who answered long ago stand on pages of their own. */
const MAX_PAGES = 5;

/** Follows the replies back, first among what is held, then a page at a time: most of a chain stands on one. */
export async function readReplyChain(
  asked: Message,
  atHand: readonly Message[],
  channel: ChannelView,
  maxMessages: number,
): Promise<ReplyChain> {
  const known = new Map<MessageId, Message>(atHand.map((message) => [message.message_id, message]));
  const chain: Message[] = [];
  const seen = new Set([asked.message_id]);
  let pages = 0;
  for (let at = asked; ; ) {
    const { reply_to: parent } = at;
    const end = (how: ReplyChain["end"]): ReplyChain => ({ messages: chain.toReversed(), end: how });
    if (!parent || seen.has(parent.message_id)) return end("start");
    if (parent.state === "deleted") return end("deleted");
    if (chain.length === maxMessages) return end("long");
    if (!known.has(parent.message_id)) {
      if (pages === MAX_PAGES) return end("long");
      pages += 1;
      const page = await channel.before(after(parent.message_id), { limit: PAGE });
      for (const message of page.messages) known.set(message.message_id, message);
    }
    const message = known.get(parent.message_id);
    if (!message) return end("absent");
    seen.add(message.message_id);
    chain.push(message);
    at = message;
  }
}

/** A page before this id ends with the message itself. */
function after(id: MessageId): MessageId {
  return String(BigInt(id) + 1n) as MessageId;
}
