import type { FactHome } from "../domain/audience.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type { Fact, FactBasis } from "../domain/memory/fact.ts";
import type { FactRow, FactSource, StoredFact } from "../ports/fact-store.ts";
import { hashSource } from "./key-ring.ts";
import { type FactContent, sealFact } from "./seal.ts";

export interface OpenedFact {
  readonly fact: StoredFact;
  readonly content: FactContent;
}

export function toFact({ fact: { row, sources }, content }: OpenedFact): Fact {
  return {
    id: row.id,
    version: row.version,
    scope: row.scope_type,
    scopeId: row.scope_id,
    subjectId: row.subject_id,
    guildId: row.guild_id,
    visibility: row.visibility,
    home: toHome(row),
    name: content.name,
    value: content.value,
    basis: sources.map((source, index) => ({ ...toBasis(source), authorMark: content.authorMarks[index] ?? null })),
    createdBy: row.created_by === "" ? null : row.created_by,
    verification: row.verification_status,
    confidence: row.confidence,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    supersededBy: row.superseded_by,
    sealed: row.value_json,
  };
}

/** Without its author, who is sealed. */
export function toBasis(source: FactSource): FactBasis {
  return { ...source, authorMark: null };
}

/** A private fact has no home but its owner. */
export function toHome({
  audience_ref,
  subject_id,
  scope_id,
}: Pick<FactRow, "audience_ref" | "subject_id" | "scope_id">): FactHome {
  const [kind, id] = audience_ref?.split(":") ?? [];
  if (kind === "guild") return { kind, id: id as GuildId };
  if (kind === "channel") return { kind, id: id as ChannelId };
  return { kind: "person", id: subject_id ?? (scope_id as UserId) };
}

export function toAudienceRef(home: FactHome): string | null {
  return home.kind === "person" ? null : `${home.kind}:${home.id}`;
}

/** A source with the words that were read: they are hashed, not kept. */
export interface SourceWithWords extends Omit<FactSource, "hash"> {
  readonly words: string;
}

export interface FactDraft {
  readonly row: Omit<FactRow, "value_json">;
  readonly sources: readonly FactSource[];
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

export function hashSources(key: Uint8Array, sources: readonly SourceWithWords[]): FactSource[] {
  return sources.map(({ words, ...source }) => ({ ...source, hash: hashSource(key, words) }));
}
