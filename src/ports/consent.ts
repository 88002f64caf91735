import type { UserId } from "../domain/ids.ts";

export interface ConsentChange {
  readonly userId: UserId;
  readonly isLeftOut: boolean;
}

/** How somebody comes to be left out, or not. */
export type ConsentState = "included" | "left_out" | "left_out_by_operator";

/** Whose words may be used. The answer can change at any time, so it is asked for at every use and never kept. */
export interface Consent {
  /** Whether a person, a bot or a webhook is left out, because they want to be or because the operator says so: nothing they write is used. */
  isLeftOut(authorId: UserId): boolean;
  /** Calls the listener right after an answer has changed; returns the way to stop. */
  listen(listener: (change: ConsentChange) => void): () => void;
}

/** For the one person concerned: nobody decides for another. */
export interface OwnConsent extends Consent {
  stateOf(userId: UserId): ConsentState;
  /** From now on nothing of theirs is used, in any server. Throws `unavailable` if that could not be stored; it holds until the next start all the same. */
  leaveOut(userId: UserId): Promise<void>;
  /** Takes that back. Throws `rate_limited` if they did so shortly before, and `unavailable` if nothing was changed. */
  include(userId: UserId): Promise<void>;
}
