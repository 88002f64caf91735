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
  /** The program posts its answers itself: its sends by a tool do not count as answers. */
  readonly postsAnswers?: true;
  /** Called before each call. Throws if the client may do nothing now; `unavailable` if that is unknown. */
  readonly admit?: () => void | Promise<void>;
}

/** The place of a request. */
export interface Origin {
  readonly guildId: GuildId | null;
  /** A channel or thread. */
  readonly channelId: ChannelId;
  readonly threadId: ChannelId | null;
  /** The message that asked, if any. */
  readonly messageId: MessageId | null;
  /** The message that the asking one replies to. */
  readonly parentMessageId: MessageId | null;
}

/** The purpose of a read. Saving facts needs the author's consent. */
export type Purpose = "answer" | "summarise" | "remember";

/** The readers of the answer: everyone who sees a channel, or the actor alone (an ephemeral answer, a private client). */
export type Destination =
  | { readonly kind: "channel"; readonly channelId: ChannelId }
  /** `channelId`: the channel in which they see it; null for none. */
  | { readonly kind: "actor"; readonly channelId: ChannelId | null };

/** One request. Actor, origin and purpose are fixed when it is opened; the destination can only become narrower. */
export interface Operation {
  /** Unguessable: the client that received it may act within it. */
  readonly id: string;
  readonly client: Client;
  /** The person for whom the client acts. Never taken from a tool's arguments. */
  readonly actor: UserId;
  readonly origin: Origin;
  /** The locale of the actor's Discord client, if Discord sent it with the request. */
  readonly locale?: Locale | undefined;
  readonly purpose: Purpose;
  readonly destination: Destination;
  /** The channel in which the results will be repeated, as the client named it; a call may name another. Null for none. */
  readonly for: string | null;
  /** Only the actor has read answers since it was opened. */
  readonly isAlwaysPrivate: boolean;
  /** Every effect except the answer waits for the actor, whatever was read. */
  readonly asksFirst: boolean;
  /** The message that asked requested an isolated answer (🚫). */
  readonly isIsolated: boolean;
  /** No effects in Discord, not even requests for confirmation. */
  readonly isSilent: boolean;
  readonly label: Label;
  readonly effects: OperationEffects;
  /** Unguessable marker of quoted text, so that no quoted text can end its own quotation. */
  readonly nonce: string;
  readonly openedAt: number;
  readonly expiresAt: number;
}

const MAX_EFFECTS = 5;

export interface DoneAction {
  readonly kind: Action["kind"];
  /** The channel of the effect; null for facts. */
  readonly channelId: ChannelId | null;
  /** The message that was sent, edited, deleted or reacted to; null for none. */
  readonly messageId: MessageId | null;
}

export class OperationEffects {
  readonly #answerIds = new Set<MessageId>();
  /** By kind and target: repeated edits of a message count once. */
  readonly #done = new Map<string, DoneAction>();
  #others = 0;

  /** The maximum of effects besides the answer is reached. */
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

  isAnswer(messageId: MessageId): boolean {
    return this.#answerIds.has(messageId);
  }

  mustNotBeUsedUp(): void {
    if (!this.isUsedUp) return;
    const problem = `No more than ${MAX_EFFECTS} messages, threads, reactions and changes are made for one request besides its answer; this was not done. Make another request.`;
    throw new EarshotError("rate_limited", problem);
  }

  /** Counts an effect other than the answer, right before it is sent. Throws `rate_limited` at the maximum. */
  take(): void {
    this.mustNotBeUsedUp();
    this.#others += 1;
  }
}
