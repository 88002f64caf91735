import type { AuditKind, ChainEnds, ChainPoint, ThinCandidate, ThinnedInterval } from "../ports/audit-store.ts";
import { createKeyedHash } from "./keyed-hash.ts";

/** The two hashes a chain is made with. Without the key neither can be made. */
export interface AuditChain {
  /** The hash of a row, which covers everything before it. The text is the stored row in JSON, its place first. */
  link(previous: string, kind: AuditKind, text: string): string;
  /** Both ends in one seal: neither can be moved, nor put together with another's. */
  seal(base: ChainPoint, head: ChainPoint): ChainEnds;
  /** The record of a thinned interval. It fits no other place: the hash before it is under the seal too. */
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
