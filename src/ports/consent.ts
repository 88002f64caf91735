import type { UserId } from "../domain/ids.ts";

export interface ConsentChange {
  readonly userId: UserId;
  readonly isLeftOut: boolean;
}

/** Whose words may be used. The answer can change at any time, so it is asked for at every use and never kept. */
export interface Consent {
  /** Whether a person, a bot or a webhook is left out, because they want to be or because the operator says so: nothing they write is used. */
  isLeftOut(authorId: UserId): boolean;
  /** Calls the listener right after an answer has changed; returns the way to stop. */
  listen(listener: (change: ConsentChange) => void): () => void;
}
