import { hashToken } from "../../policy/authenticate.ts";
import type { Clock } from "../../ports/clock.ts";

const LINK_LIFETIME_MS = 5 * 60_000;
/** Maximum open links; beyond it, the oldest is dropped. */
const MAX_LINKS = 20;

/** Codes that open one session each. Only their hashes are kept, in memory. */
export class OneTimeLinks {
  readonly #deps: { readonly clock: Clock; mintId(): string };
  /** Expiry time by the hash of the code, the oldest first. */
  readonly #expiries = new Map<string, number>();

  constructor(deps: { readonly clock: Clock; mintId(): string }) {
    this.#deps = deps;
  }

  mint(): string {
    const code = this.#deps.mintId();
    this.#expiries.set(hashToken(code), this.#deps.clock.now() + LINK_LIFETIME_MS);
    const [oldest] = this.#expiries.keys();
    if (this.#expiries.size > MAX_LINKS && oldest !== undefined) this.#expiries.delete(oldest);
    return code;
  }

  /** True once per code, until it expires. */
  redeem(code: string): boolean {
    const hash = hashToken(code);
    const expiry = this.#expiries.get(hash);
    this.#expiries.delete(hash);
    return expiry !== undefined && this.#deps.clock.now() < expiry;
  }
}
