import type { CitedBy, StoredSource } from "../ports/stored-source.ts";
import type { Transaction, Values } from "./database.ts";

/** What facts and answers rest on, by which they are found; who rests on it is named by its id. */
const TABLE = "stored_sources";

/** What is there already stays as it is. */
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
  // All that begin with the channel's id and a slash; "0" comes right after that.
  const values = { firstRef: `${cited.channelId}/`, endRef: `${cited.channelId}0` };
  return ["type = 'discord_message' AND ref > :firstRef AND ref < :endRef", values];
}
