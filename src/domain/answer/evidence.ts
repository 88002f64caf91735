import { type ChannelId, compareIds, type MessageId, type UserId } from "../ids.ts";
import type { Message } from "../message.ts";
import { Echoes } from "./echoes.ts";
import { tidyQuestion } from "./question-text.ts";

/** What can never be evidence. */
export interface Unwanted {
  readonly agent: { readonly id: UserId; readonly name: string };
  readonly messageId: MessageId | null;
  readonly text: string;
}

/** Those of the messages that can be quoted, in the order of time. */
export function evidenceAmong(messages: readonly Message[], unwanted: Unwanted): Message[] {
  const judge = new EvidenceJudge(unwanted);
  for (const message of messages) judge.see(message);
  const kept = messages.filter((message) => judge.isEvidence(message));
  return kept.sort((a, b) => compareIds(a.message_id, b.message_id));
}

/** Decides which of the messages that were read can be quoted: no echo, and neither the question nor a copy of it. */
export class EvidenceJudge {
  readonly #unwanted: Unwanted;
  readonly #asked: string;
  readonly #echoes = new Map<ChannelId, Echoes>();

  constructor(unwanted: Unwanted) {
    this.#unwanted = unwanted;
    this.#asked = tidyQuestion(unwanted.text, unwanted.agent).toLowerCase();
  }

  /** What was read besides tells which messages are echoes. */
  see(message: Message): void {
    const { channel_id } = message;
    const known = this.#echoes.get(channel_id) ?? Echoes.among([], this.#unwanted.agent.id);
    this.#echoes.set(channel_id, known);
    known.change([], [message]);
  }

  isEvidence({ content, kind, message_id, channel_id }: Message): boolean {
    const { messageId, agent } = this.#unwanted;
    if (message_id === messageId || kind === "system") return false;
    if (this.#echoes.get(channel_id)?.has(BigInt(message_id))) return false;
    return this.#asked === "" || tidyQuestion(content, agent).toLowerCase() !== this.#asked;
  }
}
