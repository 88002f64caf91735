import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import type { Message, MessageRef } from "../../domain/message.ts";
import type { DiscordAction, EditAction, SendAction } from "../../policy/action.ts";
import type { Outcome } from "../../policy/confirmations.ts";
import { listFollowed, listLinked } from "../../policy/followed-sources.ts";
import { MAX_DISCLOSURES } from "../../policy/limits.ts";
import { type PlannedAnswer, toClientQuestion } from "../../ports/answer-store.ts";
import type { SentMessage } from "../../ports/audit-store.ts";
import { toQuestionSource } from "../../ports/stored-source.ts";
import type { SendRequest, ThreadRequest } from "../../tools/view.ts";
import type { EffectCall, EffectsDeps } from "./effect-call.ts";
import { EffectCheck } from "./effect-check.ts";
import { both, EffectRun, isUnknown, ThreadRun } from "./effect-run.ts";
import { type Attempt, toNonce } from "./effects-under-way.ts";

const MAX_THREAD_NAME = 100;

interface Doing {
  readonly key: string | undefined;
  /** Decides again right before the request. */
  readonly recheck: () => void;
  readonly isConfirmed?: boolean;
}

/**
 * The effects of a call in Discord, each decided by itself. All except the answer need a person's confirmation once the operation has read
 * text by others.
 */
export class Effects {
  readonly #call: EffectCall;
  readonly #deps: EffectsDeps;
  readonly #check: EffectCheck;
  readonly #run: EffectRun;
  readonly #threads: ThreadRun;
  readonly #following: AnswerFollowing;

  constructor(call: EffectCall, deps: EffectsDeps) {
    this.#call = call;
    this.#deps = deps;
    this.#check = new EffectCheck(call, deps);
    this.#run = new EffectRun(call, this.#check, deps);
    this.#threads = new ThreadRun(call, this.#run, deps);
    this.#following = new AnswerFollowing(call, deps);
  }

  async send(request: SendRequest): Promise<readonly Message[]> {
    if (request.mentions.length > 0 && !this.#call.operation.client.grant.mentions) {
      throw new EarshotError("forbidden", "This client may not ping people; send it without `mentions`.");
    }
    const replyTo = request.replyTo ?? this.#check.replyToWhenAbsent(request.channelId);
    // Keys of clients have their own prefix, so that a client cannot take the place of a confirmed action or of the agent's answer.
    const key = request.key && `client ${request.key}`;
    return this.#ask(this.#check.freeze({ ...request, ...(replyTo && { replyTo }) }), key);
  }

  async react(channelId: ChannelId, messageId: MessageId, emoji: string): Promise<void> {
    await this.#ask({ kind: "react", channelId, messageId, emoji });
  }

  async edit({ channelId, messageId }: MessageRef, text: string): Promise<void> {
    await this.#ask({ kind: "edit", channelId, messageId, text: this.#check.freezeOne(channelId, text) });
  }

  async delete({ channelId, messageId }: MessageRef): Promise<void> {
    await this.#ask({ kind: "delete", channelId, messageId });
  }

  async showTyping(channelId: ChannelId): Promise<void> {
    await this.#ask({ kind: "typing", channelId });
  }

  async startThread({ channelId, messageId, name, text, tags }: ThreadRequest): Promise<Message> {
    const [title, first] = [name, text].map((words) => this.#check.freezeOne(channelId, words));
    const words = { name: title ?? "", text: first ?? "" };
    if (words.name.length > MAX_THREAD_NAME)
      throw new EarshotError("invalid", "`name` must have at most 100 characters.");
    const [message] = await this.#ask({ kind: "thread", channelId, messageId: messageId ?? null, ...words, tags });
    if (message) return message;
    throw new EarshotError("internal", "A thread was started without a message.");
  }

  /** Executes the action, or requests a confirmation first. */
  async #ask(action: DiscordAction, key?: string): Promise<Outcome> {
    try {
      await this.#check.authorise(action);
    } catch (error) {
      const told = action.kind === "send" ? await this.#check.disclosures.freeze(action) : null;
      if (!told) throw error;
      return this.#require(told);
    }
    await this.#mustConcernKnown(action);
    if (this.#check.needsConfirmation(action)) return this.#require(action);
    return this.#do(action, { key, recheck: () => this.#check.mayLeave(action) });
  }

  async #require(action: DiscordAction): Promise<Outcome> {
    const { operation } = this.#call;
    const { confirmations } = this.#deps;
    const unsettled = confirmations.reclaim(operation, action);
    if (!unsettled && !confirmations.knows(operation, action)) operation.effects.mustNotBeUsedUp();
    if (!unsettled) return this.#check.require(action);
    return this.confirmed(unsettled.id, unsettled.action as DiscordAction, true);
  }

  /** Executes a confirmed action if it is still allowed. */
  async confirmed(id: string, action: DiscordAction, isRepetition = false): Promise<Outcome> {
    const { confirmations } = this.#deps;
    const recheck = () => void this.#check.decide(action);
    try {
      await this.#check.authorise(action);
      if (!isRepetition) this.#noteDisclosure(id, action);
      const outcome = await this.#do(action, { key: id, recheck, isConfirmed: true });
      confirmations.settle(id, outcome);
      return outcome;
    } catch (error) {
      if (isRepetition || isUnknown(error)) confirmations.leaveOpen(id);
      else confirmations.giveUp(id);
      throw error;
    }
  }

  /** Notes who tells what to whom. Throws `rate_limited` if the person did that too often lately. */
  #noteDisclosure(confirmationId: string, action: DiscordAction): void {
    if (action.kind !== "send" || !action.disclosure) return;
    const { operation, record } = this.#call;
    const rule = `No more than ${MAX_DISCLOSURES} times an hour something may be shared that not everyone there can read`;
    this.#deps.disclosureRate.take(operation.actor, rule);
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

  async #do(action: DiscordAction, doing: Doing): Promise<Outcome> {
    const outcome = await this.#perform(action, doing);
    const { effects } = this.#call.operation;
    const { kind, channelId } = action;
    for (const sent of outcome) effects.noteDone({ kind, channelId: sent.channel_id, messageId: sent.message_id });
    if (outcome.length === 0)
      effects.noteDone({ kind, channelId, messageId: "messageId" in action ? action.messageId : null });
    return outcome;
  }

  async #perform(action: DiscordAction, { key, isConfirmed = false, ...how }: Doing): Promise<Outcome> {
    const { discord } = this.#deps;
    const { access, signal } = this.#call;
    const recheck = this.#counting(action, how.recheck);
    // Confirmed text counts as the person's own: it does not follow its sources.
    const isFollowed = !isConfirmed && this.#check.isAnswer(action);
    switch (action.kind) {
      case "send":
        return this.#sendOnce(action, key, (attempt) =>
          isFollowed
            ? this.#following.send(action, attempt, () => this.#run.sendParts(action, attempt, recheck))
            : this.#run.sendParts(action, attempt, recheck),
        );
      case "react": {
        const { channelId, messageId, emoji } = action;
        await this.#run.once(action, { message_id: messageId, emoji }, (leave) =>
          discord.react(channelId, messageId, emoji, { recheck: both(recheck, leave), signal }),
        );
        return [];
      }
      case "edit":
      case "delete": {
        if (isFollowed && action.kind === "edit") await this.#following.extend(action);
        const isDone =
          action.kind === "edit"
            ? await this.#run.edit(action, undefined, recheck)
            : await this.#run.delete(action, recheck);
        if (!isDone) throw access.absent("Message not found");
        if (isConfirmed && action.kind === "edit") await this.#following.release(action);
        return [];
      }
      case "thread": {
        const name = { key, hash: this.#deps.confirmations.hash(action) };
        return this.#deps.sentOnce.send(this.#call.operation, name, (attempt) =>
          this.#threads.start(action, attempt, recheck),
        );
      }
      case "typing":
        await this.#run.once(action, {}, (leave) =>
          discord.showTyping(action.channelId, { recheck: both(recheck, leave), signal }),
        );
        return [];
    }
  }

  /** The message must be visible to the readers of the answer; edits and deletions must concern the actor's own. */
  async #mustConcernKnown(action: DiscordAction): Promise<void> {
    if (action.kind === "thread") {
      this.#threads.mustFit(action);
      const { channelId, messageId } = action;
      if (messageId !== null) await this.#mustStand({ channelId, messageId });
    }
    if (action.kind === "react" && !this.#check.isAnswer(action)) await this.#mustStand(action);
    if (action.kind !== "edit" && action.kind !== "delete") return;
    if (!(await this.#isOwn(action))) throw this.#call.access.absent("Message not found");
    await this.#mustStand(action);
  }

  /** Whether this client sent the message for this actor. Answers of the agent cannot be changed by clients, because they follow their
   * sources. */
  async #isOwn({ channelId, messageId }: MessageRef): Promise<boolean> {
    const { client, actor } = this.#call.operation;
    const sent = await this.#deps.audit.sent(messageId);
    const isMine = (one: SentMessage) =>
      one.client === client.name && one.actorId === actor && one.channelId === channelId && !one.isAnswer;
    return sent.length > 0 && sent.every(isMine);
  }

  /**
   * A message of a person who is left out counts as absent, and so does one that may not be returned: events in the actor's DM must not be
   * noticeable where others read the answer.
   */
  async #mustStand({ channelId, messageId }: MessageRef): Promise<void> {
    const { timelines, isLeftOut } = this.#deps;
    const { access, signal } = this.#call;
    const isFor = access.mayRead(channelId) && access.mayHandOut(channelId, messageId);
    const message = isFor ? await timelines.message(channelId, messageId, signal) : undefined;
    if (!message || isLeftOut(message.author.id)) throw access.absent("Message not found");
  }

  #sendOnce(
    action: SendAction,
    key: string | undefined,
    send: (attempt: Attempt) => Promise<readonly Message[]>,
  ): Promise<readonly Message[]> {
    const { sentOnce, confirmations } = this.#deps;
    return sentOnce.send(this.#call.operation, { key, hash: confirmations.hash(action) }, send);
  }

  /** Counts it right before the request, once for all its parts. */
  #counting(action: DiscordAction, recheck: () => void): () => void {
    let hasLeft = false;
    return () => {
      recheck();
      if (!hasLeft && this.#isCounted(action)) this.#call.operation.effects.take();
      hasLeft = true;
    };
  }

  /** Deleting is not limited. Reactions to the message that asked need no confirmation, but are counted, because they could spell out a
   * text. */
  #isCounted(action: DiscordAction): boolean {
    return action.kind === "react" || (action.kind !== "delete" && !this.#check.isAnswer(action));
  }
}

/** Lets a client's answer follow its sources and the message that asked. */
class AnswerFollowing {
  readonly #call: Pick<EffectCall, "operation">;
  readonly #deps: Pick<EffectsDeps, "followed" | "clock">;

  constructor(call: Pick<EffectCall, "operation">, deps: Pick<EffectsDeps, "followed" | "clock">) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Stores the sources before any part is sent. */
  async send(
    { channelId, text, replyTo }: SendAction,
    attempt: Attempt,
    send: () => Promise<readonly Message[]>,
  ): Promise<readonly Message[]> {
    const { operation } = this.#call;
    const asked = replyTo === null ? [] : [toQuestionSource({ channelId, messageId: replyTo })];
    const planned = this.#toAnswer(toNonce(operation.id, attempt.nonceKey, 0), { channelId, text });
    const plan = { ...planned, sources: [...planned.sources, ...asked] };
    const followed = plan.sources.length > 0 ? this.#deps.followed?.() : undefined;
    await followed?.plan(plan);
    try {
      return await send();
    } finally {
      const ids = attempt.sent.map(({ message_id }) => message_id);
      for (const id of ids) operation.effects.noteAnswer(id);
      await followed?.note(plan, ids, { isWhole: !attempt.isUnknown });
    }
  }

  /** Also stores an answer that had no sources until now. */
  async extend({ channelId, messageId, text }: EditAction): Promise<void> {
    const answer = this.#toAnswer(messageId, { channelId, text });
    await this.#deps.followed?.().extend({ ...answer, answerId: messageId });
  }

  /** The text is the person's own now, so it no longer follows sources. */
  async release({ messageId }: EditAction): Promise<void> {
    await this.#deps.followed?.().release(messageId);
  }

  #toAnswer(sendId: string, { channelId, text }: Pick<SendAction, "channelId" | "text">): PlannedAnswer {
    const { operation } = this.#call;
    return {
      questionId: toClientQuestion(sendId),
      ...{ channelId, actorId: operation.actor, operationId: operation.id, postedAt: this.#deps.clock.now() },
      sources: listFollowed(operation, text, listLinked(operation, text)),
    };
  }
}
