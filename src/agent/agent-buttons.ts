import { type ChannelId, type MessageId, toId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Button } from "../ports/discord.ts";

/** What a button under an answer asks for. Its id holds only ids, so it works after a restart too. */
export type AgentButton =
  /** What the answer rests on. */
  | { readonly kind: "sources" }
  /** The same question, for the presser alone; null where the answer itself quotes it. */
  | { readonly kind: "ask"; readonly question: MessageRef | null };

const SOURCES: Button = { id: "agent:sources", label: "Sources" };

const ASK_QUOTED = "agent:ask";

/** `question`: where others read the answer too, so that each can ask for themselves. */
export function answerButtons({
  hasSources,
  question,
}: {
  readonly hasSources: boolean;
  readonly question: Pick<Message, "channel_id" | "message_id"> | "quoted" | null;
}): Button[] {
  const id = question === "quoted" ? ASK_QUOTED : `${ASK_QUOTED}:${question?.channel_id}:${question?.message_id}`;
  const ask = question && { id, label: "Ask privately" };
  return [...(hasSources ? [SOURCES] : []), ...(ask ? [ask] : [])];
}

/** Null for what is no button of the agent's. */
export function readAgentButton(id: string): AgentButton | null {
  if (id === SOURCES.id) return { kind: "sources" };
  if (id === ASK_QUOTED) return { kind: "ask", question: null };
  const [, channel, message] = /^agent:ask:(\d{1,20}):(\d{1,20})$/.exec(id) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { kind: "ask", question: { channelId, messageId } } : null;
}
