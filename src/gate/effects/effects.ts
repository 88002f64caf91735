import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { DiscordAction, ReactAction, SendAction } from "../../policy/confirmations.ts";
import type { SendRequest } from "../../tools/view.ts";
import type { EffectCall, EffectsDeps } from "./effect-call.ts";
import { EffectCheck } from "./effect-check.ts";
import { both, EffectRun, isUnknown } from "./effect-run.ts";

/**
 * Sends and reactions of a call. Each is decided by itself. Anything but the answer needs a person's confirmation once the operation has read what
 * others wrote.
 */
export class Effects {
  readonly #call: EffectCall;
  readonly #deps: EffectsDeps;
  readonly #check: EffectCheck;
  readonly #run: EffectRun;

  constructor(call: EffectCall, deps: EffectsDeps) {
    this.#call = call;
    this.#deps = deps;
    this.#check = new EffectCheck(call, deps);
    this.#run = new EffectRun(call, this.#check, deps);
  }

  async send(request: SendRequest): Promise<readonly Message[]> {
    const { operation } = this.#call;
    if (request.mentions.length > 0 && !operation.client.grant.mentions) {
      throw new EarshotError("forbidden", "This client may not ping people; send it without `mentions`.");
    }
    const action = this.#check.freeze(request);
    try {
      await this.#check.authorise(action);
    } catch (error) {
      const told = await this.#check.disclosures.freeze(action);
      if (!told) throw error;
      return this.#require(told);
    }
    if (this.#check.needsConfirmation(action)) return this.#require(action);
    return this.#sendOnce(action, request.key, () => this.#check.mayLeave(action));
  }

  #require(action: SendAction): Promise<readonly Message[]> | readonly Message[] {
    const { operation, tool } = this.#call;
    const { confirmations } = this.#deps;
    const unsettled = confirmations.reclaim(operation, action);
    return unsettled
      ? this.confirmed(unsettled.id, unsettled.action as SendAction, true)
      : confirmations.require(operation, tool, action);
  }

  async react(channelId: ChannelId, messageId: Message["message_id"], emoji: string): Promise<void> {
    const action = { kind: "react", channelId, messageId, emoji } as const;
    await this.#check.authorise(action);
    if (!this.#check.isAnswer(action)) await this.#mustStand(channelId, messageId);
    if (this.#check.needsConfirmation(action))
      this.#deps.confirmations.require(this.#call.operation, this.#call.tool, action);
    else await this.#react(action, () => this.#check.mayLeave(action));
  }

  /** Does what a human has confirmed, if it still may be done. */
  async confirmed(id: string, action: DiscordAction, isRepetition = false): Promise<readonly Message[]> {
    const { confirmations } = this.#deps;
    const mayLeave = () => void this.#check.decide(action);
    try {
      await this.#check.authorise(action);
      if (!isRepetition) this.#noteDisclosure(id, action);
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

  /** Who tells what to whom. Throws `rate_limited` for who has done that too often lately. */
  #noteDisclosure(confirmationId: string, action: DiscordAction): void {
    if (action.kind !== "send" || !action.disclosure) return;
    const { operation, record } = this.#call;
    this.#deps.disclosureRate.take(operation.actor);
    const { barred, others, pin } = action.disclosure;
    record.event("disclosed", {
      confirmation_id: confirmationId,
      actor_id: operation.actor,
      channel_id: action.channelId,
      bytes_hash: this.#deps.audit.hash(action.text),
      from: barred.map(({ channelId, isQuoted, learners }) => ({ channel_id: channelId, quoted: isQuoted, learners })),
      from_others: others,
      sources_hash: this.#deps.audit.hash(pin),
    });
  }

  /**
   * A message of somebody who is left out counts as absent, and so does one that may not be handed out: what happens in the actor's own direct messages
   * must not show where others read the answer.
   */
  async #mustStand(channelId: ChannelId, messageId: Message["message_id"]): Promise<void> {
    const { timelines, isLeftOut } = this.#deps;
    const { access, signal } = this.#call;
    const isFor = access.mayRead(channelId) && access.mayHandOut(channelId, messageId);
    const message = isFor ? await timelines.message(channelId, messageId, signal) : undefined;
    if (!message || isLeftOut(message.author.id)) throw access.absent("Message not found");
  }

  async #react(action: ReactAction, recheck: () => void): Promise<readonly Message[]> {
    const { channelId, messageId, emoji } = action;
    const { signal } = this.#call;
    await this.#run.once(action, { message_id: messageId, emoji }, (leave) =>
      this.#deps.discord.react(channelId, messageId, emoji, { recheck: both(recheck, leave), signal }),
    );
    return [];
  }

  #sendOnce(action: SendAction, key: string | undefined, recheck: () => void): Promise<readonly Message[]> {
    const { sentOnce, confirmations } = this.#deps;
    const name = { key, hash: confirmations.hash(action) };
    return sentOnce.send(this.#call.operation, name, (attempt) => this.#run.sendParts(action, attempt, recheck));
  }
}
