import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { RememberRequest, WayName } from "../domain/memory/remember-request.ts";
import type { MessageRef } from "../domain/message.ts";

/** An effect with its exact content. */
export type Action = DiscordAction | MemoryAction | StartOverAction;
export type DiscordAction = SendAction | ReactAction | EditAction | DeleteAction | TypingAction | ThreadAction;
export type MemoryAction = RememberAction | ForgetAction;

export interface SendAction {
  readonly kind: "send";
  readonly channelId: ChannelId;
  readonly text: string;
  readonly replyTo: MessageId | null;
  readonly mentions: readonly UserId[];
  /** The actor chooses to tell content that not everyone there may read. */
  readonly disclosure?: Disclosure;
}

/** The warnings that the actor sees before disclosing content, and the state of the sources when they saw them. */
export interface Disclosure {
  /** Places that not everyone there can read; those that the text quotes come first. */
  readonly barred: readonly BarredPlace[];
  /** Number of further places. */
  readonly others: number;
  /** Identifies all sources, the target, and the people who would learn the content. */
  readonly pin: string;
  /** Edit times of the sources. */
  readonly edits: string;
  /** Time of the freeze: no source may have been edited since. */
  readonly frozenAt: number;
}

export interface BarredPlace {
  /** Null for facts about the actor. */
  readonly channelId: ChannelId | null;
  readonly isQuoted: boolean;
  /** Number of people there who would learn it; null if unknown. */
  readonly learners: number | null;
}

interface ReactAction {
  readonly kind: "react";
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
  readonly emoji: string;
}

export interface EditAction extends MessageRef {
  readonly kind: "edit";
  readonly text: string;
}

export interface DeleteAction extends MessageRef {
  readonly kind: "delete";
}

/** Shows the typing indicator. */
interface TypingAction {
  readonly kind: "typing";
  readonly channelId: ChannelId;
}

/** Starts a public thread with its first message, or a post in a forum. */
export interface ThreadAction {
  readonly kind: "thread";
  readonly channelId: ChannelId;
  /** The message that the thread starts from. */
  readonly messageId: MessageId | null;
  readonly name: string;
  readonly text: string;
  /** Names of a forum's tags. */
  readonly tags: readonly string[];
}

/** The person chooses one of the ways, each exact. */
export interface RememberAction {
  readonly kind: "remember";
  readonly ways: readonly RememberWay[];
  /** The actor's erasure count at the freeze. */
  readonly erasures: number;
}

export interface RememberWay {
  readonly name: WayName;
  readonly request: RememberRequest;
  /** Ids of the facts of the same name and audience that it replaces. */
  readonly replaces: readonly string[];
  /** Ids of the facts of the same name that stay in use for others. */
  readonly staysShared: readonly string[];
}

export interface ForgetAction {
  readonly kind: "forget";
  readonly fact: Pick<Fact, "id" | "version" | "subjectId" | "guildId" | "name">;
}

/** Earlier reads of a session no longer limit the effects that the actor confirms. */
export interface StartOverAction {
  readonly kind: "start_over";
  /** Some of the channels whose content was disclosed. */
  readonly channelIds: readonly ChannelId[];
  /** Some of the servers whose name or members were disclosed. */
  readonly guildIds: readonly GuildId[];
  /** Number of further places that were read or searched. */
  readonly others: number;
}

export function isInMemory(action: Action): action is MemoryAction {
  return action.kind === "remember" || action.kind === "forget";
}

/** About a person, or told in their name: that person alone may see and decide it. */
export function isPersonal(action: Action): boolean {
  if (action.kind === "send") return action.disclosure !== undefined;
  if (action.kind === "remember") return action.ways.some(({ request }) => request.subjectId !== null);
  return action.kind === "forget" && action.fact.subjectId !== null;
}

/** Equal for repetitions of a call, even if the people who would learn the content have changed meanwhile. */
export function toIdentity(action: Action): string {
  return JSON.stringify(action.kind === "send" && action.disclosure ? { ...action, disclosure: true } : action);
}
