import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type { AudienceRef, FactReading } from "../domain/label.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { FactInput } from "../domain/memory/fact-input.ts";
import type { ForgetReceipt } from "../memory/memory.ts";
import type { Operation } from "../policy/operation.ts";

/** Why nobody hears a fact at the moment, or only its owner does; null when it is in use. */
export type DormantReason =
  | "source_out_of_reach"
  | "source_edited"
  | "source_deleted"
  | "source_uncertain"
  | "left_out"
  | "author_left_out"
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

/** What somebody types to have it remembered about themselves. */
export interface OwnRequest {
  readonly key: unknown;
  readonly value: unknown;
  /** With whom it is shared: nobody, those who can read the channel, or the members of its server. */
  readonly visibility: "private" | "project" | "org";
  /** Where they type it. */
  readonly channelId: ChannelId;
  /** Its server, by Discord's word; null for a DM. Looked up when absent. */
  readonly guildId?: GuildId | null;
  readonly expiresAt?: number;
  /** Names the interaction, so that where it came from can be told. */
  readonly typedIn: string;
}

/** What remembering something would do. */
export interface OwnPreview extends FactInput {
  /** Who will be able to hear it. */
  readonly home: AudienceRef;
  readonly expiresAt: number;
  /** Facts of the same name for the same audience, which it takes the place of. */
  readonly replaces: readonly OwnFact[];
  /** Facts of the same name that are shared with others, and go on being heard by them. */
  readonly staysShared: readonly OwnFact[];
}

/** What a person can do with what is remembered about themselves. All of it throws `unavailable` when that cannot be read or stored. */
export interface OwnFacts {
  /** The newest first, without those that others have followed. */
  list(actor: UserId): Promise<readonly OwnFact[]>;
  /** The facts of `list`, without looking at what they rest on: for choosing one. */
  listNames(actor: UserId): Promise<readonly Pick<Fact, "id" | "name" | "home">[]>;
  /** One of them, or of their history. Throws `not_found` for what is not theirs, as for what does not exist. */
  show(actor: UserId, factId: string): Promise<OwnFact>;
  /** Everything, with its history. */
  export(actor: UserId): Promise<readonly OwnFact[]>;
  /** What `remember` would store, and what that changes. Stores nothing. Throws as `remember` does. */
  preview(actor: UserId, request: OwnRequest): Promise<OwnPreview>;
  /** Throws `invalid` for what cannot be remembered, `forbidden` where the server does not want it. */
  remember(actor: UserId, request: OwnRequest): Promise<Fact>;
  /** Throws `not_found` for what is not theirs. */
  forget(actor: UserId, factId: string): Promise<ForgetReceipt>;
  /** To be called before a program is given facts: they count as read by its operation, and nothing based on them is said to anybody but the owner. */
  noteRead(operation: Operation, facts: readonly OwnFact[]): void;
}
