import type { UserId } from "../domain/ids.ts";
import { audiencesOf, byStrength, type Fact, toAudienceSource } from "../domain/memory/fact.ts";
import { type FactStore, isTrace, type StoredFact } from "../ports/fact-store.ts";
import { toBasis, toHome } from "./seal.ts";

/** Maximum earlier values per record and audience. Counted by audience, so that values hidden from a reader cannot displace those the
 * reader may know. */
const MAX_HISTORY = 20;

/** The parts of a fact that decide its audience. */
export type LimitedFact = Pick<Fact, "subjectId" | "guildId" | "home" | "basis">;

type Limited = Parameters<typeof audiencesOf>[0];

const limited = new WeakMap<StoredFact, LimitedFact>();

/** The parts that decide a fact's audience, without opening it. Cached. */
export function toLimited(stored: StoredFact): LimitedFact {
  const before = limited.get(stored);
  if (before) return before;
  const { row, sources } = stored;
  const made = { subjectId: row.subject_id, guildId: row.guild_id, home: toHome(row), basis: sources.map(toBasis) };
  limited.set(stored, made);
  return made;
}

/** Only people in all of these may know the fact. */
export function limitsOf(fact: Limited): ReadonlySet<string> {
  return new Set(audiencesOf(fact).map(({ kind, id }) => `${kind}:${id}`));
}

/** The versions of each record, the strongest first. Nearly all names have one version, so homes are compared only for the others. */
export function toRecords(stored: readonly StoredFact[]): readonly (readonly StoredFact[])[] {
  const strength = ({ row: { verification_status: verification, version } }: StoredFact) => ({ verification, version });
  return [...Map.groupBy(stored, ({ row }) => row.key).values()].flatMap((named) =>
    named.length === 1
      ? [named]
      : [...Map.groupBy(named, ({ row }) => row.audience_ref).values()].map((record) =>
          record.sort((one, other) => byStrength(strength(one), strength(other))),
        ),
  );
}

/** The strongest version of each record, unless it has ended. The newest first. */
export function strongestOf(stored: readonly StoredFact[]): readonly StoredFact[] {
  const strongest = toRecords(stored).map(([first]) => first as StoredFact);
  return strongest.filter((one) => !isTrace(one)).sort((one, other) => other.row.created_at - one.row.created_at);
}

/** Adds all that these replaced, of all versions of their records: an old value must not come back. */
export function withReplaced(ids: readonly string[], stored: readonly StoredFact[]): ReadonlySet<string> {
  const all = new Set(ids);
  for (const record of toRecords(stored)) {
    const at = record.findIndex(({ row }) => ids.includes(row.id));
    for (const { row } of at === -1 ? [] : record.slice(at)) all.add(row.id);
  }
  return all;
}

/**
 * Adds the stronger versions by which this person confirmed the same value again: for them, forgetting one forgets both. `by` is null for
 * anyone else, who may not know of them.
 */
export async function withConfirmedAgain(
  chosen: readonly Fact[],
  by: UserId | null,
  facts: Pick<FactStore, "recordsOf">,
  open: (stored: readonly StoredFact[]) => Promise<readonly Fact[]>,
): Promise<readonly string[]> {
  const ids = chosen.map(({ id }) => id);
  for (const { id, value } of by === null ? [] : chosen)
    for (const record of toRecords(await facts.recordsOf([id])))
      for (let at = record.findIndex(({ row }) => row.id === id) - 1; record[at]?.row.created_by === by; at -= 1) {
        const [again] = await open(record.slice(at, at + 1));
        if (!again || JSON.stringify(again.value) !== JSON.stringify(value)) break;
        ids.push(again.id);
      }
  return ids;
}

/** Whether everyone who may know `one` may know the later value. A private fact's later value is known only to the person who saved it. */
function isForAll(later: Limited, one: Limited): boolean {
  return one.home.kind === "person" || limitsOf(later).isSubsetOf(limitsOf(one));
}

/** Earlier values beyond the maximum. Expects the strongest first. */
export function findTooOld(replaced: readonly StoredFact[]): readonly StoredFact[] {
  const byAudience = Map.groupBy(replaced, (one) => [...limitsOf(toLimited(one))].sort().join(" "));
  return [...byAudience.values()].flatMap((facts) => facts.slice(MAX_HISTORY));
}

/** Versions that end, and the traces that take their places in the same step. */
export interface Ends {
  readonly ended: readonly StoredFact[];
  readonly traces: readonly StoredFact[];
}

/** Ids of versions by the reason for which they end. */
interface Ending {
  /** They leave nothing. */
  readonly gone?: ReadonlySet<string>;
  /** They leave traces, and take along versions that no reader could know any more. */
  readonly lapsing?: ReadonlySet<string>;
  /** They have lost their keys: they leave traces, and take nothing along, because that was not the wish of any person. */
  readonly lost?: ReadonlySet<string>;
}

/**
 * The versions that end, of all versions of some records. A trace keeps people who could know the version from getting an older value back.
 * Traces that hide nothing end, too.
 */
export function planEnds(
  stored: readonly StoredFact[],
  { gone = new Set(), lapsing = new Set(), lost = new Set() }: Ending,
): Ends {
  const [ended, traces]: [StoredFact[], StoredFact[]] = [[], []];
  const isTraced = lapsing.union(lost).difference(gone);
  for (const record of toRecords(stored)) {
    const isEnding = record.map((one, at) => {
      const takes = (stronger: StoredFact) =>
        lapsing.has(stronger.row.id) && isForAll(toLimited(stronger), toLimited(one));
      return gone.has(one.row.id) || isTraced.has(one.row.id) || record.slice(0, at).some(takes);
    });
    const lowest = record.findLastIndex((one, at) => !isTrace(one) && !isEnding[at]);
    for (const [at, one] of record.entries()) {
      if (isEnding[at] || (isTrace(one) && at > lowest)) ended.push(one);
      if (isTraced.has(one.row.id) && at < lowest) traces.push(toTrace(one));
    }
  }
  return { ended, traces };
}

/** The number of a version that ends, and its audiences. */
function toTrace(one: StoredFact): StoredFact {
  const emptied = { value_json: "", created_by: "", expires_at: null } as const;
  const [, ...limits] = audiencesOf(toLimited(one));
  const sources = limits.map((limit) => ({ ...toAudienceSource(limit), hash: "" }));
  return { row: { ...one.row, ...emptied, id: `${one.row.id}.ended` }, sources };
}
