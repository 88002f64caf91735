import type { Audience, AudienceRef } from "../../domain/audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import type { MessageRef } from "../../domain/message.ts";
import type { Kept, RecordKind, Source, SourceKind, SourceState } from "../../domain/source.ts";
import type { Directory } from "../../ports/directory.ts";
import type { StoredSource } from "../../ports/stored-source.ts";

/** What is known at the moment, without asking Discord or a store. */
export interface SourceWorld {
  readonly watch: SourceChanges;
  readonly directory: SourceDirectory;
}

/** What was heard of sources since they were read. */
export interface SourceChanges {
  readonly botId: UserId;
  /** Whose words may not be used. */
  isLeftOut(authorId: UserId): boolean;
  /** Whether a fact that was read still stands. */
  stateOfFact(source: Kept<"fact" | "facts">): SourceState;
  /** Whether a record that was read still stands. */
  stateOfRecord(source: Kept<RecordKind>): SourceState;
  isDeleted(message: MessageRef): boolean;
  /** When a message was last edited, in whatever way. */
  editedAt(message: MessageRef): number;
  /** Whether words that were read were taken out of a message. */
  isChanged(source: Kept<"message">): boolean;
  /** Whether it may have been deleted or edited unheard. */
  isDoubtful(source: Kept<"message">, directory: Pick<Directory, "channel">): boolean;
  /** The last time at which changes in a channel may have been missed. */
  missedSince(channelId: ChannelId, directory: Pick<Directory, "channel">): number;
}

export type SourceDirectory = Pick<
  Directory,
  "guild" | "channel" | "member" | "lastAudience" | "isDeleted" | "canRead" | "audience" | "members"
>;

/** The request for which it is asked: what was said right before it is still being said. */
export interface Moment {
  readonly openedAt: number;
  readonly origin: { readonly messageId: MessageId | null };
}

/** Those who may know a source: of several limits, only who is within all of them. */
export interface Limit {
  /** Equal for equal limits, so that each is looked at once. */
  readonly key: string;
  /** Whether everybody of an audience is within it. */
  allows(readers: Audience): boolean;
}

/** A person whom a source is about or who wrote it, and the server in which they have to be for it to stand; null for none. */
export interface Subject {
  readonly subjectId: UserId | null;
  readonly guildId: GuildId | null;
}

/** Somebody who would tell in a server, knowingly, what not everybody there may know. */
export interface Teller {
  readonly actor: UserId;
  readonly guildId: GuildId;
  /** A direct conversation of theirs with the bot. */
  isOwnDm(id: ChannelId): boolean;
  /** A conversation of their own, or a channel of the server that they can read and of which something may be told. */
  isTellable(id: ChannelId): boolean;
  /** Whether everybody to whom it would be told is one of these. */
  areAllIn(ref: AudienceRef): boolean;
  /** Whether they were shown this version of a fact. */
  wasTold(factRef: string): boolean;
}

/** Everything that differs between kinds of sources. Never asks anybody. */
export interface Kind<Each extends SourceKind = SourceKind> {
  /** How a refusal names what stands in the way, without saying more of it. */
  readonly title?: string;
  /** What the audit calls it. */
  readonly auditTypes?: readonly string[];
  /** The same for what counts as the same source. */
  key(source: Source<Each>): string | object;
  /** What is kept of a source, given what was kept of it before. The one read last unless a kind says otherwise. */
  keep?(now: Kept<Each>, before: Kept<Each> | undefined): Kept<Each>;
  /** Those to whom it was given, all of whom have to include a reader; null where that is not known any more. Of what is limited by where it stands, nothing. */
  audiences?(source: Source<Each>): readonly AudienceRef[] | null;
  /** The same for sources that have the same limits: those of one channel, of which there can be hundreds. */
  limitedAs?(source: Kept<Each>, moment: Moment): string;
  /** Null where nobody can say. */
  limits(source: Kept<Each>, world: SourceWorld, moment: Moment): readonly Limit[] | null;
  subjects?(source: Kept<Each>, directory: Pick<Directory, "channel">): readonly Subject[];
  /** The messages that it consists of or rests on. */
  messages?(source: Kept<Each>): readonly MessageRef[];
  /** Whether it stands as it was read; whatever has no state does. */
  state?(source: Kept<Each>, world: SourceWorld): SourceState;
  /** Whether it is somebody's to tell knowingly. Nothing is, unless its kind says so. */
  isOwn?(source: Kept<Each>, teller: Teller): boolean;
  /** How an answer that rests on it is kept; null for what no answer follows. */
  cite?(source: Source<Each>): StoredSource | null;
  /** What is known of it by its reference in the audit alone; null for a reference that is none. */
  restore?(ref: string): Source<Each> | null;
}
