import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import { defangLinks } from "../../domain/text/links.ts";
import { isMessageLink } from "../../domain/text/message-link.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { DiscordAction, SendAction } from "../../policy/action.ts";
import type { Outcome } from "../../policy/confirmations.ts";
import type { DiscordEffect } from "../../policy/decide.ts";
import type { SendRequest } from "../../tools/view.ts";
import { type DisclosureAction, Disclosures } from "./disclosures.ts";
import type { EffectAction, EffectCall, EffectsDeps, PromptAction } from "./effect-call.ts";

const SILENT = "Nothing is posted on Discord for this request; only the answer is returned.";
const EFFECTS: Readonly<Record<EffectAction["kind"], DiscordEffect>> = {
  send: "speak",
  edit: "speak",
  respond: "speak",
  prompt: "speak",
  typing: "speak",
  react: "react",
  delete: "withdraw",
  thread: "thread",
};

/** Freezes the content of a call's effects, and decides each: when it is requested, and again right before it is sent. */
export class EffectCheck {
  readonly #call: EffectCall;
  readonly #deps: EffectsDeps;

  constructor(call: EffectCall, deps: EffectsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  get disclosures(): Disclosures {
    return new Disclosures(this.#call, this.#deps);
  }

  /** Defangs links that occur in no source: they could carry data out. */
  freeze({ channelId, text, replyTo, mentions }: SendRequest): SendAction {
    const { label } = this.#call.operation;
    const { web } = this.#deps.discord.directory;
    const isKnown = (link: string) => label.integrity === "trusted" || label.hasLink(link) || isMessageLink(link, web);
    return { kind: "send", channelId, text: defangLinks(text, isKnown), replyTo: replyTo ?? null, mentions };
  }

  /** For a text that must fit into one message. Throws `invalid` if it does not. */
  freezeOne(channelId: ChannelId, text: string): string {
    const [only, ...more] = splitText(this.freeze({ channelId, text, mentions: [] }).text);
    if (only !== undefined && more.length === 0) return only;
    throw new EarshotError("invalid", "`text` must fit into one message: 1 to 2,000 characters.");
  }

  async authorise(action: EffectAction): Promise<void> {
    await this.#call.access.learn(action.channelId);
    await this.#call.refresh();
    if (isDisclosure(action)) await this.disclosures.mustBeAsShown(action);
    this.decide(action);
  }

  /** Throws if it is not allowed; returns the id of the decision. */
  decide(action: EffectAction): string {
    // An answer that is only returned is not a post.
    if (this.#call.operation.isSilent && action.kind !== "respond") throw new EarshotError("forbidden", SILENT);
    if (action.kind === "prompt") return this.#decidePrompt(action);
    const effect = EFFECTS[action.kind];
    if ((effect === "speak" || effect === "thread") && this.#isDestination(action.channelId))
      this.#deps.holders.mustHold(this.#call.operation);
    if (action.kind === "respond" && this.#call.operation.destination.kind === "actor") {
      this.#call.access.mustTellActor();
      return "";
    }
    const { access } = this.#call;
    if (isDisclosure(action)) this.disclosures.mustStand(action);
    const decision = isDisclosure(action)
      ? access.mustSpeakKnowingly(action.channelId)
      : access.mustAffect(EFFECTS[action.kind], action.channelId, this.isAnswer(action));
    if (action.kind === "send") {
      this.#mustPingReaders(action);
      this.#mustReplyToKnown(action.channelId, action.replyTo);
    }
    if (action.kind === "thread") this.#mustReplyToKnown(action.channelId, action.messageId);
    return decision;
  }

  /** A prompt in the channel of the request counts as an answer to the actor. */
  #decidePrompt({ channelId, isPrivate }: PromptAction): string {
    const { access } = this.#call;
    if (!isPrivate) return access.mustAffect("speak", channelId, true);
    access.mustTellActor();
    return "";
  }

  /** Another call of the operation may have read something meanwhile, so that this now needs a confirmation. */
  mayLeave(action: DiscordAction): void {
    this.decide(action);
    if (this.needsConfirmation(action)) this.require(action);
  }

  /** The outcome of a confirmed action; otherwise asks the actor, and throws `confirmation_needed`. Nothing is asked once the call is over. */
  require(action: DiscordAction): Outcome {
    const { operation, tool, signal } = this.#call;
    throwIfCancelled(signal);
    return this.#deps.confirmations.require(operation, tool, action);
  }

  /** Answers need no confirmation, except those of a program that the person only signed in. */
  needsConfirmation(action: DiscordAction): boolean {
    const { operation, access } = this.#call;
    const { label, asksFirst } = operation;
    if (this.isAnswer(action) && !operation.client.grant.signedIn) return false;
    return asksFirst || label.integrity === "untrusted" || !access.mayKnowRequest(action.channelId);
  }

  mustBeAnswer(action: EffectAction): void {
    if (!this.isAnswer(action)) throw new EarshotError("forbidden", "An answer belongs where it was asked for.");
  }

  /**
   * Whether it answers the request: a post of the agent as its answer, a client's reply to the message that asked, edits of either, or a
   * reaction to the message that asked. If no message asked, a client's post without a reply counts.
   */
  isAnswer(action: EffectAction): boolean {
    const { operation, isAnswering } = this.#call;
    const { origin, client, effects } = operation;
    if (action.kind === "react") return action.messageId === origin.messageId && action.channelId === origin.channelId;
    if (action.kind === "thread" || !this.#isDestination(action.channelId)) return false;
    if (isAnswering || action.kind === "typing") return true;
    if (client.postsAnswers) return false;
    if (action.kind === "send") return action.replyTo === this.#askedBy(action.channelId);
    return (action.kind === "edit" || action.kind === "delete") && effects.isAnswer(action.messageId);
  }

  /** The default `replyTo` of a client's send: in the channel of the answer, the message that asked. */
  replyToWhenAbsent(channelId: ChannelId): MessageId | null {
    const isFilled = !this.#call.operation.client.postsAnswers && this.#isDestination(channelId);
    return isFilled ? this.#askedBy(channelId) : null;
  }

  /** The message in this channel that asked; null if there is none. */
  #askedBy(channelId: ChannelId): MessageId | null {
    const { origin } = this.#call.operation;
    return origin.channelId === channelId ? origin.messageId : null;
  }

  #isDestination(channelId: ChannelId): boolean {
    const { destination, actor } = this.#call.operation;
    if (destination.kind === "channel") return destination.channelId === channelId;
    const channel = this.#deps.discord.directory.channel(channelId);
    return channel?.kind === "dm" && channel.recipients.includes(actor);
  }

  /** Discord shows the replied-to message above the reply or thread, even to people who cannot read the history. */
  #mustReplyToKnown(channelId: ChannelId, replyTo: MessageId | null): void {
    if (replyTo === null || this.#call.access.mayQuote(channelId, replyTo)) return;
    throw this.#call.access.absent("Message not found");
  }

  /** Pinging people in a private thread adds them to it, which shows them its whole history. */
  #mustPingReaders({ channelId, mentions }: SendAction): void {
    const { directory } = this.#deps.discord;
    if (directory.channel(channelId)?.kind !== "private_thread") return;
    if (mentions.every((id) => directory.canView(id, channelId))) return;
    const problem = "Pinging somebody would bring them into that private thread; only people in it may be pinged.";
    throw new EarshotError("forbidden", problem);
  }
}

function isDisclosure(action: EffectAction): action is DisclosureAction {
  return action.kind === "send" && action.disclosure !== undefined;
}
