import { setImmediate as nextTurn } from "node:timers/promises";
import { AUDIT_KINDS } from "../ports/audit-columns.ts";
import type { AuditVerification } from "../ports/audit-reader.ts";
import {
  type AuditKind,
  type AuditSnapshot,
  type AuditStore,
  type ChainEnds,
  type ChainPoint,
  chainOf,
  type ThinnedInterval,
} from "../ports/audit-store.ts";
import { type AuditChain, createAuditChain, isSealed, OTHER_HEADS } from "./audit-chain.ts";

export interface VerifyOptions {
  readonly key: Uint8Array;
  /** A head noted earlier, which must still be in the chain. */
  readonly head?: string;
}

const UNKNOWN = "A row stands there that the chain does not know.";
const OUTSIDE = "What is said to be thinned stands outside the chain.";
/** Rows read before yielding to other work. */
const PORTION = 2_000;

/**
 * Walks every chain and compares it with its rows. Detects rows that were edited, dropped, added or moved; only rows thinned by Earshot
 * itself may be missing. An older copy of the file is detected only by a head noted since.
 */
export async function verifyAudit(
  store: Pick<AuditStore, "openSnapshot">,
  options: VerifyOptions,
): Promise<AuditVerification> {
  const snapshot = await store.openSnapshot();
  try {
    return await new Walk(snapshot, options).run();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, at: error.at, problem: error.message };
  } finally {
    await snapshot.close();
  }
}

type PlacedRow = { readonly [Name in "text" | "hash"]: string } & { readonly kind: AuditKind; readonly seq: number };

class Problem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Walk {
  readonly #snapshot: AuditSnapshot;
  readonly #chain: AuditChain;
  readonly #wanted: string | null;
  #hash = "";
  #isFound: boolean;
  /** Heads of other chains, as recorded in events. */
  readonly #noted: ChainPoint[] = [];

  constructor(snapshot: AuditSnapshot, { key, head }: VerifyOptions) {
    this.#snapshot = snapshot;
    this.#chain = createAuditChain(key);
    this.#wanted = head?.toLowerCase() ?? null;
    this.#isFound = this.#wanted === null;
  }

  async run(): Promise<AuditVerification> {
    const { allEnds } = this.#snapshot;
    const [first] = allEnds;
    if (!first) throw new Problem(0, "The ends of the chain are missing, or doubled.");
    for (const ends of allEnds)
      if (!isSealed(ends, this.#chain))
        throw new Problem(
          ends.head.seq,
          "The ends of the chain were altered, or the key is not the one it was made with.",
        );
    let [outside, rows, thinned] = [-Infinity, 0, 0];
    for (const { base, head } of allEnds) {
      await this.#expectNothing(outside, base.seq);
      outside = head.seq + 1;
    }
    await this.#expectNothing(outside, Infinity);
    const intervals = await this.#intervals();
    for (const { from } of intervals)
      if (!allEnds.some(({ base }) => chainOf(base.seq) === chainOf(from)))
        throw new Problem(Math.max(from, 0), OUTSIDE);
    for (const ends of allEnds) {
      const { base, head } = ends;
      this.#pass(base.hash);
      const missing = await this.#walkAll(
        ends,
        intervals.filter(({ from }) => chainOf(from) === chainOf(base.seq)),
      );
      if (this.#hash !== head.hash) throw new Problem(head.seq, "The chain does not lead to its end.");
      rows += head.seq - base.seq - missing;
      thinned += missing;
    }
    for (const point of this.#noted) await this.#requireNoted(point);
    if (!this.#isFound) {
      const causes = "the file was put back to an older or another one, or what stood there has been pruned or thinned";
      throw new Problem(first.head.seq, `The head that was noted is not in the chain: ${causes}.`);
    }
    return { ok: true, rows, thinned, head: first.head.hash };
  }

  /** Checks a head recorded by another chain: only later rows may follow it. */
  async #requireNoted({ seq, hash }: ChainPoint): Promise<void> {
    const ends = this.#snapshot.allEnds.find(({ base }) => chainOf(base.seq) === chainOf(seq));
    if (!ends) throw new Problem(seq, "A chain is missing that another one tells of.");
    const { base, head } = ends;
    if (head.seq < seq) throw new Problem(head.seq, "The chain ends before a row that another one tells of.");
    const found = seq === base.seq ? base.hash : (await this.#read(seq, seq))[0]?.hash;
    // A row that is not there was pruned or thinned.
    if (found !== undefined && found !== hash)
      throw new Problem(seq, "What stands there is not what another chain tells of.");
  }

  /** Walks from end to end, across thinned intervals; returns the number of thinned rows. */
  async #walkAll({ base, head }: ChainEnds, intervals: readonly ThinnedInterval[]): Promise<number> {
    let next = base.seq + 1;
    let thinned = 0;
    for (const interval of intervals) {
      const { from, to, hash } = interval;
      if (!(from >= next && to >= from && to <= head.seq)) throw new Problem(Math.max(from, 0), OUTSIDE);
      await this.#walkPortions(next, from - 1);
      await this.#expectNothing(from, to);
      const { seal } = this.#chain.sealInterval({ from, to, before: this.#hash, hash });
      if (seal !== interval.seal) throw new Problem(from, "What is missing there was not thinned by Earshot.");
      this.#pass(hash);
      thinned += to - from + 1;
      next = to + 1;
    }
    await this.#walkPortions(next, head.seq);
    return thinned;
  }

  async #walkPortions(first: number, last: number): Promise<void> {
    for (let from = first; from <= last; from += PORTION) {
      await this.#walk(from, Math.min(from + PORTION - 1, last));
      await nextTurn();
    }
  }

  async #intervals(): Promise<readonly ThinnedInterval[]> {
    try {
      return await this.#snapshot.thinned();
    } catch (cause) {
      const problem = new Problem(0, "What was thinned cannot be read.");
      problem.cause = cause;
      throw problem;
    }
  }

  #pass(hash: string): void {
    this.#hash = hash;
    if (hash === this.#wanted) this.#isFound = true;
  }

  async #walk(from: number, to: number): Promise<void> {
    const rows = await this.#read(from, to);
    for (let seq = from; seq <= to; seq += 1) {
      const row = rows[seq - from];
      if (row === undefined || row.seq > seq) throw new Problem(seq, "The row that belongs there is missing.");
      if (row.seq < seq) throw new Problem(row.seq, UNKNOWN);
      this.#pass(this.#chain.link(this.#hash, row.kind, row.text));
      if (this.#hash !== row.hash) throw new Problem(seq, "What stands there is not what was written.");
      if (row.kind === "event" && row.text.includes(OTHER_HEADS)) this.#noted.push(...headsIn(row.text));
    }
    const more = rows[to - from + 1];
    if (more) throw new Problem(more.seq, UNKNOWN);
  }

  async #expectNothing(from: number, to: number): Promise<void> {
    const [row] = await this.#read(from, to);
    if (row) throw new Problem(row.seq, UNKNOWN);
  }

  /** The rows of all kinds, in order. */
  async #read(from: number, to: number): Promise<readonly PlacedRow[]> {
    try {
      const all: PlacedRow[] = [];
      for (const kind of AUDIT_KINDS)
        for (const [seq, text, hash] of await this.#snapshot.rows(kind, from, to)) all.push({ kind, seq, text, hash });
      return all.sort((one, other) => one.seq - other.seq);
    } catch (cause) {
      const problem = new Problem(Math.max(from, 0), "What stands there or soon after cannot be read.");
      problem.cause = cause;
      throw problem;
    }
  }
}

/** The heads of other chains in an event; none for a different event that contains the word. */
function headsIn(text: string): readonly ChainPoint[] {
  const [, operation, name, detail] = JSON.parse(text) as [number, string, string, string];
  return operation === "" && name === OTHER_HEADS ? (JSON.parse(detail) as { heads: readonly ChainPoint[] }).heads : [];
}
