import type { AudienceRef } from "./audience.ts";
import type { ChannelId, GuildId, UserId } from "./ids.ts";
import type { MessageReading } from "./message.ts";

/** `trusted`: only Earshot's own text was read so far. `untrusted`: some of it was written by people. */
export type Integrity = "trusted" | "untrusted";

/** Whether a source is unchanged since it was read. `uncertain`: changes may have been missed. */
export type SourceState = "standing" | "deleted" | "changed" | "uncertain";

/** A fact as it was read. */
export interface FactReading {
  readonly factId: string;
  readonly version: number;
  /** The person it is about; null for projects and servers. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for a private fact. */
  readonly guildId: GuildId | null;
  /** Only people in all of these may know it. Null once that is unknown. */
  readonly audiences: readonly AudienceRef[] | null;
  /** The messages it rests on. */
  readonly messages: readonly { readonly channelId: ChannelId; readonly messageId: MessageReading["messageId"] }[];
  /** Other facts it rests on, each as `<id>@<version>`. */
  readonly facts: readonly string[];
  /** Keyed hashes of the ids of its sources' authors. */
  readonly authorMarks: readonly string[];
  readonly expiresAt: number | null;
  /** The memory's revision at the look-up: later changes may affect it. */
  readonly revision: number;
}

/** Facts that were compared with a query, possibly thousands: the data needed of all of them, without duplicates. Immutable. */
export interface FactSet {
  readonly ids: ReadonlySet<string>;
  /** Ids of other facts they rest on. */
  readonly idsUnder: ReadonlySet<string>;
  /** Their subjects and the servers in which they are shared, each pair once. */
  readonly subjects: readonly Pick<FactReading, "subjectId" | "guildId">[];
  /** Only people in all of these may know which fact matches best. */
  readonly audiences: readonly AudienceRef[];
  readonly messages: FactReading["messages"];
  readonly authorMarks: ReadonlySet<string>;
  /** Expiry of the first to expire; null for none. */
  readonly expiresAt: number | null;
  /** The single facts. */
  list(revision: number): readonly FactReading[];
}

/** Types of records (data from the operator's folders or services), as the audit and facts name them. */
export const RECORD_TYPES = { passage: "docs", profile: "crm" } as const;
export const RECORD_KINDS = new Map<string, RecordKind>([
  ["docs", "passage"],
  ["crm", "profile"],
]);
export type RecordKind = keyof typeof RECORD_TYPES;

/** A passage of a document, or one key of a profile, as it was read. */
interface RecordReading {
  /** Kept in the audit, so it contains no text. */
  readonly ref: string;
  /** A hash of the content; null if it was only searched: then only its audience matters. */
  readonly version: string | null;
  /** The person it is about; null for documents. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for none. */
  readonly guildId: GuildId | null;
  /** Only people in all of these may know it. Null once that is unknown. */
  readonly audiences: readonly AudienceRef[] | null;
}

/** A reference to a record. Kept in the audit, so it contains no text. */
export interface RecordRef {
  readonly kind: RecordKind;
  readonly ref: string;
}

/** The fields of each kind of source. */
export interface SourceKinds {
  /** A channel of which something was disclosed: a message, its name, its existence. */
  readonly told: { readonly channelId: ChannelId };
  /** A channel that was searched, with or without results. */
  readonly searched: { readonly channelId: ChannelId };
  /** A server whose name or membership was disclosed. */
  readonly server: { readonly guildId: GuildId };
  /** `texts`: all versions read; `text` is the latest. */
  readonly message: MessageReading & { readonly texts?: ReadonlySet<string> };
  readonly fact: FactReading;
  /** Facts that were compared, shown or not. `revision`: of the memory at that time. */
  readonly facts: { readonly set: FactSet; readonly revision: number };
  readonly passage: RecordReading;
  /** The value of one key of a person's profile, from the operator's service or Discord. */
  readonly profile: RecordReading;
}

export type SourceKind = keyof SourceKinds;

/** One source that was read. */
export type Source<Kind extends SourceKind = SourceKind> = {
  readonly [Each in Kind]: { readonly kind: Each } & SourceKinds[Each];
}[Kind];

/** A source in a label. */
export type Kept<Kind extends SourceKind = SourceKind> = Source<Kind> & {
  /** Time at which it was last known to be unchanged since it was read. */
  readonly readAt: number;
  /** The latest possible time of the read. */
  readonly countsFrom: number;
};
