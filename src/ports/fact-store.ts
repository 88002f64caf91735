import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type { FactBasis, FactScope, FactVisibility, Verification } from "../domain/memory/fact.ts";
import type { CitedBy } from "./stored-source.ts";

/**
 * A version of a fact as it is stored. The key's name and the value are sealed; the other columns are readable, so that decisions need no
 * key. Versions of one record have the same `key` and `audience_ref`.
 */
export interface FactRow {
  /** Random, and of this version alone: an id of the record would reveal versions that are hidden. */
  readonly id: string;
  readonly scope_type: FactScope;
  /** Id of the person, of the project (a category, or a channel outside of any), or of the server. */
  readonly scope_id: string;
  /** The person it is about; null for projects and servers. */
  readonly subject_id: UserId | null;
  /** The server in which it may be used; null for a private fact. */
  readonly guild_id: GuildId | null;
  /** Its home: `guild:<id>` or `channel:<id>`; null for a private fact. */
  readonly audience_ref: string | null;
  /** A keyed hash of the key's name: equal names have equal hashes, for one person, or for one server with its projects. */
  readonly key: string;
  /** Sealed; empty for a trace. */
  readonly value_json: string;
  readonly visibility: FactVisibility;
  /** Empty after this person was erased. */
  readonly created_by: UserId | "";
  readonly verification_status: Verification;
  /** 0 to 1. */
  readonly confidence: number;
  readonly expires_at: number | null;
  readonly created_at: number;
  /** Higher than that of every earlier version of the same `key`. Bound to the seal. */
  readonly version: number;
}

/** One person, or one server with its projects: facts whose names are hashed with one key. */
export interface FactSubject {
  readonly kind: "user" | "guild";
  readonly id: string;
}

/** One source that a fact rests on. */
export type FactSource = Omit<FactBasis, "authorMark">;

export interface StoredFact {
  readonly row: FactRow;
  readonly sources: readonly FactSource[];
}

/** The record of a version: one subject, name and home. */
export function recordOf({ row }: Pick<StoredFact, "row">): string {
  return `${row.key} ${row.audience_ref}`;
}

/** Whether a version is only the number and the audiences of one that has ended. It has no key, and hides older versions. */
export function isTrace({ row }: Pick<StoredFact, "row">): boolean {
  return row.value_json === "";
}

/** Each member narrows the result. Versions that have begun to end are never found; traces are. */
export interface FactQuery {
  readonly scopeType?: FactScope;
  readonly scopeId?: string;
  readonly subjectId?: UserId;
  readonly guildId?: GuildId;
  /** Hash of the key's name. */
  readonly key?: string;
  readonly createdBy?: UserId;
  /** Facts that rest on this. */
  readonly citing?: CitedBy;
}

/** Changes to the stored facts in one step. */
export interface FactChange {
  readonly add?: readonly StoredFact[];
  /** A new version with the next number of its `key`. May be sealed again if the transaction is repeated. */
  readonly next?: { readonly key: string; seal(version: number): StoredFact };
  /** These facts are no longer read. Next, their keys are deleted, then the rows. */
  readonly beginToEnd?: { readonly ids: readonly string[]; readonly at: number };
  readonly delete?: readonly string[];
}

/** Keeps facts; knows no key. Failures are `unavailable`. */
export interface FactStore {
  /** Random, created with the store; null until then. */
  storeId(): Promise<string | null>;
  /** Replaces an earlier one. */
  setStoreId(id: string): Promise<void>;
  /** Atomic, durable and in the order of the members. A `delete` of a missing fact changes nothing. */
  change(change: FactChange): Promise<void>;
  /** Sorted by `created_at`, then by id, both descending. `after` is the last fact of the previous page. */
  find(
    query: FactQuery,
    page: { readonly limit: number; readonly after?: FactPosition },
  ): Promise<readonly StoredFact[]>;
  /** None that has begun to end. Each once, in the order of the ids. */
  findByIds(ids: readonly string[]): Promise<readonly StoredFact[]>;
  /** All versions of the records that these belong to, even if these have begun to end. In any order. */
  recordsOf(ids: readonly string[]): Promise<readonly StoredFact[]>;
  /** Number of records with a version that matches. */
  count(query: FactQuery): Promise<number>;
  /** Ids of facts that expire by this time, the earliest first. */
  expired(by: number, limit: number): Promise<readonly string[]>;
  /** A page of the ids of all rows but traces, in byte order, including facts that have begun to end. */
  ids(page: { readonly after?: string; readonly limit: number }): Promise<readonly string[]>;
  /** The subjects without any fact but such that have begun to end, in the order given. */
  withoutFacts(subjects: readonly FactSubject[]): Promise<readonly FactSubject[]>;
  /** Ids of facts that have begun to end. */
  ending(): Promise<readonly string[]>;
  /** Servers with shared facts, and servers that the bot has left, with the time it left; null if it has not. In any order. */
  guilds(): Promise<readonly SharedGuild[]>;
  /** Notes when the bot left a server; null when it is back, or no fact is left to end. Replaces the previous note. Safe to repeat. */
  noteLeft(guildId: GuildId, at: number | null): Promise<void>;
  /** Notes that its person chose to keep a fact. Does nothing if the fact has begun to end. Safe to repeat. */
  noteKept(id: string, at: number): Promise<void>;
  /** Time of the last `noteKept` by fact id; facts never kept are absent. */
  keptAt(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Usage counts of facts; the audit writes them together with its own rows. */
  uses(ids: readonly string[]): Promise<readonly FactUseRow[]>;
  /** Notes that a person asks for the removal of a fact that names them. Deleted with the fact; does nothing without the fact. Safe to
   * repeat. */
  askRemoval(request: { readonly factId: string; readonly userId: UserId; readonly at: number }): Promise<void>;
  /** The people who asked for the removal of each fact, the earliest first; facts without requests are absent. */
  removalRequests(ids: readonly string[]): Promise<ReadonlyMap<string, readonly UserId[]>>;
  /** Removes this person as the writer of the remaining facts, and their removal requests. */
  forgetWriter(userId: UserId): Promise<void>;
  /**
   * Overwrites deleted rows in the files, as far as the database can: the sealed remains of a row that it once moved may stay. False if
   * another process is reading the files, so that it has to be repeated.
   */
  scrub(): Promise<boolean>;
}

/** Number of operations of one month in which a version of a fact was handed out. */
export interface FactUseRow {
  readonly fact_id: string;
  readonly version: number;
  /** In UTC, such as "2026-10". */
  readonly month: string;
  /** The channel in which the answers were posted; null if only the actor read them. */
  readonly place: ChannelId | null;
  readonly times: number;
}

export interface SharedGuild {
  readonly guildId: GuildId;
  readonly leftAt: number | null;
}

export type FactPosition = Pick<FactRow, "created_at" | "id">;
