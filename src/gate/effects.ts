import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import { defangLinks, isDiscordLink } from "../domain/text/links.ts";
import { splitText } from "../domain/text/split-text.ts";
import type { Audit } from "../policy/audit.ts";
import type { Confirmations, DiscordAction, ReactAction, SendAction } from "../policy/confirmations.ts";
import type { Operation } from "../policy/operation.ts";
import type { QuestionHolders } from "../policy/question-holders.ts";
import type { Button, Leaving, Note } from "../ports/discord.ts";
import type { SendRequest } from "../tools/view.ts";
import type { Access } from "./access.ts";
import type { CallRecord } from "./call-record.ts";
import type { Attempt, PendingEffects, SentOnce } from "./effects-under-way.ts";
import { toNonce } from "./effects-under-way.ts";
import { type RefreshDeps, refreshSources } from "./fresh-reads.ts";

export interface EffectsDeps extends RefreshDeps {
  readonly audit: Audit;
  readonly confirmations: Confirmations;
  readonly sentOnce: SentOnce;
  readonly pendingEffects: PendingEffects;
  readonly holders: QuestionHolders;
  isLeftOut(authorId: UserId): boolean;
}

export interface EffectsCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: Access;
  readonly record: CallRecord;
  readonly signal: AbortSignal | undefined;
}

/** An answer to a question, which is a message or an interaction. */
export interface AnswerDraft {
  /** Its id. */
  readonly question: string;
  readonly channelId: ChannelId;
  readonly text: string;
  readonly replyTo?: MessageId;
  readonly buttons?: readonly Button[];
}

export type AnswerNote = Pick<Note, "text" | "buttons">;

interface SendStyle {
  readonly nonceSeed?: string;
  readonly buttons?: readonly Button[];
}

interface EditAction extends MessageRef {
  readonly kind: "edit";
  readonly text: string;
}

interface RespondAction {
  readonly kind: "respond";
  readonly channelId: ChannelId;
  readonly text: string;
}

type AnyAction = DiscordAction | EditAction | RespondAction;

/**
 * Sends and reactions of a call. Each is decided by itself, written to the audit before it happens, and decided once more when the request leaves.
 * Anything but the answer needs a person's confirmation once the operation has read what others wrote.
 */
export class Effects {
  readonly #call: EffectsCall;
  readonly #deps: EffectsDeps;

  constructor(call: EffectsCall, deps: EffectsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async send(request: SendRequest): Promise<readonly Message[]> {
    const { operation, tool } = this.#call;
    if (request.mentions.length > 0 && !operation.client.grant.mentions) {
      throw new EarshotError("forbidden", "This client may not ping people; send it without `mentions`.");
    }
    const action = this.#freeze(request);
    await this.#authorise(action);
    if (this.#needsConfirmation(action)) {
      const unsettled = this.#deps.confirmations.reclaim(operation, action);
      return unsettled
        ? this.confirmed(unsettled.id, action, true)
        : this.#deps.confirmations.require(operation, tool, action);
    }
    return this.#sendOnce(action, request.key, () => this.#mayLeave(action));
  }

  async react(channelId: ChannelId, messageId: Message["message_id"], emoji: string): Promise<void> {
    const action = { kind: "react", channelId, messageId, emoji } as const;
    await this.#authorise(action);
    if (!this.#isAnswer(action)) await this.#mustStand(channelId, messageId);
    if (this.#needsConfirmation(action))
      this.#deps.confirmations.require(this.#call.operation, this.#call.tool, action);
    else await this.#react(action, () => this.#mayLeave(action));
  }

  /** Sends the answer to the request. Another attempt to answer the same question, also of another process, sends no second message. */
  async answer({ question, channelId, text, replyTo, buttons }: AnswerDraft): Promise<readonly Message[]> {
    const action = this.#freeze({ channelId, text, mentions: [], ...(replyTo && { replyTo }) });
    await this.#authorise(action);
    this.#mustBeAnswer(action);
    const { sentOnce, confirmations, discord } = this.#deps;
    const name = { key: `answer to ${question}`, hash: confirmations.hash(action) };
    const style = { nonceSeed: discord.botId, ...(buttons && { buttons }) };
    return sentOnce.send(this.#call.operation, name, (attempt) =>
      this.#sendParts({ ...action, ...style }, attempt, () => this.#mayLeave(action)),
    );
  }

  /** Puts another text in the place of a message that was sent as the answer. */
  async edit(message: MessageRef, note: AnswerNote): Promise<void> {
    const { text } = this.#freeze({ channelId: message.channelId, text: note.text, mentions: [] });
    const action = { kind: "edit", ...message, text } as const;
    await this.#authorise(action);
    this.#mustBeAnswer(action);
    await this.#once(action, { message_id: message.messageId, bytes_hash: this.#deps.audit.hash(text) }, (leave) => {
      const leaving = { recheck: both(() => this.#mayLeave(action), leave), signal: this.#call.signal };
      return this.#deps.discord.edit(message, { ...note, text }, leaving);
    });
  }

  /** Answers a command: `deliver` hands the text over, and does so only if `recheck` does not throw. */
  async respond<Result>(
    note: AnswerNote,
    deliver: (note: AnswerNote, leaving: Leaving) => Promise<Result>,
  ): Promise<Result> {
    const { operation, signal } = this.#call;
    const channelId = operation.destination.channelId ?? operation.origin.channelId;
    const { text } = this.#freeze({ channelId, text: note.text, mentions: [] });
    const action = { kind: "respond", channelId, text } as const;
    await this.#authorise(action);
    return this.#once(action, { bytes_hash: this.#deps.audit.hash(text) }, (leave) => {
      const recheck = both(() => void this.#decide(action), leave);
      return deliver({ ...note, text }, { recheck, signal });
    });
  }

  /** Shows where the answer will be that one is being written. */
  async showTyping(): Promise<void> {
    const { operation, signal } = this.#call;
    const { channelId } = operation.destination;
    if (operation.destination.kind !== "channel" || channelId === null) return;
    const action = { kind: "respond", channelId, text: "" } as const;
    const recheck = () => void this.#decide(action);
    recheck();
    await this.#deps.discord.showTyping(channelId, { recheck, signal });
  }

  /** Does what a human has confirmed, if it still may be done. */
  async confirmed(id: string, action: DiscordAction, isRepetition = false): Promise<readonly Message[]> {
    const { confirmations } = this.#deps;
    const mayLeave = () => void this.#decide(action);
    try {
      await this.#authorise(action);
      const outcome =
        action.kind === "send" ? await this.#sendOnce(action, id, mayLeave) : await this.#react(action, mayLeave);
      confirmations.settle(id, outcome);
      return outcome;
    } catch (error) {
      if (isRepetition || isUnknown(error)) confirmations.leaveOpen(id);
      else confirmations.giveUp(id);
      throw error;
    }
  }

  /** A link that was in nothing that was read could carry data out: it is defanged. */
  #freeze({ channelId, text, replyTo, mentions }: SendRequest): SendAction {
    const { label } = this.#call.operation;
    const isKnown = (link: string) => label.integrity === "trusted" || label.hasLink(link) || isDiscordLink(link);
    return { kind: "send", channelId, text: defangLinks(text, isKnown), replyTo: replyTo ?? null, mentions };
  }

  /** Pinging people in a private thread adds them to it, and shows them its whole history. */
  #mustPingReaders({ channelId, mentions }: SendAction): void {
    const { directory } = this.#deps.discord;
    if (directory.channel(channelId)?.kind !== "private_thread") return;
    if (mentions.every((id) => directory.canView(id, channelId))) return;
    const problem = "Pinging somebody would bring them into that private thread; only people in it may be pinged.";
    throw new EarshotError("forbidden", problem);
  }

  /** A message of somebody who is left out counts as absent. */
  async #mustStand(channelId: ChannelId, messageId: Message["message_id"]): Promise<void> {
    const { timelines, isLeftOut } = this.#deps;
    const message = await timelines.message(channelId, messageId, this.#call.signal);
    if (!message || isLeftOut(message.author.id)) throw this.#call.access.absent("Message not found");
  }

  #mustBeAnswer(action: AnyAction): void {
    if (!this.#isAnswer(action)) throw new EarshotError("forbidden", "An answer belongs where it was asked for.");
  }

  async #authorise(action: AnyAction): Promise<void> {
    const { operation, access, signal } = this.#call;
    await access.learn(action.channelId);
    await refreshSources(operation.label, this.#deps, signal);
    this.#decide(action);
  }

  #decide(action: AnyAction): string {
    if (action.kind !== "react" && this.#isAnswer(action)) this.#deps.holders.mustHold(this.#call.operation);
    if (action.kind === "respond" && this.#call.operation.destination.kind === "actor") {
      this.#call.access.mustTellActor();
      return "";
    }
    const effect = action.kind === "react" ? "react" : "speak";
    const decision = this.#call.access.mustAffect(effect, action.channelId, this.#isAnswer(action));
    if (action.kind === "send") this.#mustPingReaders(action);
    return decision;
  }

  /** Another call of the operation may have read something meanwhile, so that this now needs a confirmation. */
  #mayLeave(action: DiscordAction | EditAction): void {
    this.#decide(action);
    const { operation, tool } = this.#call;
    if (action.kind === "edit") this.#mustBeAnswer(action);
    else if (this.#needsConfirmation(action)) this.#deps.confirmations.require(operation, tool, action);
  }

  /** The answer itself, and a reaction to the request, need none. */
  #needsConfirmation(action: DiscordAction): boolean {
    const { operation, access } = this.#call;
    const { label } = operation;
    if (this.#isAnswer(action)) return false;
    return label.integrity === "untrusted" || !access.mayKnowRequest(action.channelId);
  }

  #isAnswer(action: AnyAction): boolean {
    const { origin } = this.#call.operation;
    if (action.kind !== "react") return this.#isDestination(action.channelId);
    return action.messageId === origin.messageId && action.channelId === origin.channelId;
  }

  #isDestination(channelId: ChannelId): boolean {
    const { destination, actor } = this.#call.operation;
    if (destination.kind === "channel") return destination.channelId === channelId;
    const channel = this.#deps.discord.directory.channel(channelId);
    return channel?.kind === "dm" && channel.recipients.includes(actor);
  }

  async #react(action: ReactAction, recheck: () => void): Promise<readonly Message[]> {
    const { channelId, messageId, emoji } = action;
    const { signal } = this.#call;
    await this.#once(action, { message_id: messageId, emoji }, (leave) =>
      this.#deps.discord.react(channelId, messageId, emoji, { recheck: both(recheck, leave), signal }),
    );
    return [];
  }

  #sendOnce(action: SendAction, key: string | undefined, recheck: () => void): Promise<readonly Message[]> {
    const { sentOnce, confirmations } = this.#deps;
    const name = { key, hash: confirmations.hash(action) };
    return sentOnce.send(this.#call.operation, name, (attempt) => this.#sendParts(action, attempt, recheck));
  }

  /** Sends the parts that are not known to be there. One whose outcome is unknown is looked for first. */
  async #sendParts(action: SendAction & SendStyle, attempt: Attempt, recheck: () => void): Promise<readonly Message[]> {
    const { operation, signal } = this.#call;
    const { audit, discord, sentOnce } = this.#deps;
    const { sent } = attempt;
    const parts = splitText(action.text);
    for (const [index, text] of parts.entries()) {
      if (index < sent.length) continue;
      if (signal?.aborted) throw cancelledAfter(sent.length);
      const detail = { bytes_hash: audit.hash(text), part: index + 1 };
      const found = attempt.isUnknown
        ? await sentOnce.find({ channelId: action.channelId, text, since: attempt.since }, discord, signal)
        : null;
      attempt.isUnknown = false;
      if (found)
        this.#call.record.event("send_found", {
          channel_id: action.channelId,
          ...detail,
          message_id: found.message_id,
        });
      const draft = {
        text,
        mentions: action.mentions,
        nonce: toNonce(action.nonceSeed ?? operation.id, attempt.nonceKey, index),
        ...(action.buttons && index === parts.length - 1 && { buttons: action.buttons }),
        ...(action.replyTo && index === 0 && { replyTo: action.replyTo }),
      };
      const send = (leave: () => void) =>
        discord.send(action.channelId, draft, { recheck: both(recheck, leave), signal });
      const message =
        found ??
        (await this.#once(action, detail, send).catch((error: unknown) => {
          attempt.isUnknown = isUnknown(error);
          throw sent.length > 0 && isCancelled(error) ? cancelledAfter(sent.length) : error;
        }));
      sentOnce.note(message.message_id);
      sent.push(message);
    }
    if (this.#isAnswer(action)) this.#deps.holders.noteAnswered(operation);
    return [...sent];
  }

  /** No audit, no effect. `act` calls `leave` right before the request goes to Discord. */
  async #once<Result>(
    action: AnyAction,
    detail: Readonly<Record<string, unknown>>,
    act: (leave: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { record } = this.#call;
    const { audit, pendingEffects } = this.#deps;
    const where = { channel_id: action.channelId, ...detail };
    const note = (outcome: string, more: object = {}) =>
      record.event(`${action.kind}_${outcome}`, { ...where, ...more });
    const effect = pendingEffects.begin((outcome) => note(outcome, { code: "unavailable" }));
    try {
      note("begun", { decision_id: this.#decide(action) });
      await audit.settled();
      const result = await act(() => effect.leave());
      const messageId = (result as Message | undefined)?.message_id;
      effect.end(() => note("done", messageId && { message_id: messageId }));
      return result;
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      effect.end(() => note(code === "outcome_unknown" ? code : "failed", { code }));
      throw error;
    } finally {
      // What was done cannot be undone; that it was begun is kept already.
      await audit.settled().catch(() => undefined);
    }
  }
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

function isUnknown(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "outcome_unknown";
}

function isCancelled(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "cancelled";
}

function cancelledAfter(count: number): EarshotError {
  const words = `${count} ${count === 1 ? "message was" : "messages were"}`;
  return new EarshotError("cancelled", `The call was cancelled after ${words} sent; nothing further is sent.`);
}
