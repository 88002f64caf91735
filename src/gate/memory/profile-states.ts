import { createHash } from "node:crypto";
import type { AudienceRef } from "../../domain/audience-ref.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { type GuildId, toId, type UserId } from "../../domain/ids.ts";
import { normaliseName } from "../../domain/memory/fact.ts";
import type { Kept, SourceState } from "../../domain/source.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProfileQuery, ProfileSource, ProfileValue } from "../../ports/profile-source.ts";
import type { RecordStates } from "../../ports/record-states.ts";

export interface ProfileStatesDeps {
  readonly sources: readonly ProfileSource[];
  readonly clock: Clock;
  isLeftOut(userId: UserId): boolean;
  /** How long labels live: who was forgotten is remembered as long. */
  readonly labelsKeptMs: number;
}

const MIN_KEPT_MS = 60 * 60_000;
const MAX_FORGOTTEN = 50_000;

/** Whether what was read of profiles still stands. A service announces nothing: a change there is noticed when it is asked the next time. */
export class ProfileStates implements RecordStates {
  readonly #deps: ProfileStatesDeps;
  /** When each person was forgotten last. */
  readonly #forgotten: BoundedMap<UserId, number>;

  constructor(deps: ProfileStatesDeps) {
    this.#deps = deps;
    const ttlMs = Math.max(MIN_KEPT_MS, deps.labelsKeptMs);
    this.#forgotten = new BoundedMap({ maxEntries: MAX_FORGOTTEN, ttlMs, clock: deps.clock });
  }

  /** Somebody is left out from now on, or everything about them is erased: what was read before is not said any more. */
  forget(person: UserId): void {
    this.#forgotten.set(person, this.#deps.clock.now());
    for (const source of this.#deps.sources) source.forget(person);
  }

  stateOf({ ref, version, readAt }: Kept<"record">): SourceState {
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
    // Nobody is asked about somebody who is left out, or for a key that is not configured any more.
    if (!source || this.#deps.isLeftOut(parsed.query.person)) return null;
    if (this.audienceOf(ref) === null) return null;
    return findVersion(await source.read(parsed.query), parsed.mark);
  }

  audienceOf(ref: string): AudienceRef | null {
    const parsed = parseProfileRef(ref);
    const keys = (parsed && this.#sourceOf(parsed)?.keys(parsed.query)) ?? [];
    return keys.find(({ key }) => toMark(key) === parsed?.mark)?.audience ?? null;
  }

  #sourceOf({ origin }: ProfileRef): ProfileSource | undefined {
    return this.#deps.sources.find((source) => source.origin === origin);
  }
}

interface ProfileRef {
  readonly origin: string;
  readonly query: ProfileQuery;
  /** Of the key. */
  readonly mark: string;
}

/** How labels and the audit name one key of somebody's profile; what Discord says depends on the server. */
export function toProfileRef({ origin }: ProfileSource, { person, guildId }: ProfileQuery, key: string): string {
  return `${origin}/${(origin === "discord" && guildId) || "-"}/${person}/${toMark(key)}`;
}

export function toProfileVersion(value: ProfileValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** The person whose profile it is; null for anything else. */
export function toProfileSubject(ref: string): UserId | null {
  return parseProfileRef(ref)?.query.person ?? null;
}

/** The server whose profile of the person it is, where Discord is its source; null for anything else. */
export function toProfileGuild(ref: string): GuildId | null {
  return parseProfileRef(ref)?.query.guildId ?? null;
}

function parseProfileRef(ref: string): ProfileRef | null {
  const [origin = "", guild, id, mark = ""] = ref.split("/");
  const person = toId<UserId>(id);
  return person && { origin, query: { person, guildId: toId<GuildId>(guild) }, mark };
}

const MARK_LENGTH = 12;

/** Keys are words, which refs do not hold. */
function toMark(key: string): string {
  return createHash("sha256").update(normaliseName(key)).digest("hex").slice(0, MARK_LENGTH);
}

function findVersion(values: ReadonlyMap<string, ProfileValue>, mark: string): string | null {
  for (const [key, value] of values) if (toMark(key) === mark) return toProfileVersion(value);
  return null;
}
