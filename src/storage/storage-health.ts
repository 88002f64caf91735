import { EarshotError } from "../domain/errors.ts";
import type { AuditHealth } from "../policy/audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** A store that fails since a time in milliseconds, and why. */
export interface StoreFailure {
  readonly store: string;
  readonly since: number;
  readonly reason: string;
}

/** Stores that fail now, and the audit while it cannot be kept. */
export async function listFailures(storage: StorageHealth, audit: AuditHealth): Promise<readonly StoreFailure[]> {
  const unkept = await audit.failure();
  return [...(await storage.failures()), ...(unkept ? [{ store: "the audit", ...unkept }] : [])];
}

const PROBE_INTERVAL_MS = 60_000;

/** Which stores fail. Logs the beginning and the end of each outage once. */
export class StorageHealth {
  readonly #deps: { readonly clock: Clock; readonly log: Log };
  readonly #failures = new Map<string, StoreFailure>();
  /** By store: writes something, so that the end of an outage is noticed while nobody else writes. */
  readonly #retries = new Map<string, () => Promise<unknown>>();
  readonly #probes: (() => Promise<void>)[] = [];

  constructor(deps: { readonly clock: Clock; readonly log: Log }) {
    this.#deps = deps;
  }

  /** That a store failed; null: that it has written something. */
  note(store: string, error: unknown): void {
    const { clock, log } = this.#deps;
    if (error === null) {
      if (this.#failures.delete(store)) log.info({ store }, "a store works again");
      return;
    }
    if (!(error instanceof EarshotError) || error.code !== "unavailable") return;
    const { since = null } = this.#failures.get(store) ?? {};
    this.#failures.set(store, { store, since: since ?? clock.now(), reason: error.message });
    if (since === null) log.error({ store, error: error.message }, "a store fails");
  }

  /** Takes what comes of each use of a store. */
  noting(store: string): (error: unknown) => void {
    return (error) => this.note(store, error);
  }

  /** Tries to write whenever the failures are asked for and once a minute, also while nothing fails: a full disk is noticed while nobody writes. */
  probeWith(store: string, write: () => Promise<unknown>): () => Promise<void> {
    const probe = () =>
      write().then(
        () => this.note(store, null),
        (error: unknown) => this.note(store, error),
      );
    this.#probes.push(probe);
    const timer = setInterval(() => void probe(), PROBE_INTERVAL_MS);
    timer.unref();
    return async () => clearInterval(timer);
  }

  retryWith(store: string, write: () => Promise<unknown>): void {
    this.#retries.set(store, write);
  }

  /** Those that fail now: each is tried again. */
  async failures(): Promise<readonly StoreFailure[]> {
    for (const probe of this.#probes) await probe();
    for (const store of [...this.#failures.keys()])
      await this.#retries
        .get(store)?.()
        .catch(() => {});
    return [...this.#failures.values()];
  }
}
