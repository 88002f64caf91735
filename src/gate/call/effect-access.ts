import { type Audience, type AudienceRef, asLive, flows } from "../../domain/audience.ts";
import type { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import { isLive } from "../../domain/message.ts";
import { PERMISSION } from "../../domain/permission-set.ts";
import { allowsSending, allowsThreads } from "../../domain/permissions.ts";
import { quoteName } from "../../domain/text/escape.ts";
import { isListed, locateChannel, refuseGuild, refusePlace } from "../../policy/apply-rules.ts";
import { type Decision, type DecisionInput, type DiscordEffect, decide, mayBeTold } from "../../policy/decide.ts";
import { explainBarred } from "../../policy/explain-refusal.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Directory } from "../../ports/directory.ts";
import { BARRED, type Judgement, YES } from "../../sources/judge.ts";
import { kindOf } from "../../sources/kinds/index.ts";
import { toAudience } from "../../sources/kinds/limits.ts";
import type { Label } from "../../sources/label.ts";
import { Access } from "./access.ts";

/** Maximum in a refusal. */
const MAX_NAMED = 10;

/** Access for the effects of one call: whether the actor may do it there, and whether everyone there may know the sources. */
export class EffectAccess extends Access {
  /** Whether a message may be replied to in its channel: Discord shows it above the reply to everyone there. */
  mayQuote(id: ChannelId, messageId: MessageId): boolean {
    const audience = this.deps.discord.directory.audience(id);
    return isLive(messageId, this.operation) || flows(audience, audience);
  }

  /**
   * Throws if the actor may not do this there, or if not everyone there may know the sources. `isAnswer`: it answers the request in the channel of the request.
   * Withdrawing discloses nothing: the actor only needs to see the channel.
   */
  mustAffect(effect: DiscordEffect, id: ChannelId, isAnswer: boolean): string {
    return this.#mustBeAllowed(id, this.#toAffect(effect, id, isAnswer));
  }

  /** Like `mustAffect`, for content that the actor tells knowingly although not everyone there may know its sources. */
  mustSpeakKnowingly(id: ChannelId): string {
    return this.#mustBeAllowed(id, { ...this.#toAffect("speak", id, false), judged: () => YES });
  }

  #mustBeAllowed(id: ChannelId, question: DecisionInput): string {
    const decision = decide(question);
    const decisionId = this.record.decided(id, question, decision);
    if (decision.allowed) return decisionId;
    // The reason would reveal a channel that may not be known.
    if (!question.isNameable && decision.reason !== "operation_over") throw this.absent();
    throw decision.reason === "not_for_everyone_there" ? this.#barred(id) : this.toError(decision);
  }

  /** Names the obstacles if only the actor reads the error. A confined client's label also contains what it read for others. */
  #barred(id: ChannelId): EarshotError {
    const { operation } = this;
    const isForActor = operation.isAlwaysPrivate && operation.for === null && !operation.client.grant.confined;
    return explainBarred(isForActor ? this.#listBarred(id) : [], {
      canStartOver: operation.asksFirst && !operation.client.grant.confined,
    });
  }

  /** Only channels that the actor may read now. Channels that were only searched are counted, not named, because the name would be a new
   * disclosure. */
  #listBarred(id: ChannelId): string[] {
    const { operation } = this;
    const { directory } = this.deps.discord;
    const label = this.#limiting(false);
    const names: string[] = [];
    let others = 0;
    const target = directory.audience(id);
    for (const { channelId } of listBarredChannels(label, target, { operation, directory })) {
      const name = this.mayRead(channelId) ? directory.channel(channelId)?.name : undefined;
      if (name === undefined) continue;
      if (label.of("told").has(channelId) && names.length < MAX_NAMED)
        names.push(`#${quoteName(name, operation.nonce)}`);
      else others += 1;
    }
    const [more, were] = [names.length > 0 ? "more " : "", others === 1 ? "channel that was" : "channels that were"];
    const counted = `${others} ${more}${were} read or searched`;
    return [...names, ...(others > 0 ? [counted] : []), ...this.#listOtherBarred(id, label)];
  }

  /** The servers, facts and records among the obstacles, as far as the actor may know them now. */
  #listOtherBarred(id: ChannelId, label: Label): string[] {
    const { operation } = this;
    const { directory, botId } = this.deps.discord;
    const [target, guildId] = [directory.audience(id), directory.channel(id)?.guildId ?? null];
    const self: Audience = { kind: "people", people: new Set([operation.actor]) };
    const isBarred = (ref: AudienceRef) => {
      const source = toAudience(ref, directory, botId);
      return flows(source, self) && !flows(source, target);
    };
    const servers = [...label.of("server").values()].flatMap(({ guildId: one }) => {
      const name = one !== guildId && this.mayNameGuild(one) ? directory.guild(one)?.name : undefined;
      return name === undefined ? [] : [`the server ${quoteName(name, operation.nonce)}`];
    });
    const titles = [...label].flatMap((source) => {
      const { title, audiences } = kindOf(source);
      return title && audiences?.(source)?.some(isBarred) ? [title] : [];
    });
    return [...servers.slice(0, MAX_NAMED), ...new Set(titles)];
  }

  /** If every effect but the answer waits for the actor, confirmed effects are limited by the reads since they started over. */
  #limiting(isAnswer: boolean): Label {
    const { label, asksFirst } = this.operation;
    return asksFirst && !isAnswer ? label.sinceStart : label;
  }

  /** Whether the label alone prevents the actor from writing there. */
  isBarredByLabelAlone(id: ChannelId): boolean {
    const question = this.#toAffect("speak", id, false);
    return decide(question).reason === "not_for_everyone_there" && decide({ ...question, judged: () => YES }).allowed;
  }

  /** Whether everyone who reads a channel may know the whole label, regardless of who posts it. */
  mayBeTold(id: ChannelId): boolean {
    return mayBeTold(this.#toAffect("speak", id, false));
  }

  /** Whether the audience of a channel may know the text of the request itself. */
  mayKnowRequest(id: ChannelId): boolean {
    const { origin } = this.operation;
    if (origin.messageId === null || origin.channelId === id) return true;
    const question = { ...this.#toAffect("react", id, true), actorMay: true };
    const { directory } = this.deps.discord;
    const mayKnow = flows(directory.audience(origin.channelId), directory.audience(id));
    return decide({ ...question, judged: () => (mayKnow ? YES : BARRED) }).allowed;
  }

  /** Whether something based on the whole label may be shown to the actor alone. */
  mayTellActor(): boolean {
    return this.#tellActor().allowed;
  }

  mustTellActor(): void {
    const decision = this.#tellActor();
    if (!decision.allowed) throw this.toError(decision);
  }

  /** Whether everyone who will read the answer may know everything in another label. */
  mayContinueFrom(label: Label): boolean {
    const [readers] = this.readers;
    if (!readers) return false;
    const question = { ...this.toRead(this.operation.origin.channelId), effect: "speak" as const, isNameable: true };
    return mayBeTold({ ...question, judged: () => this.#judgeLabel(readers, label) });
  }

  #tellActor(): Decision {
    const { origin, actor } = this.operation;
    const readers: Audience = { kind: "people", people: new Set([actor]) };
    return decide({
      ...this.#toAffect("react", origin.channelId, true),
      judged: () => this.#judgeLabel(readers, this.#limiting(false)),
      actorMay: true,
    });
  }

  #toAffect(effect: DiscordEffect, id: ChannelId, isAnswer: boolean): DecisionInput {
    const { directory } = this.deps.discord;
    const { actor } = this.operation;
    const channel = directory.channel(id);
    const isOwnDm = channel?.kind === "dm" && channel.recipients.includes(actor);
    return {
      ...this.toRead(id),
      effect,
      actorMay: effect === "withdraw" || this.#actorMay(effect, id, isAnswer),
      isNameable: this.isDestination(id) || isOwnDm || this.mayRead(id),
      judged: () => (effect === "withdraw" ? YES : this.#judgeLabel(directory.audience(id), this.#limiting(isAnswer))),
    };
  }

  /**
   * Acting for people who could not act themselves would lend them the bot's permissions. People who made the request in that channel may
   * be answered there, unless a moderator has timed them out or locked the thread since.
   */
  #actorMay(effect: DiscordEffect, id: ChannelId, isAnswer: boolean): boolean {
    const { directory } = this.deps.discord;
    const { actor, origin } = this.operation;
    const channel = directory.channel(id);
    const held = directory.permissions(actor, id);
    if (channel?.thread?.locked && (held & PERMISSION.manageThreads) === 0) return false;
    if (effect === "thread") return allowsThreads(channel, held);
    if (isAnswer && origin.messageId !== null) return !directory.isTimedOut(actor, id);
    return effect === "speak" ? allowsSending(channel, held) : (held & PERMISSION.addReactions) !== 0;
  }

  /** Judges the disclosure of a whole label to these readers. */
  #judgeLabel(readers: Audience, label: Label): Judgement {
    return this.#hasClosedSource(label) ? BARRED : this.judge(label, [readers]);
  }

  /** Rules and grants may have been narrowed since the reads. Unknown or deleted channels are judged by their last audience. */
  #hasClosedSource(label: Label): boolean {
    const { discord, rules } = this.deps;
    const { origin, client } = this.operation;
    const terms = { grant: client.grant, rules };
    const refs = [...label].flatMap((source) => kindOf(source).audiences?.(source) ?? []);
    for (const ref of refs) {
      const guildId = ref.kind === "guild" ? ref.id : ref.kind === "role" ? ref.guildId : null;
      if (guildId !== null && refuseGuild(terms, guildId) !== null) return true;
    }
    const homes = refs.flatMap((ref) => (ref.kind === "channel" ? [ref.id] : []));
    return [...label.channels, ...homes].some((id) => {
      const place = locateChannel(discord.directory, id);
      if (!place) return false;
      // The request may contain text by others from a channel that is never read.
      const isOptedOut = id !== origin.channelId && isListed(rules.optOut.channels, place.lineage);
      return isOptedOut || refusePlace(terms, place) !== null;
    });
  }
}

interface BarredChannel {
  readonly channelId: ChannelId;
  readonly source: Audience;
}

/** The channels of a label whose content not everyone in the target may know. */
export function* listBarredChannels(
  label: Label,
  target: Audience,
  { operation, directory }: { readonly operation: Operation; readonly directory: Directory },
): Generator<BarredChannel> {
  const readBack = label.readBack(operation);
  for (const channelId of label.channels) {
    const audience = directory.audience(channelId);
    const source = readBack.has(channelId) ? audience : asLive(audience);
    if (!flows(source, target)) yield { channelId, source };
  }
}
