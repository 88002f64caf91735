import type { UserId } from "../domain/ids.ts";

export interface ConsentChange {
  readonly userId: UserId;
  readonly isLeftOut: boolean;
}

export type ConsentState = "included" | "left_out" | "left_out_by_operator";

/** Decides whose messages may be used. The answer can change at any time, so ask at every use and never keep it. */
export interface Consent {
  /** True if a person, bot or webhook opted out or was left out by the operator: nothing they write is used. */
  isLeftOut(authorId: UserId): boolean;
  /** Calls the listener right after an answer has changed; returns the function that stops it. */
  listen(listener: (change: ConsentChange) => void): () => void;
}

/** Only for the person concerned: people cannot decide for others. */
export interface OwnConsent extends Consent {
  stateOf(userId: UserId): ConsentState;
  /** From now on nothing of theirs is used, in any server. Throws `unavailable` if that could not be stored; it still holds until the
   * next start. */
  leaveOut(userId: UserId): Promise<void>;
  /** Reverses `leaveOut`. Throws `rate_limited` if they did so shortly before, and `unavailable` if nothing was changed. */
  include(userId: UserId): Promise<void>;
}
