import type { AudienceRef } from "./audience.ts";
import type { ChannelId, GuildId, UserId } from "./ids.ts";
import type { MessageReading } from "./message.ts";

/** Whether everything read so far is our own text, or some of it was written by people, who may write anything. */
export type Integrity = "trusted" | "untrusted";

/** Whether what was read still stands as it was read. `uncertain`: it may have changed unheard. */
export type SourceState = "standing" | "deleted" | "changed" | "uncertain";

/** A remembered fact, as it was when it was read. */
export interface FactReading {
  readonly factId: string;
  readonly version: number;
  /** The person it is about; null for projects and servers. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for a private fact. */
  readonly guildId: GuildId | null;
  /** Only who is in all of these may hear it. Null when that is no longer known. */
  readonly audiences: readonly AudienceRef[] | null;
  /** What it rests on. */
  readonly messages: readonly { readonly channelId: ChannelId; readonly messageId: MessageReading["messageId"] }[];
  /** Other facts that it rests on, each as `<id>@<version>`. */
  readonly facts: readonly string[];
  /** Keyed hashes of the ids of those who wrote them. */
  readonly authorMarks: readonly string[];
  readonly expiresAt: number | null;
  /** Of the memory, when it was looked up: what changed later may concern it. */
  readonly revision: number;
}

/** Facts that were compared with a query, which can be thousands: what has to be known of all of them, each once. Never changes. */
export interface FactSet {
  readonly ids: ReadonlySet<string>;
  /** Ids of other facts that they rest on. */
  readonly idsUnder: ReadonlySet<string>;
  /** Whom they are about and in which servers they are shared, each pair once. */
  readonly subjects: readonly Pick<FactReading, "subjectId" | "guildId">[];
  /** Only who is in all of these may know which one fits best. */
  readonly audiences: readonly AudienceRef[];
  readonly messages: FactReading["messages"];
  readonly authorMarks: ReadonlySet<string>;
  /** When the first of them expires; null when none does. */
  readonly expiresAt: number | null;
  /** One by one. */
  list(revision: number): readonly FactReading[];
}

/** What a folder or a service of the operator's holds, and what the audit and facts call it. */
export const RECORD_TYPES = { passage: "docs", profile: "crm" } as const;
export const RECORD_KINDS = new Map<string, RecordKind>([
  ["docs", "passage"],
  ["crm", "profile"],
]);
export type RecordKind = keyof typeof RECORD_TYPES;

/** A passage of a document, or one key of a profile, as it was when it was read. */
interface RecordReading {
  /** Which one. Names nothing in words: it is kept in the audit. */
  readonly ref: string;
  /** A hash of what was read; null for what was only searched, of which only the audience matters. */
  readonly version: string | null;
  /** The person it is about; null for documents. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for what is shared in none. */
  readonly guildId: GuildId | null;
  /** Only who is in all of these may hear it. Null when that is no longer known. */
  readonly audiences: readonly AudienceRef[] | null;
}

/** Which one of a kind. Names nothing in words: it is kept in the audit. */
export interface RecordRef {
  readonly kind: RecordKind;
  readonly ref: string;
}

/** The same things that were read, each in the form of its kind. */
export interface SourceKinds {
  /** A channel of which something was disclosed: a message, its name, its existence. */
  readonly told: { readonly channelId: ChannelId };
  /** A channel that was searched, whatever was found. */
  readonly searched: { readonly channelId: ChannelId };
  /** A server whose name or membership was disclosed. */
  readonly server: { readonly guildId: GuildId };
  /** `texts`: all versions that were read; `text` is the one read last. */
  readonly message: MessageReading & { readonly texts?: ReadonlySet<string> };
  readonly fact: FactReading;
  /** Facts that were compared, whether or not they are told. `revision`: of the memory, at that time. */
  readonly facts: { readonly set: FactSet; readonly revision: number };
  readonly passage: RecordReading;
  /** Of one person: what a service of the operator's, or Discord, says about them under one key. */
  readonly profile: RecordReading;
}

export type SourceKind = keyof SourceKinds;

/** One thing that was read. */
export type Source<Kind extends SourceKind = SourceKind> = {
  readonly [Each in Kind]: { readonly kind: Each } & SourceKinds[Each];
}[Kind];

/** A source in a label. */
export type Kept<Kind extends SourceKind = SourceKind> = Source<Kind> & {
  /** When it was last known to be unchanged since it was read. */
  readonly readAt: number;
  /** The latest time at which it can have been read. */
  readonly countsFrom: number;
};
