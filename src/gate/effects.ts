import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { defangLinks, isDiscordLink } from "../domain/text/links.ts";
import { splitText } from "../domain/text/split-text.ts";
import type { Audit } from "../policy/audit.ts";
import type { Confirmations, DiscordAction, ReactAction, SendAction } from "../policy/confirmations.ts";
import type { Operation } from "../policy/operation.ts";
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
  isLeftOut(authorId: UserId): boolean;
}

export interface EffectsCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: Access;
  readonly record: CallRecord;
  readonly signal: AbortSignal | undefined;
}

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

  async #authorise(action: DiscordAction): Promise<void> {
    const { operation, access, signal } = this.#call;
    await access.learn(action.channelId);
    await refreshSources(operation.label, this.#deps, signal);
    this.#decide(action);
  }

  #decide(action: DiscordAction): string {
    const effect = action.kind === "send" ? "speak" : "react";
    const decision = this.#call.access.mustAffect(effect, action.channelId, this.#isAnswer(action));
    if (action.kind === "send") this.#mustPingReaders(action);
    return decision;
  }

  /** Another call of the operation may have read something meanwhile, so that this now needs a confirmation. */
  #mayLeave(action: DiscordAction): void {
    this.#decide(action);
    const { operation, tool } = this.#call;
    if (this.#needsConfirmation(action)) this.#deps.confirmations.require(operation, tool, action);
  }

  /** The answer itself, and a reaction to the request, need none. */
  #needsConfirmation(action: DiscordAction): boolean {
    const { operation, access } = this.#call;
    const { label } = operation;
    if (this.#isAnswer(action)) return false;
    return label.integrity === "untrusted" || !access.mayKnowRequest(action.channelId);
  }

  #isAnswer(action: DiscordAction): boolean {
    const { origin } = this.#call.operation;
    if (action.kind === "send") return this.#isDestination(action.channelId);
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
  async #sendParts(action: SendAction, attempt: Attempt, recheck: () => void): Promise<readonly Message[]> {
    const { operation, signal } = this.#call;
    const { audit, discord, sentOnce } = this.#deps;
    const { sent } = attempt;
    for (const [index, text] of splitText(action.text).entries()) {
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
        nonce: toNonce(operation.id, attempt.nonceKey, index),
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
    return [...sent];
  }

  /** No audit, no effect. `act` calls `leave` right before the request goes to Discord. */
  async #once<Result>(
    action: DiscordAction,
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
