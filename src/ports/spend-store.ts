import type { UserId } from "../domain/ids.ts";
import type { SpentTokens } from "./operation-spending.ts";

/** Tokens used within a window of time that began with the first use. */
export interface SpendWindow {
  /** `member`: a person in one server. */
  readonly kind: "person" | "member" | "server" | "client";
  /** Id of the person or server, or name of the client; for a member `<server>/<person>`. */
  readonly id: string;
  readonly endsAt: number;
  /** Used or reserved. */
  readonly tokens: number;
}

/** Tokens used by everyone together on one day. */
export interface SpentDay extends SpentTokens {
  /** Start of the day. */
  readonly startedAt: number;
}

export interface SpendChanges {
  readonly windows: readonly SpendWindow[];
  /** Null if it did not change. */
  readonly day: SpentDay | null;
  readonly now: number;
}

/** Keeps used tokens, so that a restart frees no budget. Failures are `unavailable`. */
export interface SpendStore {
  /** Windows that have not ended, in any order, and the last saved day; null if there is none. */
  load(now: number): Promise<{ readonly windows: readonly SpendWindow[]; readonly day: SpentDay | null }>;
  /** Replaces these windows and the day, and removes all windows that have ended. Atomic. */
  save(changes: SpendChanges): Promise<void>;
  /** Removes a person's windows, also as a member; false if there were none. Safe to repeat. */
  erase(person: UserId): Promise<boolean>;
  /** Overwrites erased data on the disk. False if it has to be repeated. */
  scrub(): Promise<boolean>;
}
