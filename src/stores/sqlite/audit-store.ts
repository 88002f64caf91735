import { EarshotError } from "../../domain/errors.ts";
import { AUDIT_KINDS, toEntry } from "../../ports/audit-columns.ts";
import type {
  AuditEntry,
  AuditStore,
  ChainChange,
  ChainEnds,
  ChainPoint,
  CutRequest,
  ErasedOperations,
  ErasedReads,
  EventRow,
  OperationFilter,
  OperationRow,
  OperationSummary,
  ReadUsage,
  SentMessage,
  ThinBatch,
  ThinRequest,
} from "../../ports/audit-store.ts";
import { type AuditQueries, compileAuditQueries, hasMoved, writeRows } from "./audit-queries.ts";
import { openAuditSnapshot, toEnds } from "./audit-snapshot.ts";
import { AuditThinning } from "./audit-thinning.ts";
import type { DurableDatabase, DurableTransaction } from "./durable-database.ts";
import { translateErrors } from "./translate-errors.ts";

/** @see AuditStore */
export function createAuditStore(database: DurableDatabase): AuditStore {
  return new SqliteAuditStore(database);
}

/** Rows that are read at once to find a place to cut. */
const CUT_PAGE_ROWS = 1_000;

class SqliteAuditStore implements AuditStore {
  readonly #database: DurableDatabase;
  readonly #queries: AuditQueries;
  readonly #thinning: AuditThinning;

  constructor(database: DurableDatabase) {
    this.#database = database;
    this.#thinning = new AuditThinning(database);
    this.#queries = compileAuditQueries(database.kysely);
  }

  async ends(): Promise<ChainEnds | null> {
    return orUnavailable(() => this.#ends());
  }

  async write(change: ChainChange): Promise<void> {
    await this.#database.transaction((transaction) => {
      this.#setEnds(transaction, change);
      writeRows(this.#queries, change, transaction);
    });
    if (hasMoved(change) || change.thinned?.length) await this.#scrub();
  }

  async size(): Promise<number> {
    return orUnavailable(() => this.#database.usedBytes());
  }

  async readUsage(request: { after: number; limit: number }): Promise<readonly ReadUsage[]> {
    return orUnavailable(() => this.#thinning.usage(request));
  }

  async findThinnable(request: ThinRequest): Promise<ThinBatch | null> {
    return orUnavailable(() => this.#thinning.find(request));
  }

  async housekeeping(limit: number): Promise<readonly EventRow[]> {
    return orUnavailable(() => {
      const rows = this.#database.execute(this.#queries.housekeeping({ limit }));
      return rows.map((row) => toEntry("event", { ...row }).row as EventRow);
    });
  }

  async eventsNamed(name: string): Promise<readonly EventRow[]> {
    return orUnavailable(() => {
      const rows = this.#database.execute(this.#queries.named({ name }));
      return rows.map((row) => toEntry("event", { ...row }).row as EventRow);
    });
  }

  async findCut({ before, last, most }: CutRequest): Promise<ChainPoint | null> {
    return orUnavailable(() => {
      const lasts = new Map<string, number>();
      const base = this.#ends()?.base.seq ?? 0;
      let reach = 0;
      let cut = 0;
      for (const { seq, operation, time } of this.#rowsUpTo(last)) {
        if (time >= before || (cut > 0 && seq - base > most)) break;
        reach = Math.max(reach, seq, this.#lastOf(operation, lasts));
        if (reach === seq) cut = seq;
      }
      if (cut === 0) return null;
      const [link] = this.#database.execute(this.#queries.hashAt({ seq: cut }));
      return { seq: cut, hash: String(link?.hash) };
    });
  }

  async operation(id: string): Promise<readonly AuditEntry[]> {
    return orUnavailable(() => {
      const found: { seq: number; entry: AuditEntry }[] = [];
      for (const kind of AUDIT_KINDS)
        for (const row of this.#database.execute(this.#queries.ofOperation[kind]({ id })))
          found.push({ seq: Number(row["seq"]), entry: toEntry(kind, row) });
      return found.sort((a, b) => a.seq - b.seq).map(({ entry }) => entry);
    });
  }

  async erasedReads(operationId: string): Promise<ErasedReads | null> {
    return orUnavailable(() => this.#thinning.erasedReads(operationId));
  }

  async erasedOperations(): Promise<ErasedOperations> {
    return orUnavailable(() => this.#thinning.erasedOperations());
  }

  async latest(limit: number, filter: OperationFilter = {}): Promise<readonly OperationSummary[]> {
    const { actorId = null, tool = null, since = null, isRefused = false } = filter;
    const request = { limit, actorId, tool, since, isRefused: isRefused ? 1 : null };
    return orUnavailable(() => {
      const rows = this.#database.execute(this.#queries.latest(request));
      return rows.map(({ seq: _, sources, refusals, thinnings, ...operation }) => ({
        operation,
        sources: sources ?? 0,
        refusals: refusals ?? 0,
        isThinned: (thinnings ?? 0) > 0,
      }));
    });
  }

  async operationsSince({
    since,
    clients,
  }: {
    since: number;
    clients: readonly string[];
  }): Promise<readonly OperationRow[]> {
    if (clients.length === 0) return [];
    return orUnavailable(async () => {
      const rows = await this.#database.kysely
        .selectFrom("operations")
        .selectAll()
        .where("client", "in", clients)
        .where("expires_at", ">", since)
        .orderBy("seq")
        .execute();
      return rows.map(({ seq: _, ...operation }) => operation);
    });
  }

  async sent(messageId: string): Promise<readonly SentMessage[]> {
    return orUnavailable(() =>
      this.#database.execute(this.#queries.sent({ messageId })).map(({ client, actor_id, detail_json }) => {
        const { channel_id, answer } = JSON.parse(detail_json) as Readonly<Record<string, unknown>>;
        return { client, actorId: actor_id, channelId: String(channel_id), isAnswer: answer === true };
      }),
    );
  }

  async openSnapshot() {
    return orUnavailable(async () => openAuditSnapshot(await this.#database.openSnapshot()));
  }

  #ends(): ChainEnds | null {
    return toEnds(this.#database.execute(this.#queries.ends({})));
  }

  /** Throws `misconfigured` where they are not those that are expected. */
  #setEnds(
    transaction: DurableTransaction,
    { after, ends: { base, head, seal } }: Pick<ChainChange, "after" | "ends">,
  ): void {
    const row = { base_seq: base.seq, base_hash: base.hash, head_seq: head.seq, head_hash: head.hash, seal };
    if (after) {
      const { numAffectedRows } = transaction.execute(this.#queries.moveEnds({ ...row, after: after.seal }));
      if (numAffectedRows !== 1n) throw writtenByAnother();
      return;
    }
    if (toEnds(transaction.execute(this.#queries.ends({})).rows)) throw writtenByAnother();
    const { rows } = transaction.execute(this.#queries.anyRow({}));
    if (rows.length > 0)
      throw new EarshotError(
        "misconfigured",
        "The audit has rows, but the ends of its chain are missing; restore earshot.db from a backup.",
      );
    transaction.execute(this.#queries.beginEnds(row));
  }

  /** In order, a page at a time. */
  *#rowsUpTo(last: number) {
    for (let after = Number.NEGATIVE_INFINITY; ; ) {
      const page = this.#database.execute(this.#queries.inOrder({ after, last, limit: CUT_PAGE_ROWS }));
      yield* page;
      const end = page.at(-1);
      if (!end || page.length < CUT_PAGE_ROWS) return;
      after = end.seq;
    }
  }

  /** The last place of anything about an operation. What belongs to none stands alone. */
  #lastOf(operation: string, known: Map<string, number>): number {
    if (operation === "") return 0;
    const cached = known.get(operation);
    if (cached !== undefined) return cached;
    const [row] = this.#database.execute(this.#queries.lastOf({ operation }));
    known.set(operation, Number(row?.last));
    return Number(row?.last);
  }

  async #scrub(): Promise<void> {
    try {
      await this.#database.scrub();
    } catch {
      // The rows are gone, which is what the chain says; their bytes go with the next time.
    }
  }
}

function writtenByAnother(): EarshotError {
  const hint = "Is another Earshot running on the same data folder? Stop one of them and restart the other.";
  return new EarshotError("misconfigured", `Another program has written to the audit. ${hint}`);
}

async function orUnavailable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  return translateErrors("The audit cannot be read", work);
}
