import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type { FactBasis, FactScope, FactVisibility, Verification } from "../domain/memory/fact.ts";
import type { CitedBy } from "./stored-source.ts";

/** A fact as it is stored. The name of its key and its value are sealed; the rest is readable, so that decisions need no key. */
export interface FactRow {
  /** Random. */
  readonly id: string;
  readonly scope_type: FactScope;
  /** Id of the person, of the project (a category, or a channel outside of any), or of the server. */
  readonly scope_id: string;
  /** The person it is about; null for projects and servers. */
  readonly subject_id: UserId | null;
  /** The server in which it may be heard; null for a private fact. */
  readonly guild_id: GuildId | null;
  /** Its home: `guild:<id>` or `channel:<id>`; null for a private fact. */
  readonly audience_ref: string | null;
  /** A keyed hash of the key's name: equal names of one subject have equal hashes. */
  readonly key: string;
  /** The name of the key and the value, sealed. */
  readonly value_json: string;
  readonly visibility: FactVisibility;
  /** Empty after this person was erased. */
  readonly created_by: UserId | "";
  readonly verification_status: Verification;
  /** 0 to 1. */
  readonly confidence: number;
  readonly expires_at: number | null;
  readonly superseded_by: string | null;
  readonly created_at: number;
  /** Always 1: a fact is never sealed again, another one follows it. Bound to the seal. */
  readonly version: number;
}

/** What a fact is about: a person, a project or a server. */
export type FactSubject = Pick<FactRow, "scope_type" | "scope_id">;

/** One of the things that a fact rests on. */
export type FactSource = Omit<FactBasis, "authorMark">;

export interface StoredFact {
  readonly row: FactRow;
  readonly sources: readonly FactSource[];
}

/** Which facts are wanted; each member narrows. Ended facts are never found, superseded ones only when wanted. */
export interface FactQuery {
  readonly scopeType?: FactScope;
  readonly scopeId?: string;
  readonly subjectId?: UserId;
  readonly guildId?: GuildId;
  /** Of its home. */
  readonly audienceRef?: string;
  /** Facts of all subjects but this one. */
  readonly otherThanScopeId?: string;
  /** Hash of the key's name. */
  readonly key?: string;
  readonly createdBy?: UserId;
  readonly withSuperseded?: boolean;
  /** Facts that rest on this. */
  readonly citing?: CitedBy;
}

/** What becomes of the stored facts in one step. */
export interface FactChange {
  readonly add?: readonly StoredFact[];
  /** By id: which fact follows it; null for none any more. */
  readonly supersede?: ReadonlyMap<string, string | null>;
  /** From now on they are read no longer. Their keys are to be deleted next, then the rows. */
  readonly beginToEnd?: { readonly ids: readonly string[]; readonly at: number };
  readonly delete?: readonly string[];
}

/** Keeps facts; knows no key. Failures are `unavailable`. */
export interface FactStore {
  /** Random, made with the store; null while there is none. */
  storeId(): Promise<string | null>;
  /** Replaces an earlier one. */
  setStoreId(id: string): Promise<void>;
  /**
   * All of it or nothing; written to the disk when it returns. In the order of the members. A `supersede` or `delete` of what is not there
   * changes nothing.
   */
  change(change: FactChange): Promise<void>;
  /** The newest first: by `created_at`, then by id, both descending. `after` is the last of the page before. */
  find(
    query: FactQuery,
    page: { readonly limit: number; readonly after?: FactPosition },
  ): Promise<readonly StoredFact[]>;
  /** Superseded ones too, but none that has begun to end. In the order of the ids, each once. */
  findByIds(ids: readonly string[]): Promise<readonly StoredFact[]>;
  /** Whether `find` would find any. */
  has(query: FactQuery): Promise<boolean>;
  /** Ids of those that one of these follows next. */
  followedBy(ids: readonly string[]): Promise<readonly string[]>;
  /** How many `find` would find. */
  count(query: FactQuery): Promise<number>;
  /** Ids of facts to end: those that expire by then, the earliest first. */
  expired(by: number, limit: number): Promise<readonly string[]>;
  /** Ids of all rows, in the order of their bytes, a page at a time; those that have begun to end, too. */
  ids(page: { readonly after?: string; readonly limit: number }): Promise<readonly string[]>;
  /** Those of which there is no row, in the order given; one that has begun to end is a row, too. */
  withoutFacts(subjects: readonly FactSubject[]): Promise<readonly FactSubject[]>;
  /** Ids of those that have begun to end. */
  ending(): Promise<readonly string[]>;
  /** The servers in which facts are shared, and those that the bot has left, each with when it left; null where it has not. In any order. */
  guilds(): Promise<readonly SharedGuild[]>;
  /** That the bot has left a server, and when; null when it is back, or nothing is left to end. Replaces what was noted before. Safe to repeat. */
  noteLeft(guildId: GuildId, at: number | null): Promise<void>;
  /** That its person keeps a fact, at a time. Does nothing for a fact that has begun to end. Safe to repeat. */
  noteKept(id: string, at: number): Promise<void>;
  /** By id, when facts were kept last; without facts that never were. */
  keptAt(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How often facts were handed out: the audit counts it together with its own rows. */
  uses(ids: readonly string[]): Promise<readonly FactUseRow[]>;
  /** That somebody asks for a fact to be removed, because it names them. Ends with the fact. Without the fact nothing is stored. Safe to repeat. */
  askRemoval(request: { readonly factId: string; readonly userId: UserId; readonly at: number }): Promise<void>;
  /** Who asked for the removal of which facts, by their ids, the earliest first. Nothing for a fact of which nobody did. */
  removalRequests(ids: readonly string[]): Promise<ReadonlyMap<string, readonly UserId[]>>;
  /** Forgets who wrote the facts that are left, and what this person asked to have removed. */
  forgetWriter(userId: UserId): Promise<void>;
  /**
   * Overwrites deleted rows in the files, as far as the database can: the sealed remains of a row that it moved once may stay. False if somebody reads
   * the files at the moment, so that it has to be repeated.
   */
  scrub(): Promise<boolean>;
}

/** In how many operations a version of a fact was handed out within a month. */
export interface FactUseRow {
  readonly fact_id: string;
  readonly version: number;
  /** In UTC, such as "2026-10". */
  readonly month: string;
  /** The channel in which the answers were read; null where the person alone read them who asked. */
  readonly place: ChannelId | null;
  readonly times: number;
}

export interface SharedGuild {
  readonly guildId: GuildId;
  readonly leftAt: number | null;
}

export type FactPosition = Pick<FactRow, "created_at" | "id">;
