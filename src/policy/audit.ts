import { setImmediate as nextTurn } from "node:timers/promises";
import { EarshotError } from "../domain/errors.ts";
import { Serial } from "../domain/serial.ts";
import {
  type AuditEntry,
  type AuditKind,
  type AuditStore,
  CHAIN_PLACES,
  type ChainEnds,
  type ChainPoint,
  type ChainRow,
  chainOf,
  type SentMessage,
  type ThinBatch,
  type ThinnedInterval,
  type ThinRequest,
} from "../ports/audit-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import {
  type AuditChain,
  createAuditChain,
  createKeyedHash,
  isSealed,
  type KeyedHash,
  OTHER_HEADS,
  toValues,
} from "./audit-chain.ts";
import { type SizeBound, type Thinned, thinAudit } from "./thin-audit.ts";

/** Records requests, decisions, reads and effects, such that changes and omissions are detected. */
export interface Audit {
  /**
   * Adds a row, in the order of the calls. Cheap; it is written soon after. Throws `internal` for a row that cannot be stored. `isAhead`:
   * the caller awaits `settled` before anything depends on the row, which is written together with the next rows, or within five seconds.
   * While writes fail, throws `unavailable` for a new operation once the remaining queue is needed for operations in progress.
   */
  note(entry: AuditEntry, options?: { readonly isAhead?: boolean | undefined }): void;
  /** Resolves once everything noted so far is stored. Throws `unavailable` if it cannot be stored: then nothing may be done or
   * disclosed. */
  settled(): Promise<void>;
  /** A keyed hash: equal for equal texts on this installation only, and reveals nothing about the text. */
  hash(text: string): string;
  /** The operations, among the stored ones, in which the bot sent a message. Throws `unavailable`. */
  sent(messageId: string): Promise<readonly SentMessage[]>;
  /** Erases whole operations that ended before this time, and records that. Resolves to the number of rows erased. Throws `unavailable`. */
  prune(before: number): Promise<number>;
  /**
   * If the audit is larger than this, erases rows of allowed reads, first those of the client with most rows, and records that. Sends,
   * confirmations and refusals stay. Throws `unavailable`.
   */
  thin(bound: SizeBound): Promise<Thinned>;
  /** Notes the heads of all other chains if they have changed, so that removing or cutting one is detected. Throws `unavailable`. */
  noteOthers(): Promise<void>;
  /** Writes what can still be written. No notes may follow. Safe to repeat. */
  close(): Promise<void>;
}

export interface AuditHealth {
  /** The reason why notes cannot be stored, retried now, and since when; null if all are stored. */
  failure(): Promise<{ readonly since: number; readonly reason: string } | null>;
}

export interface AuditDeps {
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes this chain different from every other one with the same key. */
  mintId(): string;
  /** The number of the chain that this process writes; 0 if absent. */
  readonly chainNumber?: number;
  /** Maximum entries in the queue while writes fail. */
  readonly mostWaiting?: number;
}

const MAX_WAITING = 20_000;
const MAX_ROWS_PER_TRANSACTION = 1_000;
const MAX_AHEAD_MS = 5_000;
const MAX_UNSURE = 1_000;
const MAX_ERASED_AT_ONCE = 5_000;

/** Throws `misconfigured` if the key does not match the existing chain, or its ends were altered. A new chain begins with the heads of
 * all others. */
export async function openAudit(store: AuditStore, deps: AuditDeps): Promise<Audit & AuditHealth> {
  const chain = createAuditChain(deps.key);
  const kept = await store.ends(deps.chainNumber ?? 0);
  const ends = kept ?? (await beginChain(store, chain, deps));
  if (!isSealed(ends, chain)) {
    const hint = "Put back the key that belongs to it, or see what earshot audit verify says.";
    throw new EarshotError("misconfigured", `The audit was made with another key, or its ends were altered. ${hint}`);
  }
  const audit = new ChainAudit(store, { ...deps, chain, hash: createKeyedHash(deps.key, "text") }, ends);
  if (!kept) await audit.noteOthers();
  return audit;
}

async function beginChain(store: AuditStore, chain: AuditChain, deps: AuditDeps): Promise<ChainEnds> {
  const { key, mintId, chainNumber = 0 } = deps;
  const origin = { seq: chainNumber * CHAIN_PLACES, hash: createKeyedHash(key, "audit origin")(mintId()) };
  const ends = chain.seal(origin, origin);
  await store.write({ after: null, rows: [], ends });
  return ends;
}

interface Waiting {
  readonly kind: AuditKind;
  readonly values: readonly (string | number | null)[];
}

type Deps = AuditDeps & { readonly chain: AuditChain; readonly hash: KeyedHash };

class ChainAudit implements Audit, AuditHealth {
  readonly #store: AuditStore;
  readonly #deps: Deps;
  #ends: ChainEnds;
  /** The queue of entries that are not stored, the oldest first. */
  readonly #waiting: Waiting[] = [];
  #noted = 0;
  #kept = 0;
  /** Stores everything noted before it starts. Null if none is scheduled. */
  #nextFlush: Promise<void> | null = null;
  /** Flushes entries noted with `isAhead`. Null if none is scheduled. */
  #timer: NodeJS.Timeout | null = null;
  readonly #writes = new Serial();
  /** Set once an entry is lost: the audit has a gap then, and stays unhealthy until the program restarts. */
  #loss: EarshotError | null = null;
  #lostAt = 0;
  #failure: { readonly since: number; readonly reason: string } | null = null;
  /** Failed writes that may have been stored all the same, with the number of queued entries, by seal. */
  readonly #unsure = new Map<string, { readonly ends: ChainEnds; readonly count: number }>();
  #isClosed = false;
  /** The heads of other chains in the last note. */
  #notedOthers = "";

  constructor(store: AuditStore, deps: Deps, ends: ChainEnds) {
    this.#store = store;
    this.#deps = deps;
    this.#ends = ends;
  }

  note(entry: AuditEntry, { isAhead = false }: { isAhead?: boolean | undefined } = {}): void {
    if (this.#isClosed) throw new EarshotError("unavailable", "The audit is closed; nothing can be noted any more.");
    const values = toValues(entry);
    const room = (this.#deps.mostWaiting ?? MAX_WAITING) - this.#waiting.length;
    if (this.#failure && entry.kind === "operation" && room <= this.#waiting.length)
      throw cannotBeKept(this.#failure.reason);
    this.#noted += 1;
    if (this.#failure && room <= 0) {
      if (!this.#loss) this.#lostAt = this.#deps.clock.now();
      this.#loss ??= new EarshotError(
        "unavailable",
        "So much could not be kept in the audit that some of it is lost. Restart Earshot when the disk is well again.",
      );
    } else this.#waiting.push({ kind: entry.kind, values });
    if (isAhead) this.#timer ??= setTimeout(() => void this.#flush(), MAX_AHEAD_MS).unref();
    else void this.#flush();
  }

  async settled(): Promise<void> {
    const wanted = this.#noted;
    while (this.#kept < wanted || this.#loss) {
      if (this.#loss) throw this.#loss;
      await this.#flush();
    }
  }

  async failure() {
    if (this.#failure) await this.settled().catch(() => {});
    if (this.#loss) return { since: this.#lostAt, reason: this.#loss.message };
    return this.#waiting.length > 0 ? this.#failure : null;
  }

  hash(text: string): string {
    return this.#deps.hash(text);
  }

  async sent(messageId: string): Promise<readonly SentMessage[]> {
    return this.#store.sent(messageId);
  }

  async prune(before: number): Promise<number> {
    const last = this.#ends.head.seq;
    let erased = 0;
    while (!this.#isClosed) {
      const count = await this.#writes.run(() => this.#eraseSome(before, last));
      if (count === 0) break;
      erased += count;
      await nextTurn();
    }
    return erased;
  }

  async thin(bound: SizeBound): Promise<Thinned> {
    return thinAudit(bound, {
      store: this.#store,
      clock: this.#deps.clock,
      base: this.#ends.base.seq,
      isClosed: () => this.#isClosed,
      thinSome: (request) => this.#writes.run(() => this.#thinSome(request)),
    });
  }

  async noteOthers(): Promise<void> {
    await this.#writes.run(async () => {
      await this.#settleUnsure();
      const all = await this.#orFail(() => this.#store.allEnds());
      const heads = all.flatMap(({ head }) => (chainOf(head.seq) === chainOf(this.#ends.head.seq) ? [] : [head]));
      const detail = { heads };
      if (heads.length === 0 || JSON.stringify(detail) === this.#notedOthers) return;
      await this.#append([this.#toOwnEvent(OTHER_HEADS, detail)], { base: this.#ends.base });
      this.#notedOthers = JSON.stringify(detail);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#waiting.length > 0) await this.#flush().catch(() => {});
    await this.#writes.settled();
    const lost = this.#noted - this.#kept;
    if (lost > 0) this.#deps.log.error({ lost }, "the audit was closed with entries that could not be kept");
  }

  /** Shared by all notes in the same turn of the event loop. */
  #flush(): Promise<void> {
    if (this.#nextFlush) return this.#nextFlush;
    this.#nextFlush = nextTurn().then(() =>
      this.#writes.run(async () => {
        this.#nextFlush = null;
        if (this.#timer) clearTimeout(this.#timer);
        this.#timer = null;
        await this.#settleUnsure();
        for (let left = this.#waiting.length; left > 0; left -= MAX_ROWS_PER_TRANSACTION) {
          const some = this.#waiting.slice(0, Math.min(left, MAX_ROWS_PER_TRANSACTION));
          await this.#append(some, { base: this.#ends.base, count: some.length });
          if (left > MAX_ROWS_PER_TRANSACTION) await nextTurn();
        }
      }),
    );
    // Callers learn about a failure from `settled`.
    this.#nextFlush.catch(() => {});
    return this.#nextFlush;
  }

  async #eraseSome(before: number, last: number): Promise<number> {
    await this.#settleUnsure();
    const { base } = this.#ends;
    const cut = await this.#orFail(() => this.#store.findCut({ before, last, most: MAX_ERASED_AT_ONCE }));
    if (cut === null) return 0;
    const pruned = this.#toOwnEvent("pruned", { before, from: base.seq + 1, to: cut.seq, hash: cut.hash });
    await this.#append([pruned], { base: cut });
    return cut.seq - base.seq;
  }

  async #thinSome(request: ThinRequest): Promise<ThinBatch | null> {
    await this.#settleUnsure();
    const batch = await this.#orFail(() => this.#store.findThinnable(request));
    if (batch === null || batch.intervals.length === 0) return batch;
    const { operations, rows, erased } = batch;
    const { target, client } = request;
    const intervals = batch.intervals.map((interval) => this.#deps.chain.sealInterval(interval));
    const thinned = this.#toOwnEvent("thinned", { client, target, rows, ...operations, erased });
    await this.#append([thinned], { base: this.#ends.base, thinned: intervals });
    return batch;
  }

  /** An event row about the audit itself. */
  #toOwnEvent(name: string, detail: object): Waiting {
    const happened_at = this.#deps.clock.now();
    const row = { operation_id: "", name, detail_json: JSON.stringify(detail), happened_at };
    return { kind: "event", values: toValues({ kind: "event", row }) };
  }

  /** `count`: the number of waiting entries that are written. */
  async #append(
    some: readonly Waiting[],
    {
      base,
      thinned = [],
      count = 0,
    }: { readonly base: ChainPoint; readonly thinned?: readonly ThinnedInterval[]; readonly count?: number },
  ): Promise<void> {
    const { chain } = this.#deps;
    let { seq, hash } = this.#ends.head;
    const rows: ChainRow[] = [];
    for (const { kind, values } of some) {
      seq += 1;
      const row = [seq, ...values] as const;
      hash = chain.link(hash, kind, JSON.stringify(row));
      rows.push({ kind, row, hash });
    }
    const ends = chain.seal(base, { seq, hash });
    if (this.#unsure.size < MAX_UNSURE) this.#unsure.set(ends.seal, { ends, count });
    await this.#orFail(() => this.#store.write({ after: this.#ends, rows, ends, thinned }));
    this.#noteKept(ends, count);
  }

  #noteKept(ends: ChainEnds, count: number): void {
    this.#ends = ends;
    this.#waiting.splice(0, count);
    this.#kept += count;
    this.#unsure.clear();
  }

  /** If the connection was lost during a write, the ends of the chain tell whether it was stored. */
  async #settleUnsure(): Promise<void> {
    if (this.#unsure.size === 0) return;
    // If they cannot be read, nothing can be written either.
    const kept = await this.#store.ends(chainOf(this.#ends.head.seq)).catch(() => null);
    const found = kept && this.#unsure.get(kept.seal);
    if (found) this.#noteKept(found.ends, found.count);
  }

  /** Turns any failure into `unavailable` for the callers. */
  async #orFail<Result>(work: () => Promise<Result>): Promise<Result> {
    const { log } = this.#deps;
    try {
      const result = await work();
      if (this.#failure) log.info({}, "the audit can be kept again");
      this.#failure = null;
      return result;
    } catch (cause) {
      const words = cause instanceof EarshotError ? cause.message : "It cannot be written.";
      const error = cannotBeKept(words, cause);
      if (!this.#failure) log.error({ waiting: this.#waiting.length, error: words }, "the audit cannot be kept");
      this.#failure = { since: this.#failure?.since ?? this.#deps.clock.now(), reason: words };
      throw error;
    }
  }
}

function cannotBeKept(reason: string, cause?: unknown): EarshotError {
  return new EarshotError("unavailable", `Nothing can be done that the audit does not keep. ${reason}`, { cause });
}
