import type { UserId } from "../../src/domain/ids.ts";
import type { NewFact } from "../../src/memory/fact-vault.ts";

/** A fact of a person, who typed it. */
export function toNewFact(value: unknown, { user = "11", name = "Favourite colour", ...more } = {}): NewFact {
  return {
    row: {
      ...{ scope_type: "user", scope_id: user, subject_id: user as UserId, guild_id: null, audience_ref: null },
      ...{ visibility: "private", created_by: user as UserId, verification_status: "user_confirmed" },
      ...{ confidence: 1, expires_at: null },
    },
    content: { name, value, authorMarks: [null] },
    sources: [{ type: "typed", ref: "", isOwn: true, words: `${name}: ${value}` }],
    ...more,
  };
}
