import { hashToken } from "../../policy/authenticate.ts";
import type { Clock } from "../../ports/clock.ts";

const LINK_LIFETIME_MS = 5 * 60_000;
/** More than this are not open at the same time: the oldest is forgotten. */
const MAX_LINKS = 20;

/** Codes that open one session each. Only their hashes are held, and nowhere but in memory. */
export class OneTimeLinks {
  readonly #deps: { readonly clock: Clock; mintId(): string };
  /** By the hash of the code: when it expires. The oldest first. */
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

  /** True once for each code, while it has not expired. */
  redeem(code: string): boolean {
    const hash = hashToken(code);
    const expiry = this.#expiries.get(hash);
    this.#expiries.delete(hash);
    return expiry !== undefined && this.#deps.clock.now() < expiry;
  }
}
