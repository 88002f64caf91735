import { createHmac } from "node:crypto";
import { EarshotError } from "../domain/errors.ts";
import { toStorable, toStorableJson } from "../domain/text/to-storable.ts";
import { COLUMNS } from "../ports/audit-columns.ts";
import type {
  AuditEntry,
  AuditKind,
  ChainEnds,
  ChainPoint,
  ThinCandidate,
  ThinnedInterval,
} from "../ports/audit-store.ts";

/** Name of the event that records the heads of the other chains. */
export const OTHER_HEADS = "other_chains";

/** The hashes of a chain. Both need the key. */
export interface AuditChain {
  /** The hash of a row, which covers all earlier rows. The text is the stored row in JSON, its position first. */
  link(previous: string, kind: AuditKind, text: string): string;
  /** Seals both ends together: neither can be moved, nor combined with another. */
  seal(base: ChainPoint, head: ChainPoint): ChainEnds;
  /** The record of a thinned interval. It fits no other position, because the seal covers the hash before it. */
  sealInterval(candidate: ThinCandidate): ThinnedInterval;
}

export function createAuditChain(key: Uint8Array): AuditChain {
  const hashLink = createKeyedHash(key, "audit chain");
  const hashEnds = createKeyedHash(key, "audit ends");
  const hashInterval = createKeyedHash(key, "audit thinned");
  return {
    link: (previous, kind, text) => hashLink(`${previous} ${kind} ${text}`),
    seal: (base, head) => ({
      base,
      head,
      seal: hashEnds(`${base.seq} ${base.hash} ${head.seq} ${head.hash}`),
    }),
    sealInterval: ({ from, to, before, hash }) => ({
      from,
      to,
      hash,
      seal: hashInterval(`${from} ${before} ${to} ${hash}`),
    }),
  };
}

export function isSealed(ends: ChainEnds, chain: AuditChain): boolean {
  return chain.seal(ends.base, ends.head).seal === ends.seal;
}

/** Returns the keyed hash of a text, in hexadecimal. */
export type KeyedHash = (text: string) => string;

/** HMAC-SHA256 with a separate key for each purpose, so that hashes of one purpose are useless for another. */
export function createKeyedHash(key: Uint8Array, purpose: string): KeyedHash {
  const own = createHmac("sha256", key).update(purpose).digest("hex");
  return (text) => createHmac("sha256", own).update(text).digest("hex");
}

type Value = string | number | null;

/** The values of a row, such that reading returns exactly what was written. Throws `internal` for a value of the wrong type. */
export function toValues({ kind, row }: AuditEntry): Value[] {
  const given = row as unknown as Readonly<Record<string, unknown>>;
  const values: Value[] = [];
  for (const [name, type] of COLUMNS[kind]) {
    const value = toValue(given[name], type);
    if (value === undefined)
      throw new EarshotError("internal", `The audit cannot keep what is given as ${name} of a row of kind ${kind}.`);
    values.push(value);
  }
  return values;
}

function toValue(value: unknown, type: string): Value | undefined {
  if (type === "flag") return typeof value === "boolean" ? Number(value) : undefined;
  if (type === "integer") return Number.isSafeInteger(value) ? (value as number) : undefined;
  if (typeof value === "string") return type === "json" ? toStorableJson(value) : toStorable(value);
  return value === null && type === "text or null" ? null : undefined;
}
