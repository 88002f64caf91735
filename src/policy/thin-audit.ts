import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditStore, ThinBatch, ThinRequest, ThinTarget } from "../ports/audit-store.ts";
import type { Clock } from "../ports/clock.ts";

export interface SizeBound {
  readonly maxBytes: number;
  /** Clients whose reads within this time are restored from the audit after a restart, so these rows stay. */
  readonly confined: { readonly clients: readonly string[]; readonly keptMs: number };
}

export interface Thinned {
  /** Rows erased. */
  readonly rows: number;
  /** The clients whose rows were erased. */
  readonly clients: readonly string[];
  /** The size after thinning. */
  readonly bytes: number;
}

export interface ThinDeps {
  readonly store: Pick<AuditStore, "size" | "readUsage">;
  readonly clock: Clock;
  /** The position before the first row of the chain to thin. */
  readonly base: number;
  isClosed(): boolean;
  /** Erases one batch and records that; null if no row of the client is left to examine. */
  thinSome(request: ThinRequest): Promise<ThinBatch | null>;
}

/** The share of the maximum size after thinning, so that the next thinning is not due at once. */
const TARGET_SHARE = 0.9;
const MAX_ROWS_AT_ONCE = 2_000;
const USAGE_PAGE = 500;

/** First the rows of reads, then operations without any other rows; each time of the client that has most of them. */
export async function thinAudit(bound: SizeBound, deps: ThinDeps): Promise<Thinned> {
  const thinning = new Thinning(bound, deps);
  if ((await deps.store.size()) > bound.maxBytes) {
    await thinning.run("reads");
    await thinning.run("operations");
  }
  return { rows: thinning.rows, clients: [...thinning.clients], bytes: await deps.store.size() };
}

class Thinning {
  readonly #bound: SizeBound;
  readonly #deps: ThinDeps;
  readonly #now: number;
  readonly clients = new Set<string>();
  rows = 0;

  constructor(bound: SizeBound, deps: ThinDeps) {
    this.#bound = bound;
    this.#deps = deps;
    this.#now = deps.clock.now();
  }

  async run(target: ThinTarget): Promise<void> {
    const usage = await this.#usage(target);
    const cursors = new Map<string, number>();
    while (usage.size > 0 && !(await this.#isDone())) {
      const [client, rows] = [...usage].reduce((most, each) => (each[1] > most[1] ? each : most));
      const after = cursors.get(client) ?? this.#deps.base;
      const request = { target, client, endedBy: this.#endedBy(client), after, maxRows: MAX_ROWS_AT_ONCE };
      const batch = await this.#deps.thinSome(request);
      if (batch === null) usage.delete(client);
      else {
        cursors.set(client, batch.operations.last);
        usage.set(client, rows - batch.rows);
        this.rows += batch.rows;
        if (batch.rows > 0) this.clients.add(client);
      }
      await nextTurn();
    }
  }

  /** Number of rows that can be thinned, by client. */
  async #usage(target: ThinTarget): Promise<Map<string, number>> {
    const usage = new Map<string, number>();
    let after = this.#deps.base;
    for (;;) {
      const page = await this.#deps.store.readUsage({ after, limit: USAGE_PAGE });
      for (const { seq, client, endedAt, rows } of page) {
        after = seq;
        const count = target === "operations" ? 1 : rows;
        if (count > 0 && endedAt <= this.#endedBy(client)) usage.set(client, (usage.get(client) ?? 0) + count);
      }
      if (page.length < USAGE_PAGE || this.#deps.isClosed()) return usage;
      await nextTurn();
    }
  }

  #endedBy(client: string): number {
    const { clients, keptMs } = this.#bound.confined;
    return clients.includes(client) ? this.#now - keptMs : this.#now;
  }

  async #isDone(): Promise<boolean> {
    return this.#deps.isClosed() || (await this.#deps.store.size()) <= this.#bound.maxBytes * TARGET_SHARE;
  }
}
