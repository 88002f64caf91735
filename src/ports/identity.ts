import type { UserId } from "../domain/ids.ts";

/** Proves through Discord who a person is. */
export interface IdentityProvider {
  /** The address for the person's browser, and the attempt, which must be kept (sealed in a cookie or a row) until the browser returns. */
  begin(callback: URL): Promise<{ readonly address: URL; readonly attempt: IdentityAttempt }>;
  /**
   * Reads the returned address. The token of Discord is used once, revoked and dropped. An attempt can be finished once.
   * Throws `forbidden` (refused, forged or expired), `unavailable` (Discord away, slow, HTML), `misconfigured` (Discord refuses the client secret or the
   * redirect), and `conflict` where another sign-in of the same person ended this one's token: begin again, once.
   */
  finish(returned: URL, attempt: IdentityAttempt): Promise<{ readonly id: UserId; readonly name: string }>;
}

export interface IdentityAttempt {
  readonly state: string;
  readonly verifier: string;
  readonly callback: string;
}
