import type { AudienceRef } from "../domain/audience.ts";
import type { GuildId, UserId } from "../domain/ids.ts";

/** What Discord itself says of a member; no other source gives these keys. */
export const DISCORD_PROFILE_KEYS = ["display name", "roles", "joined"] as const;

export type ProfileValue = string | number | boolean;

/** About whom something is asked, and in which server the request was made; null outside of any. */
export interface ProfileQuery {
  readonly person: UserId;
  readonly guildId: GuildId | null;
}

/** A key that a source may have a value of, and to whom that may be told. */
export interface ProfileKey {
  readonly key: string;
  readonly audience: AudienceRef;
}

/** Who says something about people with authority: what it says stands before what was remembered. */
export interface ProfileSource {
  /** Discord itself, or a service of the operator's. */
  readonly origin: "discord" | "service";
  /**
   * The keys that `read` may return, found without asking anybody: who may hear none of them must not cause a request. Empty where the source has
   * nothing to say.
   */
  keys(query: ProfileQuery): readonly ProfileKey[];
  /**
   * The values by key; those that are missing, malformed or must not be repeated (secrets, payment data) are absent. Empty for who has no profile. Safe to repeat.
   * Throws `unavailable` when the source cannot be read, always in the same words, and `cancelled` once the signal aborts.
   */
  read(query: ProfileQuery, signal?: AbortSignal): Promise<ReadonlyMap<string, ProfileValue>>;
  /** What `read` would return now, as far as that is known without asking anybody; null where it is not. */
  peek(query: ProfileQuery): ReadonlyMap<string, ProfileValue> | null;
  /** Drops what is cached about a person. Reads under way fail with `unavailable`, and nothing of them is cached. Safe to repeat. */
  forget(person: UserId): void;
}

/** What a service was asked since the start. */
export interface ProfileStats {
  readonly requests: number;
  readonly failures: number;
  /** People whose profiles are in the cache. */
  readonly cached: number;
}
