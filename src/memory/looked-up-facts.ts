import { setImmediate } from "node:timers/promises";
import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { Clock } from "../ports/clock.ts";
import {
  type FactPosition,
  type FactQuery,
  type FactRow,
  type FactStore,
  isTrace,
  type StoredFact,
} from "../ports/fact-store.ts";
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
  readonly added?: readonly StoredFact[];
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
  apply({ added = [], ended = [] }: FactChanges): void {
    this.#changes += 1;
    for (const id of ended) this.#opened.delete(id);
    const gone = new Set(ended);
    // Only the store knows whether a fact rests on the queried source.
    this.#found.deleteWhere(({ query }) => query.citing !== undefined);
    for (const found of this.#found.values()) {
      // Most changes only add a fact, and lists can be long.
      const left = gone.size === 0 ? found.facts : found.facts.filter(({ row }) => !gone.has(row.id));
      // A trace may be at any place; anything else is the newest.
      const isKnown = (one: StoredFact) =>
        (isTrace(one) ? left : left.slice(0, 1)).some(({ row }) => row.id === one.row.id);
      const more = added.filter((one) => matches(found.query, one.row) && !isKnown(one));
      if (more.length > 0 || left.length < found.facts.length) found.facts = [...more, ...left];
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
    const createdBy = row.created_by === "" ? null : row.created_by;
    if (known.createdBy === createdBy) return known;
    const fact = { ...known, createdBy };
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

function matches(query: FactQuery, row: FactRow): boolean {
  const { scopeType, scopeId, subjectId, guildId, key, createdBy } = query;
  const pairs = [
    [scopeType, row.scope_type],
    [scopeId, row.scope_id],
    [subjectId, row.subject_id],
    [guildId, row.guild_id],
    [key, row.key],
    [createdBy, row.created_by],
  ];
  return pairs.every(([wanted, there]) => wanted === undefined || wanted === there);
}
