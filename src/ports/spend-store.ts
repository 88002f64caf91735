import type { UserId } from "../domain/ids.ts";
import type { SpentTokens } from "./operation-spending.ts";

/** How many tokens of a model somebody has used within an interval of time that began with the first use. */
export interface SpendWindow {
  /** `member`: a person in one server. */
  readonly kind: "person" | "member" | "server" | "client";
  /** Of the person or server, or the name of the client; of a member `<server>/<person>`. */
  readonly id: string;
  readonly endsAt: number;
  /** Used or reserved. */
  readonly tokens: number;
}

/** What everybody together has used on one day. */
export interface SpentDay extends SpentTokens {
  /** When the day began. */
  readonly startedAt: number;
}

export interface SpendChanges {
  readonly windows: readonly SpendWindow[];
  /** Null where it did not change. */
  readonly day: SpentDay | null;
  readonly now: number;
}

/** Keeps what calls of a model have used, so that a restart frees no budget. Failures are `unavailable`. */
export interface SpendStore {
  /** Windows that have not ended, in any order, and the last day that was saved; null when there is none. */
  load(now: number): Promise<{ readonly windows: readonly SpendWindow[]; readonly day: SpentDay | null }>;
  /** Replaces these windows, and the day that was saved before. Removes all windows that have ended. All of it or nothing. */
  save(changes: SpendChanges): Promise<void>;
  /** Removes what a person has used, also as a member; whether there was anything. Safe to repeat. */
  erase(person: UserId): Promise<boolean>;
  /** Sees to it that nothing which was erased is left on the disk. False where that has to be repeated. */
  scrub(): Promise<boolean>;
}
