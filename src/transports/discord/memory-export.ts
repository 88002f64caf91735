import type { UserId } from "../../domain/ids.ts";
import type { OwnFact } from "../../gate/own-facts.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Note } from "../../ports/discord.ts";
import { toMessageLink } from "./memory-text.ts";

interface ExportRequest {
  readonly person: UserId;
  readonly at: number;
  readonly directory: Pick<Directory, "channel">;
}

/** Everything that is remembered about a person, as a file. What it rests on is named by link or id, never by its words. */
export function toExport(facts: readonly OwnFact[], { person, at, directory }: ExportRequest): Note {
  const rows = facts.map(({ fact, dormant, isReadable }) => ({
    id: fact.id,
    key: fact.name,
    readable: isReadable,
    value: isReadable ? fact.value : null,
    visibility: fact.visibility,
    audience: fact.home,
    server_id: fact.guildId,
    verification: fact.verification,
    confidence: fact.confidence,
    created_at: toIso(fact.createdAt),
    expires_at: fact.expiresAt === null ? null : toIso(fact.expiresAt),
    superseded_by: fact.supersededBy,
    dormant,
    rests_on: fact.basis.map((one) => ({
      type: one.type,
      ref: toMessageLink(one, directory) ?? one.ref,
      own_words: one.isOwn,
    })),
  }));
  const text = JSON.stringify({ person_id: person, exported_at: toIso(at), facts: rows }, null, 2);
  const count = facts.length === 1 ? "1 fact" : `${facts.length.toLocaleString("en")} facts`;
  return {
    text: `Everything that is remembered about you, with its history: ${count}. The file's link opens for everybody who has it: download it, and do not pass the link on.`,
    file: { name: "earshot-memory.json", contentType: "application/json", text },
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
