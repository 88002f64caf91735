import { EarshotError } from "../domain/errors.ts";
import type { FactStore } from "../ports/fact-store.ts";
import type { KeyInventory, KeyStore } from "../ports/key-store.ts";
import type { Log } from "../ports/log.ts";
import type { OptOutStore } from "../ports/opt-out-store.ts";
import { planEnds } from "./fact-history.ts";
import { CONSENT, FACT_PREFIX, SUBJECT_PREFIX, toFactKeyName, toSubject, toSubjectKeyName } from "./key-ring.ts";

export interface VaultStores {
  readonly facts: FactStore;
  readonly keys: KeyStore;
  /** Opt-outs cannot be recognised without the key that hashed them. */
  readonly optOuts: Pick<OptOutStore, "load">;
}

const PAGE = 10_000;

/** Throws `misconfigured` unless these keys belong to these facts and opt-outs. */
export async function checkStores(stores: VaultStores): Promise<void> {
  if (await isOtherStore(stores)) await stores.facts.setStoreId(stores.keys.storeId);
}

/** Performs the checks of a start, without changes. */
export async function inspectStores(stores: VaultStores): Promise<void> {
  await isOtherStore(stores);
  const lost = await findLost(stores.facts, await stores.keys.openInventory());
  if (lost.ids.length > 0) throw toLostKeys(stores.keys, lost);
}

/** Call before creating a keys.db. Throws `misconfigured` if facts or opt-outs exist, because their keys.db is missing. */
export async function requireNothingSealed({ facts, optOuts }: Omit<VaultStores, "keys">): Promise<void> {
  if ((await facts.ids({ limit: 1 })).length + (await optOuts.load()).length > 0)
    throw toMismatch("The file keys.db", true);
}

async function isOtherStore({ facts, keys, optOuts }: VaultStores): Promise<boolean> {
  const storeId = await facts.storeId();
  const hasFacts = (await facts.ids({ limit: 1 })).length > 0;
  const hasOptOuts = (await optOuts.load()).length > 0;
  const isOther = storeId !== keys.storeId;
  if (isOther && (hasFacts || hasOptOuts))
    throw toMismatch(keys.name, (await keys.names("", { limit: 1 })).length === 0);
  if (hasOptOuts && !(await keys.find([CONSENT])).has(CONSENT))
    throw new EarshotError(
      "misconfigured",
      `${keys.name} is older than the opt-outs, so nobody's opt-out could be recognised. Put its newest copy back.`,
    );
  return isOther;
}

/** A store without any key is new: its predecessor is missing. */
function toMismatch(name: string, isNew: boolean): EarshotError {
  const what = isNew
    ? "is missing beside the facts and opt-outs, which cannot be read without it."
    : "belongs to another data folder or database than the facts and opt-outs.";
  const hint = "Put back the one that was saved together with them, then start again.";
  return new EarshotError("misconfigured", `${name} ${what} ${hint}`);
}

/**
 * Makes both stores consistent after a crash: finishes endings, and deletes keys without a row. Facts without a key that have not begun to
 * end have lost it: throws `misconfigured` and changes nothing, unless the operator gives such facts up, or all were added after a given
 * time.
 */
export async function tidyStores(
  { facts, keys }: VaultStores,
  {
    log,
    erasesLostFacts = false,
    erasesLostSince = Number.POSITIVE_INFINITY,
  }: { readonly log: Log; readonly erasesLostFacts?: boolean; readonly erasesLostSince?: number },
): Promise<void> {
  const inventory = await keys.openInventory();
  const lost = await findLost(facts, inventory);
  if (lost.ids.length > 0 && !erasesLostFacts && lost.since < erasesLostSince) throw toLostKeys(keys, lost);

  const erased = { rows: lost.ids.length, keys: 0 };
  for (let start = 0; start < lost.ids.length; start += PAGE) {
    const keyless = lost.ids.slice(start, start + PAGE);
    // An older value comes back only for people who could not know them.
    const { ended, traces } = planEnds(await facts.recordsOf(keyless), { lost: new Set(keyless) });
    await facts.change({ add: traces, beginToEnd: { ids: ended.map(({ row }) => row.id), at: lost.since } });
  }
  const ending = await facts.ending();
  await keys.delete(ending.map(toFactKeyName));
  if (ending.length > 0) await facts.change({ delete: ending });

  for await (const names of inventory.others()) {
    const factless = names.filter((name) => name.startsWith(FACT_PREFIX));
    const subjects = names.filter((name) => name.startsWith(SUBJECT_PREFIX)).map(toSubject);
    // Rows that had begun to end are gone by now, so every row is a fact.
    const unused = (await facts.withoutFacts(subjects)).map(toSubjectKeyName);
    if (factless.length + unused.length > 0) await keys.delete([...factless, ...unused]);
    erased.keys += factless.length;
  }
  if (erased.rows + erased.keys > 0) log.warn(erased, "Erased facts whose key is gone, and keys whose fact is gone.");
  // Deleted bytes may still be in the database logs of a killed program.
  await Promise.all([keys.scrub(), facts.scrub()]);
}

interface LostFacts {
  readonly ids: readonly string[];
  /** Time of the oldest one. */
  readonly since: number;
}

async function findLost(facts: FactStore, inventory: KeyInventory): Promise<LostFacts> {
  const ids: string[] = [];
  let since = Number.POSITIVE_INFINITY;
  for (let after: string | undefined; ; ) {
    const page = await facts.ids({ limit: PAGE, ...(after !== undefined && { after }) });
    const keyless = await inventory.findMissing(FACT_PREFIX, page);
    // `findByIds` leaves out facts that have begun to end.
    for (const { row } of keyless.length > 0 ? await facts.findByIds(keyless) : []) {
      ids.push(row.id);
      since = Math.min(since, row.created_at);
    }
    after = page.at(-1);
    if (page.length < PAGE) return { ids, since };
  }
}

function toLostKeys({ name }: KeyStore, { ids, since }: LostFacts): EarshotError {
  const what = ids.length === 1 ? "the key of 1 fact" : `the keys of ${ids.length} facts, the oldest`;
  const hint = "Put back its newest copy together with that log, then start again.";
  const giveUp = "To erase these facts for good instead, start once with `earshot start --erase-lost-facts`.";
  return new EarshotError(
    "misconfigured",
    `${name} lacks ${what} from ${toTime(since)}: it is older than they are, or the log beside it was lost. ${hint} ${giveUp}`,
  );
}

/** A row changed by hand may have any time. */
function toTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "an unknown time" : `${date.toISOString().slice(0, 16)}Z`;
}
