import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { WayName } from "../../domain/memory/remember-request.ts";
import type { MessageRef } from "../../domain/message.ts";
import { isInMemory } from "../../policy/action.ts";
import type { AskedIn, Confirmation, Confirmations, Deciding } from "../../policy/confirmations.ts";
import { HourlyLimit } from "../../policy/limits.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Note } from "../../ports/discord.ts";
import type { EffectAccess } from "../call/effect-access.ts";
import type { FactProposals } from "../memory/fact-proposals.ts";
import { findWay } from "../memory/fact-proposals.ts";
import type { ProposalPreview } from "../memory/own-facts.ts";
import type { EffectCall, EffectsDeps, PromptAction } from "./effect-call.ts";
import { EffectCheck } from "./effect-check.ts";
import { both, EffectRun } from "./effect-run.ts";
import type { Effects } from "./effects.ts";
import type { StartOvers } from "./start-overs.ts";

/** A message with a button that stays until all its confirmations are decided or expired. */
interface Prompt {
  readonly actor: UserId;
  readonly message: MessageRef;
  /** Ids of confirmations, in the order in which they were requested. */
  readonly ids: Set<string>;
  expiresAt: number;
  expiry: NodeJS.Timeout | undefined;
}

/** The message's text and buttons, equal for every action. */
export type PromptNote = Required<Pick<Note, "text" | "buttons">>;

export interface ReviewPromptsDeps extends EffectsDeps {
  /** As for a call that sends in the channel of the request; throws as such a call does before it runs. */
  openCall(operation: Operation): Promise<EffectCall>;
  /** As for a call of the tool whose action is pending. */
  openPrivateCall(confirmation: Confirmation): EffectCall;
}

const IN_PERSON = { inPerson: true };
const EXPIRED = "This has expired.";
const REVIEWED = "Reviewed.";

/** Asks people for their review. */
export interface ReviewPrompts {
  /** Resolves once the person was asked, or could not be. */
  ask(confirmation: Confirmation, note: PromptNote): Promise<AskedIn>;
  /** The confirmations that a prompt requests of this person; empty for any other message. */
  askedIn(messageId: MessageId, actor: UserId): readonly string[];
  /** Notes that one of them was decided. The last one removes the button; confirmations of other people, or settled ones, are ignored. */
  settle(decided: { readonly id: string; readonly actor: UserId }): Promise<void>;
}

/**
 * A prompt is an effect: everyone who sees it may know the sources of the action, and it is decided right before the request. One prompt
 * covers all pending actions of a person in a channel.
 */
export class PostedPrompts implements ReviewPrompts {
  readonly #deps: ReviewPromptsDeps;
  readonly #limits: PromptLimits;
  readonly #open = new Map<string, Prompt>();
  /** Sequential per person, so that the second action joins the prompt of the first. */
  readonly #asking = new Map<UserId, Promise<AskedIn>>();

  constructor(deps: ReviewPromptsDeps) {
    this.#deps = deps;
    this.#limits = new PromptLimits(deps.clock);
    deps.discord.listen({ message_delete: ({ messageIds }) => this.#forget(messageIds) });
  }

  ask(confirmation: Confirmation, note: PromptNote): Promise<AskedIn> {
    const { actor } = confirmation.operation;
    const before = this.#asking.get(actor);
    const asking = (async () => {
      await before?.catch(() => undefined);
      return this.#ask(confirmation, note);
    })();
    this.#asking.set(actor, asking);
    const end = () => {
      if (this.#asking.get(actor) === asking) this.#asking.delete(actor);
    };
    asking.then(end, end);
    return asking;
  }

  askedIn(messageId: MessageId, actor: UserId): readonly string[] {
    const prompt = this.#open.values().find((one) => one.message.messageId === messageId && one.actor === actor);
    return [...(prompt?.ids ?? [])];
  }

  async settle({ id, actor }: { id: string; actor: UserId }): Promise<void> {
    // The prompt may be in the process of being sent.
    await this.#asking.get(actor)?.catch(() => undefined);
    const found = this.#open.entries().find(([, one]) => one.actor === actor && one.ids.has(id));
    if (!found) return;
    const [key, prompt] = found;
    prompt.ids.delete(id);
    for (const each of prompt.ids) if (!this.#isWaiting(each, actor)) prompt.ids.delete(each);
    if (prompt.ids.size === 0) await this.#end(key, prompt, REVIEWED);
  }

  async #ask(confirmation: Confirmation, note: PromptNote): Promise<AskedIn> {
    const { destination, isSilent } = confirmation.operation;
    if (isSilent) return "nowhere";
    const isPrivate = destination.kind === "actor";
    for (const place of isPrivate ? (["dm"] as const) : (["channel", "dm"] as const)) {
      try {
        await this.#askIn(place, confirmation, note);
        return place;
      } catch (error) {
        if (!(error instanceof EarshotError)) throw error;
        // It may have been posted.
        if (error.code === "outcome_unknown") return place;
      }
    }
    return "nowhere";
  }

  async #askIn(place: "channel" | "dm", confirmation: Confirmation, note: PromptNote): Promise<void> {
    const { discord } = this.#deps;
    const { operation } = confirmation;
    const { actor, origin } = operation;
    const isPrivate = place === "dm";
    const channelId = isPrivate ? await discord.openDm(actor) : origin.channelId;
    const call = await (isPrivate ? this.#deps.openPrivateCall(confirmation) : this.#deps.openCall(operation));
    const check = new EffectCheck(call, this.#deps);
    const action: PromptAction = { kind: "prompt", channelId, isPrivate };
    await call.access.learn(origin.channelId);
    await call.refresh();
    check.decide(action);
    const key = `${actor} ${channelId}`;
    const known = this.#open.get(key);
    if (known) return this.#join(key, known, confirmation);
    const isDm = isPrivate || discord.directory.channel(channelId)?.kind === "dm";
    // Not a reply, because that would count as an answer to the question.
    const draft = { ...note, mentions: [actor] };
    let isCounted = false;
    const recheck = () => {
      this.#deps.confirmations.find(confirmation.id, actor, IN_PERSON);
      check.decide(action);
      if (!isCounted) this.#limits.take(operation, { channelId, isDm });
      isCounted = true;
    };
    const { message_id: messageId } = await new EffectRun(call, check, this.#deps).once(action, {}, (leave) =>
      discord.send(channelId, draft, { recheck: both(recheck, leave) }),
    );
    const message = { channelId, messageId };
    const prompt: Prompt = { actor, message, ids: new Set(), expiresAt: 0, expiry: undefined };
    this.#open.set(key, prompt);
    this.#join(key, prompt, confirmation);
  }

  #join(key: string, prompt: Prompt, { id, expiresAt }: Confirmation): void {
    prompt.ids.add(id);
    prompt.expiresAt = Math.max(prompt.expiresAt, expiresAt);
    clearTimeout(prompt.expiry);
    const left = Math.max(0, prompt.expiresAt - this.#deps.clock.now());
    prompt.expiry = setTimeout(() => void this.#end(key, prompt, EXPIRED), left).unref();
  }

  async #end(key: string, prompt: Prompt, text: string): Promise<void> {
    clearTimeout(prompt.expiry);
    this.#open.delete(key);
    try {
      await this.#deps.discord.edit(prompt.message, { text });
    } catch {
      // It may have been deleted. Presses of a remaining button are answered all the same.
    }
  }

  /** The message was deleted, so the next confirmation needs a new one. */
  #forget(messageIds: readonly MessageId[]): void {
    for (const [key, { message, expiry }] of this.#open) {
      if (!messageIds.includes(message.messageId)) continue;
      clearTimeout(expiry);
      this.#open.delete(key);
    }
  }

  #isWaiting(id: string, actor: UserId): boolean {
    return this.#deps.confirmations.pending(actor, IN_PERSON).some((one) => one.id === id);
  }
}

/** Per hour. Applies even to people who wrote to the bot directly, because a client can name a message of any age as its request. */
const MAX_DMS = 3;
const MAX_PER_PERSON = 12;
const MAX_PER_CHANNEL = 20;
const MAX_PER_CLIENT = 60;

/** Limits prompts per person, per channel, and per client and server. */
class PromptLimits {
  readonly #dms: HourlyLimit;
  readonly #people: HourlyLimit;
  readonly #channels: HourlyLimit;
  readonly #clients: HourlyLimit;

  constructor(clock: Clock) {
    this.#dms = new HourlyLimit(MAX_DMS, clock);
    this.#people = new HourlyLimit(MAX_PER_PERSON, clock);
    this.#channels = new HourlyLimit(MAX_PER_CHANNEL, clock);
    this.#clients = new HourlyLimit(MAX_PER_CLIENT, clock);
  }

  /** Throws `rate_limited`, and counts nothing, if one of them is used up. */
  take(
    { actor, client, origin }: Operation,
    { channelId, isDm }: { readonly channelId: ChannelId; readonly isDm: boolean },
  ): void {
    const taken: readonly (readonly [HourlyLimit, string])[] = [
      [this.#people, actor],
      [this.#channels, channelId],
      [this.#clients, `${origin.guildId} ${client.name}`],
      ...(isDm ? [[this.#dms, actor] as const] : []),
    ];
    const retryAfter = Math.max(...taken.map(([limit, key]) => limit.waitFor(key)));
    if (retryAfter > 0)
      throw new EarshotError("rate_limited", "Too many people have been asked for a review lately.", { retryAfter });
    for (const [limit, key] of taken) limit.note(key);
  }
}

/** People's decisions on pending actions. */
export interface ReviewActions {
  /** Whether this person may see an action that waits for their confirmation: they may still know all its sources. */
  mayReview(id: string, actor: UserId, deciding?: Deciding): Promise<boolean>;
  /** The effect of a pending change to facts, for this person alone. Call `mayReview` first. */
  preview(id: string, actor: UserId, deciding?: Deciding): Promise<ProposalPreview>;
  /**
   * Executes the pending action of this person; for a fact, in the chosen way. Throws `not_found` if nothing is pending for them, and as
   * `callTool` if it is no longer allowed.
   */
  confirm(id: string, actor: UserId, deciding?: Deciding & { readonly way?: WayName }): Promise<void>;
}

interface ReviewParts {
  effectAccess(): EffectAccess;
  readonly view: { effects(): Effects; proposals(): FactProposals };
}

export interface ReviewActionsDeps {
  readonly confirmations: Confirmations;
  readonly startOvers: Pick<StartOvers, "confirmed">;
  /** As for a call of the same tool; undefined if there is no such tool. */
  partsOf(confirmation: Confirmation): ReviewParts | undefined;
  /** Re-reads sources whose changes may have been missed. */
  refresh(operation: Operation): Promise<void>;
  /** Throws as a call of the same tool would, before it runs. */
  mustBeAllowed(confirmation: Confirmation): Promise<void>;
  timed<Result>(tool: string, run: () => Promise<Result>): Promise<Result>;
}

export function createReviewActions(deps: ReviewActionsDeps): ReviewActions {
  const { confirmations, startOvers, partsOf, refresh, mustBeAllowed, timed } = deps;
  return {
    async mayReview(id, actor, deciding) {
      const confirmation = confirmations.find(id, actor, deciding);
      const parts = partsOf(confirmation);
      if (!parts) return false;
      const access = parts.effectAccess();
      await access.learn(confirmation.operation.origin.channelId);
      await refresh(confirmation.operation);
      return access.mayTellActor();
    },
    async preview(id, actor, deciding) {
      const confirmation = confirmations.find(id, actor, deciding);
      const parts = partsOf(confirmation);
      if (!parts || !isInMemory(confirmation.action))
        throw new EarshotError("not_found", "Nothing is to be remembered or forgotten by this.");
      return parts.view.proposals().preview(confirmation.action);
    },
    async confirm(id, actor, { way, ...deciding } = {}) {
      const { tool, action } = confirmations.find(id, actor, deciding);
      // Validated first, so that a wrong choice can be corrected.
      if (action.kind === "remember") findWay(action, way);
      else if (way !== undefined) throw new EarshotError("invalid", "There is nothing to choose: leave `way` out.");
      await timed(tool, async () => {
        const confirmation = confirmations.claim(id, actor, deciding);
        try {
          await mustBeAllowed(confirmation);
        } catch (error) {
          confirmations.giveUp(id);
          throw error;
        }
        if (action.kind === "start_over") return startOvers.confirmed(confirmation);
        const parts = partsOf(confirmation);
        if (!isInMemory(action)) return void (await parts?.view.effects().confirmed(id, action));
        await parts?.view.proposals().confirmed(id, action, way);
        confirmation.operation.effects.noteDone({ kind: action.kind, channelId: null, messageId: null });
      });
    },
  };
}
