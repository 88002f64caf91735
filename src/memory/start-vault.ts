import { EarshotError } from "../domain/errors.ts";
import type { FactStore } from "../ports/fact-store.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { Log } from "../ports/log.ts";
import type { OptOutStore } from "../ports/opt-out-store.ts";
import { isSubjectInUse } from "./end-facts.ts";
import { CONSENT, FACT_PREFIX, SUBJECT_PREFIX, toFactKeyName } from "./key-names.ts";

export interface VaultStores {
  readonly facts: FactStore;
  readonly keys: KeyStore;
  /** Opt-outs cannot be recognised without the key that they were hashed with. */
  readonly optOuts: Pick<OptOutStore, "load">;
}

const PAGE = 1_000;

/** Throws `misconfigured` when these are not the keys of these facts and opt-outs. */
export async function checkStores({ facts, keys, optOuts }: VaultStores): Promise<void> {
  const storeId = await facts.storeId();
  const hasFacts = (await facts.ids({ limit: 1 })).length > 0;
  const hasOptOuts = (await optOuts.load()).length > 0;
  const isOther = storeId !== keys.storeId;
  if (isOther && (hasFacts || hasOptOuts)) throw await toMismatch(keys);
  if (hasOptOuts && !(await keys.find([CONSENT])).has(CONSENT))
    throw new EarshotError(
      "misconfigured",
      "The file keys.db is older than the opt-outs in earshot.db, so nobody's opt-out could be recognised. Put the newest keys.db back.",
    );
  if (isOther) await facts.setStoreId(keys.storeId);
}

/** A keys.db without any key was just made, because there was none. */
async function toMismatch(keys: KeyStore): Promise<EarshotError> {
  const isNew = (await keys.names("", { limit: 1 })).length === 0;
  const what = isNew
    ? "The file keys.db is missing beside the facts and opt-outs in earshot.db, which cannot be read without it."
    : "The file keys.db belongs to another data folder than earshot.db.";
  return new EarshotError(
    "misconfigured",
    `${what} Put back the keys.db that was saved from this data folder, then start again.`,
  );
}

/**
 * Brings both stores to one state after the program ended at any moment: endings are finished, and rows without a key and keys without a row
 * are deleted. A fact whose key is absent was erased.
 */
export async function tidyStores({ facts, keys }: VaultStores, log: Log): Promise<void> {
  const ending = await facts.ending();
  await keys.delete(ending.map(toFactKeyName));
  if (ending.length > 0) await facts.change({ delete: ending });

  const erased = { rows: 0, keys: 0 };
  const rows = (after?: string) => facts.ids(toPage(after));
  const factKeys = async (after?: string) =>
    (await keys.names(FACT_PREFIX, toPage(after && toFactKeyName(after)))).map((name) =>
      name.slice(FACT_PREFIX.length),
    );
  for await (const { left, right } of differences(rows, factKeys)) {
    if (left.length > 0) await facts.change({ delete: left });
    if (right.length > 0) await keys.delete(right.map(toFactKeyName));
    erased.rows += left.length;
    erased.keys += right.length;
  }

  for (let page = await keys.names(SUBJECT_PREFIX, toPage()); page.length > 0; ) {
    const unused: string[] = [];
    for (const name of page) if (!(await isSubjectInUse(facts, name))) unused.push(name);
    await keys.delete(unused);
    page = await keys.names(SUBJECT_PREFIX, toPage(page.at(-1)));
  }
  if (erased.rows + erased.keys > 0) log.warn(erased, "Erased facts whose key is gone, and keys whose fact is gone.");
  // Deleted bytes may still be in the logs of a program that was killed.
  await Promise.all([keys.scrub(), facts.scrub()]);
}

function toPage(after?: string): { after?: string; limit: number } {
  return { limit: PAGE, ...(after !== undefined && { after }) };
}

type ReadPage = (after?: string) => Promise<readonly string[]>;

/** What is only in one of two ordered lists, a page at a time. What has been given out may be deleted meanwhile. */
async function* differences(
  readLeft: ReadPage,
  readRight: ReadPage,
): AsyncGenerator<{ left: readonly string[]; right: readonly string[] }> {
  for (let after: string | undefined; ; ) {
    const [left, right] = [await readLeft(after), await readRight(after)];
    // Beyond the end of a full page nothing is known yet.
    const ends = [left, right].filter(({ length }) => length === PAGE).map((page) => page.at(-1) ?? "");
    const end = ends.length > 0 ? ends.reduce((a, b) => (a < b ? a : b)) : null;
    const [leftSet, rightSet] = [new Set(left), new Set(right)];
    const isWithin = (id: string) => end === null || id <= end;
    yield {
      left: left.filter((id) => isWithin(id) && !rightSet.has(id)),
      right: right.filter((id) => isWithin(id) && !leftSet.has(id)),
    };
    if (end === null) return;
    after = end;
  }
}
