import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Locale } from "../domain/time/date-order.ts";
import type { Label } from "../sources/label.ts";
import type { Action } from "./action.ts";
import type { Grant } from "./grant.ts";

/** An authenticated program. */
export interface Client {
  readonly name: string;
  readonly grant: Grant;
  /** Its answers are posted by the program itself: what it sends by a tool is no answer. */
  readonly postsAnswers?: true;
  /** Asked before each call. Throws when the client may do nothing now; `unavailable` where that is not known. */
  readonly admit?: () => void | Promise<void>;
}

/** The place of a request. */
export interface Origin {
  readonly guildId: GuildId | null;
  /** The channel or thread. */
  readonly channelId: ChannelId;
  readonly threadId: ChannelId | null;
  /** The message that asked, where there is one. */
  readonly messageId: MessageId | null;
  /** The message that the asking one answers. */
  readonly parentMessageId: MessageId | null;
}

/** The purpose of a read. Remembering needs the consent of the author. */
export type Purpose = "answer" | "summarise" | "remember";

/** The readers of the answer: everyone who sees a channel, or the actor alone (an ephemeral answer, a private client). */
export type Destination =
  | { readonly kind: "channel"; readonly channelId: ChannelId }
  /** `channelId`: where they are shown it; null when that is nowhere on Discord. */
  | { readonly kind: "actor"; readonly channelId: ChannelId | null };

/** One request being served. Actor, origin and purpose are fixed when it is opened; the destination can only become narrower. */
export interface Operation {
  /** Unguessable: the client it was given to may act within it. */
  readonly id: string;
  readonly client: Client;
  /** On whose behalf. Never taken from a tool's arguments. */
  readonly actor: UserId;
  readonly origin: Origin;
  /** The locale of the actor's Discord client, if Discord sent it with the request. */
  readonly locale?: Locale | undefined;
  readonly purpose: Purpose;
  readonly destination: Destination;
  /** The channel in which what is read will be repeated, as the client called it; a call may name another. Null for nowhere. */
  readonly for: string | null;
  /** The actor alone has read the answers since it was opened. */
  readonly isAlwaysPrivate: boolean;
  /** Every effect but the answer waits for the actor, whatever was read. */
  readonly asksFirst: boolean;
  /** The message that asked wants, by 🚫, an answer from the question alone. */
  readonly isIsolated: boolean;
  /** It does nothing on Discord, including asking for a confirmation. */
  readonly isSilent: boolean;
  readonly label: Label;
  readonly effects: OperationEffects;
  /** Marks what is quoted within this operation; unguessable, so that no quoted text can end its own quotation. */
  readonly nonce: string;
  readonly openedAt: number;
  readonly expiresAt: number;
}

const MAX_EFFECTS = 5;

/** Something that was done. */
export interface DoneAction {
  readonly kind: Action["kind"];
  /** The channel of the effect; null for facts. */
  readonly channelId: ChannelId | null;
  /** The message that was sent, changed, deleted or reacted to; null where there is none. */
  readonly messageId: MessageId | null;
}

export class OperationEffects {
  readonly #answerIds = new Set<MessageId>();
  /** By what and where: a message that is changed again and again is told once. */
  readonly #done = new Map<string, DoneAction>();
  #others = 0;

  /** As much was done besides the answer as may be. */
  get isUsedUp(): boolean {
    return this.#others >= MAX_EFFECTS;
  }

  get done(): readonly DoneAction[] {
    return [...this.#done.values()];
  }

  noteDone(action: DoneAction): void {
    const { kind, channelId, messageId } = action;
    this.#done.set(`${kind} ${channelId} ${messageId}`, { kind, channelId, messageId });
  }

  noteAnswer(messageId: MessageId): void {
    this.#answerIds.add(messageId);
  }

  /** Whether a message was sent as the answer, or a part of it. */
  isAnswer(messageId: MessageId): boolean {
    return this.#answerIds.has(messageId);
  }

  mustNotBeUsedUp(): void {
    if (!this.isUsedUp) return;
    const problem = `No more than ${MAX_EFFECTS} messages, threads, reactions and changes are made for one request besides its answer; this was not done. Make another request.`;
    throw new EarshotError("rate_limited", problem);
  }

  /** Counts something other than the answer, in the moment in which it leaves. Throws `rate_limited` when there may be no more. */
  take(): void {
    this.mustNotBeUsedUp();
    this.#others += 1;
  }
}
