import { EarshotError } from "../domain/errors.ts";
import type { FactRow, FactSourceRow, StoredFact } from "../ports/fact-store.ts";
import { hashSource } from "./keyed-hashes.ts";
import { type FactContent, sealFact } from "./seal.ts";

/** A source with the words that were read: they are hashed, not kept. */
export interface SourceWithWords extends Omit<FactSourceRow, "source_hash"> {
  readonly words: string;
}

export interface FactDraft {
  readonly row: Omit<FactRow, "value_json">;
  readonly sources: readonly FactSourceRow[];
  readonly content: FactContent;
}

export function toStoredFact(
  { row, sources, content }: FactDraft,
  secrets: { readonly key: Uint8Array; readonly storeId: string; readonly nonce: Uint8Array },
): StoredFact {
  if (sources.length === 0 || content.authorMarks.length !== sources.length)
    throw new EarshotError("internal", "A fact needs at least one source, and one author mark for each of them.");
  return { row: { ...row, value_json: sealFact(content, { row, sources }, secrets) }, sources };
}

export function hashSources(key: Uint8Array, sources: readonly SourceWithWords[]): FactSourceRow[] {
  return sources.map(({ words, ...source }) => ({ ...source, source_hash: hashSource(key, words) }));
}
