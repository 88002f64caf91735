import { createHash } from "node:crypto";
import type { AudienceRef } from "../../domain/audience.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Kept, SourceState } from "../../domain/source.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProfileSource, ProfileValue } from "../../ports/profile-source.ts";
import type { RecordStates } from "../../ports/record-states.ts";
import { parseProfileRef, toMark } from "../../sources/kinds/profile.ts";

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
    // Nobody is asked about somebody who is left out, or for a key that is not configured any more.
    if (!source || this.#deps.isLeftOut(parsed.query.person)) return null;
    if (this.#audienceOfKey(ref) === null) return null;
    return findVersion(await source.read(parsed.query), parsed.mark);
  }

  /** What Discord says of members is for the members; it says nothing of somebody who has left. */
  audienceOf(ref: string): AudienceRef | null {
    const guildId = parseProfileRef(ref)?.query.guildId;
    return this.#audienceOfKey(ref) ?? (guildId ? { kind: "guild", id: guildId } : null);
  }

  subjectOf(ref: string): UserId | null {
    return parseProfileRef(ref)?.query.person ?? null;
  }

  /** Profiles do not end while they are configured; whom they are about can be left out. */
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
