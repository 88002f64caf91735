import type { AudienceRef } from "../../domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../../domain/ids.ts";
import type { Fact, FactScope, FactVisibility } from "../../domain/memory/fact.ts";
import type { NewBasis, RememberRequest, WayName } from "../../domain/memory/remember-request.ts";
import type { MessageRef } from "../../domain/message.ts";
import type { FactReading } from "../../domain/source.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";
import type { Operation } from "../../policy/operation.ts";
import type { OwnProfile } from "./own-profile.ts";

/** The reason why a fact is dormant, or in use for its owner only; null if it is in use. */
export type DormantReason =
  | "source_out_of_reach"
  | "source_edited"
  | "restored"
  | "source_deleted"
  | "source_uncertain"
  | "left_out"
  | "left_server"
  | null;

export interface OwnFact {
  readonly fact: Fact;
  readonly dormant: DormantReason;
  /** False if it rests on something that the owner can no longer read: its value is hidden then, too. */
  readonly isReadable: boolean;
  /** As a source for its owner alone, even if it is shared. */
  readonly reading: FactReading;
}

/** Uses of a fact in one month, never by whom or when. Views of one's own facts do not count. */
export interface FactUse {
  /** In UTC, such as "2026-10". */
  readonly month: string;
  /** Number of operations that returned it, by channel, of the channels that the person can read now; null for answers that only the
   * actor read. */
  readonly places: readonly { readonly channelId: ChannelId | null; readonly times: number }[];
}

/** A fact in the list of the person whom it is about. */
export interface ListedFact extends OwnFact {
  /** Null for facts saved since. */
  readonly use: FactUse | null;
  /** People who asked for its removal, because it names them. */
  readonly askedBy: readonly UserId[];
  /** Whether a stronger version hides it. */
  readonly isReplaced: boolean;
}

/** A fact that its person may no longer need. */
export interface ReviewedFact extends OwnFact {
  readonly why: "dormant" | "unused" | "ending";
}

export interface FactRequest {
  /** By default about the actor; or about the project or server of the channel. */
  readonly about?: FactScope;
  readonly key: unknown;
  readonly value: unknown;
  /** The audience of a fact about themselves: the person alone, the readers of the channel, or the members of its server. */
  readonly visibility: FactVisibility;
  readonly channelId: ChannelId;
  /** The channel's server as sent by Discord; null for a DM. Looked up when absent. */
  readonly guildId?: GuildId | null;
  readonly expiresAt?: number;
}

/** A checked request: the fact without its sources. */
export interface CheckedFact extends Omit<RememberRequest, "basis" | "ends"> {
  readonly expiresAt: number;
  /** The writer's erasure count: if it has grown, the request predates an erasure and is not stored. */
  readonly erasures: number;
}

export interface FactEffect {
  /** Facts of the same name and audience, which it replaces. */
  readonly replaces: readonly OwnFact[];
  /** Facts of the same name that are shared with others, and stay in use for them. */
  readonly staysShared: readonly OwnFact[];
}

export interface OwnRequest extends FactRequest {
  /** The person's own message that it is taken from, and rests on. */
  readonly said?: MessageRef;
  /** Names the interaction, to document the fact's origin. */
  readonly typedIn: string;
  /** Ids of their own facts that end with it. */
  readonly ends?: readonly string[];
}

export interface OwnPreview extends CheckedFact, FactEffect {
  readonly basis: readonly NewBasis[];
  /** A fact with the same audience and a similar name, which may be meant; null if there is none, or if it is replaced anyway. */
  readonly near: OwnFact | null;
}

/** One way to save a proposed fact, as shown to its person. */
export interface ShownWay extends FactEffect {
  readonly name: WayName;
  /** The key to save it under. */
  readonly key: string;
  /** Only people in all of these will know it. */
  readonly audiences: readonly AudienceRef[];
  /** Facts that end with it. */
  readonly ends: readonly OwnFact[];
}

/** The preview of a pending proposal for its person. */
export type ProposalPreview =
  | {
      readonly kind: "remember";
      readonly request: RememberRequest;
      /** The operator's name for its project; null without one, and for facts about others. */
      readonly project: string | null;
      readonly ways: readonly ShownWay[];
    }
  | { readonly kind: "forget"; readonly fact: OwnFact };

/** People's actions on their own facts. Every method throws `unavailable` if these cannot be read or stored. */
export interface OwnFacts {
  /** The newest first, without replaced versions. */
  list(actor: UserId): Promise<readonly ListedFact[]>;
  /** Values that take precedence over facts of the same key. */
  profile(actor: UserId, signal?: AbortSignal): Promise<OwnProfile>;
  /** The facts of `list` without a check of their sources, for choosing one. */
  listNames(actor: UserId): Promise<readonly Pick<Fact, "id" | "name" | "home">[]>;
  /** A version of a fact of theirs. Throws `not_found` for facts of other people, as for missing ones. */
  show(actor: UserId, factId: string): Promise<ListedFact>;
  /** All facts, with their replaced versions. */
  export(actor: UserId): Promise<readonly ListedFact[]>;
  /** The typed text of the person's own message. Throws `forbidden` for every other message, and if their messages are not used. */
  readOwnMessage(actor: UserId, said: MessageRef, signal?: AbortSignal): Promise<string>;
  /** The fact that `remember` would store, and its effects. Stores nothing. Throws as `remember` does. */
  preview(actor: UserId, request: OwnRequest): Promise<OwnPreview>;
  /** Throws `invalid` for an invalid fact, `forbidden` if the server's rules do not allow it. */
  remember(actor: UserId, request: OwnRequest): Promise<Fact>;
  /** Facts that are not in use, were not used for a year, or end soon, without recently kept ones; the newest first. */
  review(actor: UserId): Promise<readonly ReviewedFact[]>;
  /**
   * Keeps a fact. If a message that it rests on was edited, or it comes from a backup, this confirms it again, with its current basis. Throws `not_found` for
   * facts of other people, and `forbidden` if it cannot be confirmed again.
   */
  keep(actor: UserId, factId: string): Promise<Fact>;
  /** Throws `not_found` for facts of other people. */
  forget(actor: UserId, factId: string): Promise<ForgetReceipt>;
  /** Call this before giving facts to a program: they count as read by its operation, and anything based on them is only for the owner. */
  noteRead(operation: Operation, facts: readonly OwnFact[]): void;
  /** The same for their talks with the agent: place and time of a talk are for the readers of its channel. */
  noteTalksRead(operation: Operation, channelIds: readonly ChannelId[]): void;
}
