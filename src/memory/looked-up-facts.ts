import { setImmediate } from "node:timers/promises";
import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactPosition, FactQuery, FactRow, FactStore, StoredFact } from "../ports/fact-store.ts";
import type { FactVault } from "./fact-vault.ts";
import { type OpenedFact, toFact } from "./seal.ts";

interface LookUpDeps {
  readonly vault: Pick<FactVault, "open">;
  readonly facts: Pick<FactStore, "find">;
  readonly clock: Clock;
}

interface Found {
  readonly query: FactQuery;
  facts: readonly StoredFact[];
}

/** Changes to stored facts. */
export interface FactChanges {
  readonly added?: StoredFact;
  /** By id: the fact that supersedes it now; null for none. */
  readonly superseded?: ReadonlyMap<string, string | null>;
  readonly ended?: readonly string[];
}

/** A person may have this many facts, and as many again in their history. */
const PAGE = 1_000;
/** Facts opened before yielding to other work: some milliseconds. */
const PIECE = 250;
const MAX_FOUND = 64;
/** About 50 MB. */
const MAX_OPENED = 50_000;

/** Finds and opens facts, and caches both if that pays. Ended facts are never cached: `apply` is called before a fact ends. */
export class LookedUpFacts {
  readonly #deps: LookUpDeps;
  readonly #found = new BoundedMap<string, Found>({ maxEntries: MAX_FOUND });
  readonly #opened = new BoundedMap<string, Fact>({ maxEntries: MAX_OPENED });
  #changes = 0;

  constructor(deps: LookUpDeps) {
    this.#deps = deps;
  }

  /** All matching facts, sealed. The newest first. */
  async find(query: FactQuery): Promise<readonly StoredFact[]> {
    const changes = this.#changes;
    const name = JSON.stringify(query);
    const known = this.#found.use(name);
    if (known) return known.facts;
    const facts = await this.readAll(query);
    // A result requested before a change may predate it. Queries about one person are not cached: they return few facts, and would evict
    // those for shared ones.
    if (changes === this.#changes && query.subjectId === undefined) this.#found.set(name, { query, facts });
    return facts;
  }

  /** Bypasses the cache. */
  async readAll(query: FactQuery): Promise<readonly StoredFact[]> {
    const found: StoredFact[] = [];
    for (let after: FactPosition | undefined; ; ) {
      const page = await this.#deps.facts.find(query, { limit: PAGE, ...(after && { after }) });
      found.push(...page);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return found;
      await setImmediate();
      after = { created_at: last.row.created_at, id: last.row.id };
    }
  }

  /** The facts that can still be opened, in the order given. */
  async open(stored: readonly StoredFact[]): Promise<readonly Fact[]> {
    const now = this.#deps.clock.now();
    const current = stored.filter(({ row }) => row.expires_at === null || row.expires_at > now);
    const known = current.map((one) => this.#findOpened(one));
    const sealed = current.filter((_, index) => !known[index]);
    if (sealed.length === 0) return known.filter((fact) => fact !== null);
    const changes = this.#changes;
    const opened: OpenedFact[] = [];
    for (let start = 0; start < sealed.length; start += PIECE) {
      if (start > 0) await setImmediate();
      opened.push(...(await this.#deps.vault.open(sealed.slice(start, start + PIECE))));
    }
    // Some may have ended meanwhile: the keys decide then.
    if (changes !== this.#changes) return (await this.#deps.vault.open(current)).map(toFact);
    const facts: Fact[] = [];
    // In the order given, without ended ones.
    let next = 0;
    for (const [index, one] of current.entries()) {
      let fact = known[index] ?? null;
      const found = opened[next];
      if (!fact && found?.fact === one) {
        fact = toFact(found);
        if (isKept(one.row)) this.#opened.set(fact.id, fact);
        next += 1;
      }
      if (fact) facts.push(fact);
    }
    return facts;
  }

  /** Call before facts end, and after other changes were stored. Look-ups in progress are not cached. */
  apply({ added, superseded = new Map(), ended = [] }: FactChanges): void {
    this.#changes += 1;
    for (const id of ended) this.#opened.delete(id);
    const gone = new Set(ended);
    // Most changes only add a fact, and lists can be long.
    const isPlain = gone.size + superseded.size === 0;
    const isTouched = ({ facts }: Found) =>
      !isPlain && facts.some(({ row }) => gone.has(row.id) || superseded.has(row.id));
    // Only the store knows whether a fact rests on the queried source.
    this.#found.deleteWhere(({ query }) => query.citing !== undefined);
    const isBack = superseded.values().some((by) => by === null);
    this.#found.deleteWhere((found) => !found.query.withSuperseded && (isBack || isTouched(found)));
    for (const found of this.#found.values()) {
      const { query, facts } = found;
      const isNew = added && matches(query, added.row) && facts[0]?.row.id !== added.row.id;
      if (!isNew && !isTouched(found)) continue;
      const left = facts.filter(({ row }) => !gone.has(row.id)).map((one) => follow(one, superseded));
      found.facts = isNew ? [added, ...left] : left;
    }
  }

  /** For all other changes, and for unknown ones. */
  clear(): void {
    this.#changes += 1;
    this.#found.clear();
    this.#opened.clear();
  }

  #findOpened({ row }: StoredFact): Fact | null {
    const known = isKept(row) ? this.#opened.use(row.id) : null;
    if (!known || !isSameRow(known, row)) return null;
    const { superseded_by: supersededBy } = row;
    const createdBy = row.created_by === "" ? null : row.created_by;
    if (known.supersededBy === supersededBy && known.createdBy === createdBy) return known;
    const fact = { ...known, supersededBy, createdBy };
    this.#opened.set(row.id, fact);
    return fact;
  }
}

/** Private facts are requested by one person, and few at a time. */
function isKept({ guild_id }: FactRow): boolean {
  return guild_id !== null;
}

/** After an edit of earshot.db by hand the seal decides again: a fact moved to another person is not found with them. */
function isSameRow(fact: Fact, row: FactRow): boolean {
  const isSameSubject =
    fact.subjectId === row.subject_id && fact.scope === row.scope_type && fact.scopeId === row.scope_id;
  const { guild_id, expires_at, value_json } = row;
  return isSameSubject && fact.guildId === guild_id && fact.expiresAt === expires_at && fact.sealed === value_json;
}

/** Applies new `superseded_by` values. */
export function follow(fact: StoredFact, superseded: ReadonlyMap<string, string | null>): StoredFact {
  const by = superseded.get(fact.row.id);
  return by === undefined ? fact : { ...fact, row: { ...fact.row, superseded_by: by } };
}

function matches(query: FactQuery, row: FactRow): boolean {
  const { scopeType, scopeId, otherThanScopeId, subjectId, guildId, audienceRef, key, createdBy } = query;
  if (otherThanScopeId === row.scope_id) return false;
  const pairs = [
    [scopeType, row.scope_type],
    [scopeId, row.scope_id],
    [subjectId, row.subject_id],
    [guildId, row.guild_id],
    [audienceRef, row.audience_ref],
    [key, row.key],
    [createdBy, row.created_by],
  ];
  return pairs.every(([wanted, there]) => wanted === undefined || wanted === there);
}
