import type { Audience, AudienceRef } from "../../domain/audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import type { MessageRef } from "../../domain/message.ts";
import type { Kept, RecordKind, Source, SourceKind, SourceState } from "../../domain/source.ts";
import type { Directory } from "../../ports/directory.ts";
import type { StoredSource } from "../../ports/stored-source.ts";

/** Current knowledge, without requests to Discord or a store. */
export interface SourceWorld {
  readonly watch: SourceChanges;
  readonly directory: SourceDirectory;
}

/** Changes to sources since they were read. */
export interface SourceChanges {
  readonly botId: UserId;
  /** Whether their messages may not be used. */
  isLeftOut(authorId: UserId): boolean;
  stateOfFact(source: Kept<"fact" | "facts">): SourceState;
  stateOfRecord(source: Kept<RecordKind>): SourceState;
  isDeleted(message: MessageRef): boolean;
  /** Time of the last edit of any kind. */
  editedAt(message: MessageRef): number;
  /** Whether an edit removed words that were read. */
  isChanged(source: Kept<"message">): boolean;
  /** Whether a deletion or edit may have been missed. */
  isDoubtful(source: Kept<"message">, directory: Pick<Directory, "channel">): boolean;
  /** The last time at which changes in a channel may have been missed. */
  missedSince(channelId: ChannelId, directory: Pick<Directory, "channel">): number;
}

export type SourceDirectory = Pick<
  Directory,
  "guild" | "channel" | "member" | "lastAudience" | "isDeleted" | "canRead" | "audience" | "members"
>;

/** The request for which a source is judged: messages shortly before it are live. */
export interface Moment {
  readonly openedAt: number;
  readonly origin: { readonly messageId: MessageId | null };
}

/** One limit on the audience of a source: readers must be within every limit. */
export interface Limit {
  /** Equal for equal limits, so that each is checked once. */
  readonly key: string;
  /** Whether the whole audience is within it. */
  allows(readers: Audience): boolean;
}

/** The subject or author of a source, and the server in which they must be a member for it to stand; null for none. */
export interface Subject {
  readonly subjectId: UserId | null;
  readonly guildId: GuildId | null;
}

/** A person who knowingly tells a server something that not all of its members may know. */
export interface Teller {
  readonly actor: UserId;
  readonly guildId: GuildId;
  /** A DM between them and the bot. */
  isOwnDm(id: ChannelId): boolean;
  /** Their own DM, or a channel of the server that they can read and whose content may be disclosed. */
  isTellable(id: ChannelId): boolean;
  /** Whether all new readers are in this audience. */
  areAllIn(ref: AudienceRef): boolean;
  /** Whether they were shown this version of a fact. */
  wasTold(factRef: string): boolean;
}

/** Everything that differs between kinds of sources. Synchronous, without requests. */
export interface Kind<Each extends SourceKind = SourceKind> {
  /** The source's name in a refusal, which says no more about it. */
  readonly title?: string;
  /** Its types in the audit. */
  readonly auditTypes?: readonly string[];
  /** Equal for readings of the same source. */
  key(source: Source<Each>): string | object;
  /** Merges a new reading with the one in the label. By default the new one replaces it. */
  keep?(now: Kept<Each>, before: Kept<Each> | undefined): Kept<Each>;
  /** The audiences to which it is limited; a reader must be in all of them. Null if unknown. Absent for sources limited by their
   * channel. */
  audiences?(source: Source<Each>): readonly AudienceRef[] | null;
  /** Equal for sources with the same limits, such as hundreds of messages of one channel. */
  limitedAs?(source: Kept<Each>, moment: Moment): string;
  /** Null if unknown. */
  limits(source: Kept<Each>, world: SourceWorld, moment: Moment): readonly Limit[] | null;
  subjects?(source: Kept<Each>, directory: Pick<Directory, "channel">): readonly Subject[];
  /** The messages that it consists of or rests on. */
  messages?(source: Kept<Each>): readonly MessageRef[];
  /** Whether it is unchanged; a kind without this method always stands. */
  state?(source: Kept<Each>, world: SourceWorld): SourceState;
  /** Whether the teller may knowingly disclose it. False for kinds without this method. */
  isOwn?(source: Kept<Each>, teller: Teller): boolean;
  /** The stored form for an answer that rests on it; null if answers do not follow it. */
  cite?(source: Source<Each>): StoredSource | null;
  /** Restores it from its reference in the audit; null for an invalid reference. */
  restore?(ref: string): Source<Each> | null;
}
