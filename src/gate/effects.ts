import { EarshotError } from "../domain/errors.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { defangLinks, isDiscordLink } from "../domain/text/links.ts";
import { splitText } from "../domain/text/split-text.ts";
import type { Audit } from "../policy/audit.ts";
import type { Action, Confirmation, Confirmations } from "../policy/confirmations.ts";
import type { Operation } from "../policy/operation.ts";
import type { Rules } from "../policy/rules.ts";
import type { Discord } from "../ports/discord.ts";
import type { Timelines } from "../ports/timelines.ts";
import type { SendRequest } from "../tools/view.ts";
import type { Access } from "./access.ts";
import type { CallRecord } from "./call-record.ts";
import { toNonce } from "./nonce.ts";
import type { PendingEffects } from "./pending-effects.ts";
import type { SentOnce } from "./sent-once.ts";

export interface EffectsDeps {
  readonly discord: Discord;
  readonly audit: Audit;
  readonly confirmations: Confirmations;
  readonly sentOnce: SentOnce;
  readonly pendingEffects: PendingEffects;
  readonly timelines: Pick<Timelines, "message">;
  readonly rules: Rules;
}

export interface EffectsCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: Access;
  readonly record: CallRecord;
  readonly signal: AbortSignal | undefined;
}

/** Discord answered, and did nothing. After any other error it may have done what was asked. */
const REFUSALS_BY_DISCORD: readonly string[] = ["invalid", "not_found", "unauthenticated", "rate_limited"];

/**
 * What a call does to the world. Each effect is decided anew, is written down before it happens, and is decided once more in the moment in
 * which it leaves. What goes elsewhere than the answer needs a human's word once the operation has read what others wrote.
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
      throw new EarshotError("forbidden", "This client is not granted to ping people; send it without mentions.");
    }
    const action = this.#freeze(request);
    await this.#authorise(action);
    this.#mustPingReaders(request);
    if (this.#needsConfirmation(action)) return this.#deps.confirmations.require(operation, tool, action);
    const mayLeave = () => this.#mayLeave(action);
    return this.#deps.sentOnce.send(operation, request.key, () =>
      this.#perform(action, { key: request.key, mayLeave }),
    );
  }

  async react(channelId: ChannelId, messageId: Message["message_id"], emoji: string): Promise<void> {
    const action = { kind: "react", channelId, messageId, emoji } as const;
    await this.#authorise(action);
    if (!this.#isAnswer(action)) await this.#mustStand(channelId, messageId);
    if (this.#needsConfirmation(action))
      this.#deps.confirmations.require(this.#call.operation, this.#call.tool, action);
    else await this.#perform(action, { key: undefined, mayLeave: () => this.#mayLeave(action) });
  }

  /** Does what a human has confirmed, if it still may be done. */
  async confirmed({ id, action }: Confirmation): Promise<readonly Message[]> {
    try {
      await this.#authorise(action);
      const outcome = await this.#perform(action, { key: id, mayLeave: () => void this.#decide(action) });
      this.#deps.confirmations.settle(id, outcome);
      return outcome;
    } catch (error) {
      this.#deps.confirmations.giveUp(id);
      throw error;
    }
  }

  /** Links that stand in nothing that was read could carry something out; they are shown, but lead nowhere. */
  #freeze({ channelId, text, replyTo, mentions }: SendRequest): Action {
    const { label } = this.#call.operation;
    const isKnown = (link: string) => label.integrity === "trusted" || label.hasLink(link) || isDiscordLink(link);
    return { kind: "send", channelId, text: defangLinks(text, isKnown), replyTo: replyTo ?? null, mentions };
  }

  /** Discord takes whoever is pinged in a private thread into it, with all that was said there. */
  #mustPingReaders({ channelId, mentions }: SendRequest): void {
    const { directory } = this.#deps.discord;
    if (directory.channel(channelId)?.kind !== "private_thread") return;
    if (mentions.every((id) => directory.canView(id, channelId))) return;
    const problem = "Pinging somebody would bring them into that private thread; only people in it may be pinged.";
    throw new EarshotError("forbidden", problem);
  }

  /** A message of somebody who opted out is as good as absent. */
  async #mustStand(channelId: ChannelId, messageId: Message["message_id"]): Promise<void> {
    const { timelines, rules } = this.#deps;
    const message = await timelines.message(channelId, messageId, this.#call.signal);
    if (!message || rules.optOut.people.includes(message.author.id))
      throw this.#call.access.absent("Message not found");
  }

  async #authorise(action: Action): Promise<void> {
    const { access, signal } = this.#call;
    await access.learn(action.channelId);
    await access.refreshSources(signal);
    this.#decide(action);
  }

  #decide(action: Action): string {
    const effect = action.kind === "send" ? "speak" : "react";
    return this.#call.access.mustAffect(effect, action.channelId, this.#isAnswer(action));
  }

  /** Another call of the operation may have read something meanwhile, after which this needs a word that nobody has given. */
  #mayLeave(action: Action): void {
    this.#decide(action);
    const { operation, tool } = this.#call;
    if (this.#needsConfirmation(action)) this.#deps.confirmations.require(operation, tool, action);
  }

  /** Answering where it was asked, and reacting to what asked, needs none. */
  #needsConfirmation(action: Action): boolean {
    const { operation, access } = this.#call;
    const { label } = operation;
    if (this.#isAnswer(action)) return false;
    return label.integrity === "untrusted" || !access.mayKnowRequest(action.channelId);
  }

  #isAnswer(action: Action): boolean {
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

  async #perform(
    action: Action,
    { key, mayLeave }: { key: string | undefined; mayLeave: () => void },
  ): Promise<readonly Message[]> {
    if (action.kind === "react") {
      const { channelId, messageId, emoji } = action;
      await this.#once(action, { message_id: messageId, emoji }, (leave) =>
        this.#deps.discord.react(channelId, messageId, emoji, () => {
          mayLeave();
          leave();
        }),
      );
      return [];
    }
    const sent: Message[] = [];
    for (const [index, text] of splitText(action.text).entries()) {
      if (this.#call.signal?.aborted)
        throw new EarshotError("cancelled", `The call was cancelled after ${sent.length} messages were sent.`);
      const nonce = key === undefined ? undefined : toNonce(this.#call.operation.id, key, index);
      const draft = {
        text,
        mentions: action.mentions,
        ...(action.replyTo && index === 0 && { replyTo: action.replyTo }),
        ...(nonce && { nonce }),
      };
      const detail = { bytes_hash: this.#deps.audit.hash(text), part: index + 1 };
      const send = (leave: () => void) =>
        this.#deps.discord.send(action.channelId, draft, () => {
          mayLeave();
          leave();
        });
      sent.push(await this.#once(action, detail, send));
    }
    return sent;
  }

  /** No audit, no effect. `act` calls `leave` right before the request goes to Discord. */
  async #once<Result>(
    action: Action,
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
      const isUnknown = effect.hasLeft && !REFUSALS_BY_DISCORD.includes(code);
      effect.end(() => note(isUnknown ? "unknown" : "failed", { code }));
      throw error;
    } finally {
      // What was done cannot be undone; that it was begun is kept already.
      await audit.settled().catch(() => undefined);
    }
  }
}
