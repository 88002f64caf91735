import type { CitedBy, StoredSource } from "../ports/stored-source.ts";
import type { Transaction, Values } from "./database.ts";

/** The sources of facts and answers, with the id of the fact or answer that rests on each. */
const TABLE = "stored_sources";

/** Existing rows stay unchanged. */
export async function addSources(
  change: Transaction,
  owners: readonly { readonly id: string; readonly sources: readonly StoredSource[] }[],
): Promise<void> {
  const rows = owners.flatMap(({ id, sources }) =>
    sources.map(({ type, ref, personId }) => ({ owner_id: id, type, ref, person_id: personId })),
  );
  await change.insert(TABLE, rows, "DO NOTHING");
}

/** `which`: a condition on ids, or a query for them. */
export function removeSources(change: Transaction, which: string, values: Values): Promise<void> {
  return change.run(`DELETE FROM ${TABLE} WHERE owner_id ${which}`, values);
}

/** The query for the ids of all that rests on something, and its values. */
export function toOwners(cited: CitedBy): readonly [query: string, values: Values] {
  const [which, values] = toCondition(cited);
  return [`SELECT owner_id FROM ${TABLE} WHERE ${which}`, values];
}

function toCondition(cited: CitedBy): readonly [which: string, values: Values] {
  if ("personId" in cited) return ["person_id = :citedPerson", { citedPerson: cited.personId }];
  if ("refs" in cited)
    return ["type = :citedType AND ref = ANY(:citedRefs)", { citedType: cited.type, citedRefs: cited.refs }];
  // All references with the channel's id and a slash as the prefix; "0" is the character after the slash.
  const values = { firstRef: `${cited.channelId}/`, endRef: `${cited.channelId}0` };
  return ["type = 'discord_message' AND ref > :firstRef AND ref < :endRef", values];
}
