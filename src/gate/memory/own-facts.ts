import type { AudienceRef } from "../../domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../../domain/ids.ts";
import type { Fact, FactScope, FactVisibility } from "../../domain/memory/fact.ts";
import type { NewBasis, RememberRequest, WayName } from "../../domain/memory/remember-request.ts";
import type { MessageRef } from "../../domain/message.ts";
import type { FactReading } from "../../domain/source.ts";
import type { ForgetReceipt } from "../../memory/end-facts.ts";
import type { Operation } from "../../policy/operation.ts";
import type { OwnProfile } from "./own-profile.ts";

/** The reason why a fact is not heard at the moment, or by its owner only; null when it is in use. */
export type DormantReason =
  | "source_out_of_reach"
  | "source_edited"
  | "restored"
  | "source_deleted"
  | "source_uncertain"
  | "left_out"
  | "left_server"
  | null;

/** One's own fact, as its owner sees it. */
export interface OwnFact {
  readonly fact: Fact;
  readonly dormant: DormantReason;
  /** False where it rests on what the owner can no longer read: then its value is not shown, either. */
  readonly isReadable: boolean;
  /** As a source: for its owner alone, even where others may hear it too. */
  readonly reading: FactReading;
}

/** How often a fact was used in one month; never by whom or when. Looking at one's own facts does not count. */
export interface FactUse {
  /** In UTC, such as "2026-10". */
  readonly month: string;
  /** In how many operations it was handed out, by channel, of those that the person can read now; null for all that only the person read who asked. */
  readonly places: readonly { readonly channelId: ChannelId | null; readonly times: number }[];
}

/** A fact in the list of the person whom it is about. */
export interface ListedFact extends OwnFact {
  /** Null for what was remembered since. */
  readonly use: FactUse | null;
  /** People who asked for its removal, because it names them. */
  readonly askedBy: readonly UserId[];
}

/** A fact that its person may not need any more. */
export interface ReviewedFact extends OwnFact {
  readonly why: "dormant" | "unused" | "ending";
}

export interface FactRequest {
  /** About themselves unless said, or about the project or the server where they are. */
  readonly about?: FactScope;
  readonly key: unknown;
  readonly value: unknown;
  /** The audience of a fact about themselves: the person alone, the readers of the channel, or the members of its server. */
  readonly visibility: FactVisibility;
  readonly channelId: ChannelId;
  /** Its server, by Discord's word; null for a DM. Looked up when absent. */
  readonly guildId?: GuildId | null;
  readonly expiresAt?: number;
}

/** A checked request: all of the fact except what it rests on. */
export interface CheckedFact extends Omit<RememberRequest, "basis" | "ends"> {
  readonly expiresAt: number;
  /** How often its writer had erased everything: what was asked for before that is not stored afterwards. */
  readonly erasures: number;
}

export interface FactEffect {
  /** Facts of the same name for the same audience, which it takes the place of. */
  readonly replaces: readonly OwnFact[];
  /** Facts of the same name that are shared with others, and go on being heard by them. */
  readonly staysShared: readonly OwnFact[];
}

export interface OwnRequest extends FactRequest {
  /** A message of theirs that it is taken from, and rests on. */
  readonly said?: MessageRef;
  /** Names the interaction, so that where it came from can be told. */
  readonly typedIn: string;
  /** Ids of their own facts that end with it and may no longer be heard. */
  readonly ends?: readonly string[];
}

export interface OwnPreview extends CheckedFact, FactEffect {
  readonly basis: readonly NewBasis[];
  /** A fact with the same audience and nearly the same name, which may be meant; null where there is none, or it replaces one anyway. */
  readonly near: OwnFact | null;
}

/** One of the ways in which a proposed fact can be remembered, as its person sees it. */
export interface ShownWay extends FactEffect {
  readonly name: WayName;
  /** Under which key it is remembered. */
  readonly key: string;
  /** Only who is in all of these will hear it. */
  readonly audiences: readonly AudienceRef[];
  /** Facts that end with it and will no longer be heard. */
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

/** Actions of people on their own facts. Every method throws `unavailable` when these cannot be read or stored. */
export interface OwnFacts {
  /** The newest first, without those that others have followed. */
  list(actor: UserId): Promise<readonly ListedFact[]>;
  /** Values that take precedence over facts of the same key. */
  profile(actor: UserId, signal?: AbortSignal): Promise<OwnProfile>;
  /** The facts of `list`, without looking at what they rest on: for choosing one. */
  listNames(actor: UserId): Promise<readonly Pick<Fact, "id" | "name" | "home">[]>;
  /** One of them, or of their history. Throws `not_found` for what is not theirs, as for what does not exist. */
  show(actor: UserId, factId: string): Promise<ListedFact>;
  /** Everything, with its history. */
  export(actor: UserId): Promise<readonly ListedFact[]>;
  /** The typed text of the person's own message. Throws `forbidden` for every other message, and if their messages are not used. */
  readOwnMessage(actor: UserId, said: MessageRef, signal?: AbortSignal): Promise<string>;
  /** The fact that `remember` would store, and its effects. Stores nothing. Throws as `remember` does. */
  preview(actor: UserId, request: OwnRequest): Promise<OwnPreview>;
  /** Throws `invalid` for what cannot be remembered, `forbidden` where the server does not want it. */
  remember(actor: UserId, request: OwnRequest): Promise<Fact>;
  /** Facts that are not in use, were not used for a year, or end soon, without recently kept ones; the newest first. */
  review(actor: UserId): Promise<readonly ReviewedFact[]>;
  /**
   * Keeps a fact. If a message that it rests on was edited, or it comes from a backup, this confirms it again, with its current basis. Throws `not_found` for
   * facts of other people, and `forbidden` if it cannot be confirmed again.
   */
  keep(actor: UserId, factId: string): Promise<Fact>;
  /** Throws `not_found` for what is not theirs. */
  forget(actor: UserId, factId: string): Promise<ForgetReceipt>;
  /** Call this before giving facts to a program: they count as read by its operation, and nothing based on them is said to other people than the owner. */
  noteRead(operation: Operation, facts: readonly OwnFact[]): void;
  /** The same for their talks with the agent: where and when they talked is for those who can read these channels. */
  noteTalksRead(operation: Operation, channelIds: readonly ChannelId[]): void;
}
