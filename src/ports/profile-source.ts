import type { AudienceRef } from "../domain/audience.ts";
import type { GuildId, UserId } from "../domain/ids.ts";

/** Keys of Discord's own data about a member; no other source gives them. */
export const DISCORD_PROFILE_KEYS = ["display name", "roles", "joined"] as const;

export type ProfileValue = string | number | boolean;

/** A person, and the server of the request; null outside of any. */
export interface ProfileQuery {
  readonly person: UserId;
  readonly guildId: GuildId | null;
}

/** A key for which a source may have a value, and its audience. */
export interface ProfileKey {
  readonly key: string;
  readonly audience: AudienceRef;
}

/** A source of authoritative data about people: its values take precedence over remembered facts. */
export interface ProfileSource {
  /** Discord itself, or a service of the operator's. */
  readonly origin: "discord" | "service";
  /**
   * The keys that `read` may return, found without a request: a caller who may know none of them must not cause one. Empty if the source
   * has none.
   */
  keys(query: ProfileQuery): readonly ProfileKey[];
  /**
   * Values by key, without missing, malformed and forbidden ones (secrets, payment data). Empty for a person without a profile. Safe to
   * repeat. Throws `unavailable` if the source cannot be read, always in the same words, and `cancelled` once the signal aborts.
   */
  read(query: ProfileQuery, signal?: AbortSignal): Promise<ReadonlyMap<string, ProfileValue>>;
  /** The result of `read`, if it is known without a request; otherwise null. */
  peek(query: ProfileQuery): ReadonlyMap<string, ProfileValue> | null;
  /** Drops the cached data about a person. Reads in progress fail with `unavailable`, and their results are not cached. Safe to repeat. */
  forget(person: UserId): void;
}

/** Requests to a service since the start. */
export interface ProfileStats {
  readonly requests: number;
  readonly failures: number;
  /** People whose profiles are in the cache. */
  readonly cached: number;
}
