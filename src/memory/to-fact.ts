import type { FactHome } from "../domain/audience-ref.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type { Fact, FactBasis } from "../domain/memory/fact.ts";
import type { FactRow, FactSourceRow, StoredFact } from "../ports/fact-store.ts";
import type { FactContent } from "./seal.ts";

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
export function toBasis({ source_type, source_ref, source_hash, is_own }: FactSourceRow): FactBasis {
  const type = source_type as FactBasis["type"];
  return { type, ref: source_ref, hash: source_hash, isOwn: is_own, authorMark: null };
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
