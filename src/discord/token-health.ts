import { EarshotError } from "../domain/errors.ts";
import type { Log } from "../ports/log.ts";
import type { Delay } from "./delay.ts";

interface TokenHealthDeps {
  readonly log: Log;
  readonly delay: Delay;
  /** One request that needs the token. Throws if it is refused again, or gets no response. */
  probe(): Promise<void>;
  /** Called when the token is refused, and when it is accepted again. */
  onChange(isRefused: boolean): void;
  /** Called at every refusal. */
  onRefusal(): void;
}

/** Requests with a refused token count towards a ban of the address, so they are rare. */
const PROBE_INTERVAL_MS = 600_000;

/** Whether Discord accepts the bot token. After one refusal nothing is sent except a probe every ten minutes, until the token is
 * accepted again. */
export class TokenHealth {
  readonly #deps: TokenHealthDeps;
  readonly #closing = new AbortController();
  #isRefused = false;
  #wasAccepted = false;

  constructor(deps: TokenHealthDeps) {
    this.#deps = deps;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Throws `misconfigured` while the token is refused. */
  mustBeAccepted(): void {
    if (this.#isRefused) throw tokenRefused(this.#wasAccepted);
  }

  accept(): void {
    this.#wasAccepted = true;
  }

  /** Returns the error for the caller. */
  refuse(): EarshotError {
    this.#deps.onRefusal();
    // A token that was never accepted ends the start, so there is nothing to wait for.
    if (this.#wasAccepted && !this.#isRefused) this.#begin();
    return tokenRefused(this.#wasAccepted);
  }

  close(): void {
    this.#closing.abort();
  }

  #begin(): void {
    this.#isRefused = true;
    this.#deps.log.error(
      {},
      "Discord refuses the bot token (401); asking again every ten minutes until it is accepted",
    );
    this.#deps.onChange(true);
    void this.#probe();
  }

  async #probe(): Promise<void> {
    const { delay, probe, log, onChange } = this.#deps;
    const { signal } = this.#closing;
    for (;;) {
      await delay(PROBE_INTERVAL_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      const isAccepted = await probe().then(
        () => true,
        () => false,
      );
      if (isAccepted) break;
    }
    this.#isRefused = false;
    log.info({}, "Discord accepts the bot token again");
    onChange(false);
  }
}

/** `wasAccepted`: it was valid before, in this process. */
export function tokenRefused(wasAccepted: boolean, cause?: unknown): EarshotError {
  const problem =
    `Discord ${wasAccepted ? "no longer accepts" : "does not accept"} the bot token; reset it in the developer portal ` +
    "(your application → Bot → Reset Token), set the new one and start Earshot again.";
  return new EarshotError("misconfigured", problem, { cause, obstacle: "token_refused" });
}
