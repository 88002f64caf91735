import { createHash } from "node:crypto";
import type { AudienceRef } from "../../domain/audience.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Kept, Source, SourceState } from "../../domain/source.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ProfileKey, ProfileQuery, ProfileSource, ProfileValue } from "../../ports/profile-source.ts";
import type { RecordStates } from "../../ports/record-states.ts";
import { toGuildId } from "../../sources/kinds/limits.ts";
import { parseProfileRef, toMark, toProfileRef } from "../../sources/kinds/profile.ts";
import type { HeardProfile, ProfileField } from "../../tools/view.ts";
import type { FactCall } from "./fact-reads.ts";

export interface ProfileReadsDeps {
  readonly profiles: readonly ProfileSource[];
  readonly discord: Discord;
  isLeftOut(userId: UserId): boolean;
}

/** A key that may be used here. */
interface OpenKey extends ProfileKey {
  readonly guildId: GuildId | null;
}

/**
 * The profiles within one call. Access to each key is decided before its source is asked: a request would tell the service who is asked
 * about, and its duration would reveal to the actor that there is a value.
 */
export class ProfileReads {
  readonly #call: FactCall;
  readonly #deps: ProfileReadsDeps;

  constructor(call: FactCall, deps: ProfileReadsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async read(person: UserId, isWanted: (key: string) => boolean): Promise<HeardProfile> {
    const query = { person, guildId: this.#call.access.here.guildId };
    const fields: ProfileField[] = [];
    let isUnavailable = false;
    for (const source of this.#deps.profiles) {
      const wanted = source.keys(query).filter(({ key }) => isWanted(key));
      const open = await this.#openKeys(wanted, { source, query });
      if (open.length === 0) continue;
      // Even the absence of a value, or a failing service, is disclosed only to people who may know the key.
      this.#call.record.considerRecords(open.map((key) => toReading({ source, query, key }, null)));
      const values = await this.#ask(source, query);
      // They opted out meanwhile.
      if (this.#deps.isLeftOut(person)) return { fields: [], isUnavailable: false };
      isUnavailable ||= values === null;
      for (const key of open) {
        const value = values?.get(key.key);
        if (value !== undefined) fields.push(this.#tell({ source, query, key }, value));
      }
    }
    return { fields, isUnavailable };
  }

  /** Null while the source cannot be read. */
  async #ask(source: ProfileSource, query: ProfileQuery): Promise<ReadonlyMap<string, ProfileValue> | null> {
    try {
      return await source.read(query, this.#call.signal);
    } catch (error) {
      if (error instanceof EarshotError && error.code === "unavailable") return null;
      throw error;
    }
  }

  async #openKeys(keys: readonly ProfileKey[], asked: Pick<AskedKey, "source" | "query">): Promise<readonly OpenKey[]> {
    const { person } = asked.query;
    const { directory } = this.#deps.discord;
    const all = keys.map((key) => ({ ...key, guildId: toGuildId(key.audience, directory) }));
    // Memberships must be known before anything is decided. A person who cannot be looked up counts as absent.
    for (const guildId of new Set(all.flatMap((key) => key.guildId ?? [])))
      for (const id of [this.#call.operation.actor, person]) await directory.learnMember(id, guildId).catch(() => {});
    // Checked last: the service is not asked about a person who opted out meanwhile.
    return all.filter((key) => this.#call.access.mayHear(toReading({ ...asked, key }, null)));
  }

  #tell(asked: AskedKey, value: ProfileValue): ProfileField {
    const { source, query, key } = asked;
    const roles = this.#call.access.rolesIn(key.guildId);
    const reading = toReading(asked, value);
    this.#call.record.readRecord(reading, { content: JSON.stringify(value), roles });
    const visibility = VISIBILITIES[key.audience.kind];
    const { guildId } = key;
    return { ref: reading.ref, origin: source.origin, person: query.person, key: key.key, value, visibility, guildId };
  }
}

const VISIBILITIES = { person: "private", channel: "project", role: "org", guild: "org" } as const;

interface AskedKey {
  readonly source: ProfileSource;
  readonly query: ProfileQuery;
  readonly key: OpenKey;
}

function toReading({ source, query, key }: AskedKey, value: ProfileValue | null): Source<"profile"> {
  return {
    kind: "profile",
    ref: toProfileRef(source, query, key.key),
    version: value === null ? null : toProfileVersion(value),
    subjectId: query.person,
    guildId: key.guildId,
    audiences: [key.audience],
  };
}

export interface ProfileStatesDeps {
  readonly sources: readonly ProfileSource[];
  readonly clock: Clock;
  isLeftOut(userId: UserId): boolean;
  /** How long labels live; erasures are remembered for the same time. */
  readonly labelsKeptMs: number;
}

const MIN_KEPT_MS = 60 * 60_000;
const MAX_FORGOTTEN = 50_000;

/** Whether profile values that were read are unchanged. A service announces nothing, so a change is noticed on the next request. */
export class ProfileStates implements RecordStates {
  readonly #deps: ProfileStatesDeps;
  /** The time of each person's last erasure. */
  readonly #forgotten: BoundedMap<UserId, number>;

  constructor(deps: ProfileStatesDeps) {
    this.#deps = deps;
    const ttlMs = Math.max(MIN_KEPT_MS, deps.labelsKeptMs);
    this.#forgotten = new BoundedMap({ maxEntries: MAX_FORGOTTEN, ttlMs, clock: deps.clock });
  }

  /** Call when a person opted out or was erased: earlier reads are no longer used. */
  forget(person: UserId): void {
    this.#forgotten.set(person, this.#deps.clock.now());
    for (const source of this.#deps.sources) source.forget(person);
  }

  stateOf({ ref, version, readAt }: Kept<"profile">): SourceState {
    const parsed = parseProfileRef(ref);
    const source = parsed && this.#sourceOf(parsed);
    if (!source) return "uncertain";
    const { person } = parsed.query;
    if (this.#deps.isLeftOut(person) || readAt <= (this.#forgotten.get(person) ?? Number.NEGATIVE_INFINITY))
      return "deleted";
    const known = version === null ? null : source.peek(parsed.query);
    if (!known) return "standing";
    const current = findVersion(known, parsed.mark);
    if (current === null) return "deleted";
    return current === version ? "standing" : "changed";
  }

  async versionOf(ref: string): Promise<string | null> {
    const parsed = parseProfileRef(ref);
    const source = parsed && this.#sourceOf(parsed);
    // The service is not asked about people who opted out, or for a key that is no longer configured.
    if (!source || this.#deps.isLeftOut(parsed.query.person)) return null;
    if (this.#audienceOfKey(ref) === null) return null;
    return findVersion(await source.read(parsed.query), parsed.mark);
  }

  /** Discord's data about members is for the members; there is none about a person who has left. */
  audienceOf(ref: string): AudienceRef | null {
    const guildId = parseProfileRef(ref)?.query.guildId;
    return this.#audienceOfKey(ref) ?? (guildId ? { kind: "guild", id: guildId } : null);
  }

  subjectOf(ref: string): UserId | null {
    return parseProfileRef(ref)?.query.person ?? null;
  }

  /** A configured profile value never ends; its subject can opt out. */
  async isGone(ref: string): Promise<boolean> {
    return this.audienceOf(ref) === null;
  }

  #audienceOfKey(ref: string): AudienceRef | null {
    const parsed = parseProfileRef(ref);
    const keys = (parsed && this.#sourceOf(parsed)?.keys(parsed.query)) ?? [];
    return keys.find(({ key }) => toMark(key) === parsed?.mark)?.audience ?? null;
  }

  #sourceOf({ origin }: { readonly origin: string }): ProfileSource | undefined {
    return this.#deps.sources.find((source) => source.origin === origin);
  }
}

export function toProfileVersion(value: ProfileValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function findVersion(values: ReadonlyMap<string, ProfileValue>, mark: string): string | null {
  for (const [key, value] of values) if (toMark(key) === mark) return toProfileVersion(value);
  return null;
}
