import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactPosition, FactQuery, FactStore, StoredFact } from "../ports/fact-store.ts";
import type { FactVault } from "./fact-vault.ts";
import { toFact } from "./to-fact.ts";

interface LookUpDeps {
  readonly vault: Pick<FactVault, "open">;
  readonly facts: Pick<FactStore, "find">;
  readonly clock: Clock;
}

/** A person may have this many facts, and as many again in their history. */
const PAGE = 1_000;
const MAX_FOUND = 64;

/** Looks facts up and opens them, and caches both until the next change. Nothing that ended is cached: it is cleared before anything ends. */
export class LookedUpFacts {
  readonly #deps: LookUpDeps;
  readonly #found = new BoundedMap<string, readonly StoredFact[]>({ maxEntries: MAX_FOUND });
  /** Opened ones of those; a new one after every change. */
  #opened = new WeakMap<StoredFact, Fact>();
  #changes = 0;

  constructor(deps: LookUpDeps) {
    this.#deps = deps;
  }

  /** All that match, sealed. The newest first. */
  async find(query: FactQuery): Promise<readonly StoredFact[]> {
    const changes = this.#changes;
    const name = JSON.stringify(query);
    const known = this.#found.use(name);
    if (known) return known;
    const found = await this.readAll(query);
    // What was asked for before a change may have been read before it, too.
    if (changes === this.#changes) this.#found.set(name, found);
    return found;
  }

  /** The same, from the store. */
  async readAll(query: FactQuery): Promise<readonly StoredFact[]> {
    const found: StoredFact[] = [];
    for (let after: FactPosition | undefined; ; ) {
      const page = await this.#deps.facts.find(query, { limit: PAGE, ...(after && { after }) });
      found.push(...page);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return found;
      after = { created_at: last.row.created_at, id: last.row.id };
    }
  }

  /** Those that can still be opened, in the order given. */
  async open(stored: readonly StoredFact[]): Promise<readonly Fact[]> {
    const now = this.#deps.clock.now();
    const current = stored.filter(({ row }) => row.expires_at === null || row.expires_at > now);
    const { vault } = this.#deps;
    const opened = this.#opened;
    const sealed = current.filter((one) => !opened.has(one));
    if (sealed.length > 0) for (const one of await vault.open(sealed)) opened.set(one.fact, toFact(one));
    // Some of them may have ended meanwhile: then their keys decide.
    if (opened !== this.#opened) return (await vault.open(current)).map(toFact);
    return current.flatMap((one) => opened.get(one) ?? []);
  }

  /** Also for look-ups under way, which are not cached. */
  clear(): void {
    this.#changes += 1;
    this.#found.clear();
    this.#opened = new WeakMap();
  }
}
