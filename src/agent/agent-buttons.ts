import { type ChannelId, type MessageId, toId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Button } from "../ports/discord.ts";

/** The action of a button under an answer. Its id contains only ids, so it works after a restart, too. */
export type AgentButton =
  /** Lists the sources of the answer. */
  | { readonly kind: "sources" }
  /** Selects one of several meanings, by number. */
  | { readonly kind: "choose"; readonly choice: number }
  /** Asks the same question for the presser alone; null if the answer itself quotes the question. */
  | { readonly kind: "ask"; readonly question: MessageRef | null };

/** Prefix of all button ids, followed by a colon. */
export const AGENT_BUTTONS = "agent";

const SOURCES: Button = { id: "agent:sources", label: "Sources" };

const ASK_QUOTED = "agent:ask";
const MAX_BUTTONS = 5;
const MAX_CHOICES = 4;
const MAX_LABEL_LENGTH = 80;

/** `question`: set if others read the answer, so that they can ask for themselves. */
export function answerButtons({
  hasSources,
  question,
  choices = [],
}: {
  readonly hasSources: boolean;
  /** The choices for the actor. */
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
  // Discord shows up to five buttons in a row.
  return [...chosen, ...(hasSources ? [SOURCES] : []), ...(ask ? [ask] : [])].slice(0, MAX_BUTTONS);
}

/** Null for any other button. */
export function readAgentButton(id: string): AgentButton | null {
  if (id === SOURCES.id) return { kind: "sources" };
  const choice = /^agent:choose:(\d)$/.exec(id)?.[1];
  if (choice !== undefined) return { kind: "choose", choice: Number(choice) };
  if (id === ASK_QUOTED) return { kind: "ask", question: null };
  const [, channel, message] = /^agent:ask:(\d{1,20}):(\d{1,20})$/.exec(id) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { kind: "ask", question: { channelId, messageId } } : null;
}
