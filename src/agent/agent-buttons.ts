import { type ChannelId, type MessageId, toId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Button } from "../ports/discord.ts";

/** What a button under an answer asks for. Its id holds only ids, so it works after a restart too. */
export type AgentButton =
  /** What the answer rests on. */
  | { readonly kind: "sources" }
  /** One of several that could be meant, by its number. */
  | { readonly kind: "choose"; readonly choice: number }
  /** The same question, for the presser alone; null where the answer itself quotes it. */
  | { readonly kind: "ask"; readonly question: MessageRef | null };

/** The ids of all of them begin with this, and a colon. */
export const AGENT_BUTTONS = "agent";

const SOURCES: Button = { id: "agent:sources", label: "Sources" };

const ASK_QUOTED = "agent:ask";
const MAX_BUTTONS = 5;
const MAX_CHOICES = 4;
const MAX_LABEL_LENGTH = 80;

/** `question`: where others read the answer too, so that each can ask for themselves. */
export function answerButtons({
  hasSources,
  question,
  choices = [],
}: {
  readonly hasSources: boolean;
  /** What the person asking may choose from. */
  readonly choices?: readonly { readonly label: string }[];
  readonly question: Pick<Message, "channel_id" | "message_id"> | "quoted" | null;
}): Button[] {
  const id = question === "quoted" ? ASK_QUOTED : `${ASK_QUOTED}:${question?.channel_id}:${question?.message_id}`;
  const ask = question && { id, label: "Ask privately" };
  const chosen = choices.slice(0, MAX_CHOICES).map(({ label }, index) => ({
    id: `agent:choose:${index}`,
    label: label.slice(0, MAX_LABEL_LENGTH),
    isMain: true,
  }));
  // Discord shows five in a row.
  return [...chosen, ...(hasSources ? [SOURCES] : []), ...(ask ? [ask] : [])].slice(0, MAX_BUTTONS);
}

/** Null for what is no button of the agent's. */
export function readAgentButton(id: string): AgentButton | null {
  if (id === SOURCES.id) return { kind: "sources" };
  const choice = /^agent:choose:(\d)$/.exec(id)?.[1];
  if (choice !== undefined) return { kind: "choose", choice: Number(choice) };
  if (id === ASK_QUOTED) return { kind: "ask", question: null };
  const [, channel, message] = /^agent:ask:(\d{1,20}):(\d{1,20})$/.exec(id) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { kind: "ask", question: { channelId, messageId } } : null;
}
