import type { CompiledQuery } from "kysely";
import type { GuildId, UserId } from "../../domain/ids.ts";
import type {
  FactChange,
  FactPosition,
  FactQuery,
  FactRow,
  FactSourceRow,
  FactStore,
  FactSubject,
  LastUse,
  SharedGuild,
  StoredFact,
} from "../../ports/fact-store.ts";
import type { DurableDatabase, DurableTransaction } from "./durable-database.ts";
import { compileFactQueries, FACT_COLUMNS, type FactColumns, type FactValues, toFindValues } from "./fact-queries.ts";
import { translateErrors } from "./translate-errors.ts";

/** @see FactStore */
export function createFactStore(database: DurableDatabase): FactStore {
  return new SqliteFactStore(database);
}

class SqliteFactStore implements FactStore {
  readonly #database: DurableDatabase;
  readonly #queries: ReturnType<typeof compileFactQueries>;

  constructor(database: DurableDatabase) {
    this.#database = database;
    this.#queries = compileFactQueries(database.kysely);
  }

  async storeId(): Promise<string | null> {
    return orUnavailable(() => this.#database.execute(this.#queries.storeId({}))[0]?.store_id ?? null);
  }

  async setStoreId(id: string): Promise<void> {
    await this.#write((transaction) => transaction.execute(this.#queries.setStoreId({ id })));
  }

  async change({ add = [], supersede, beginToEnd, ...rest }: FactChange): Promise<void> {
    const queries = this.#queries;
    await this.#write((transaction) => {
      for (const { row, sources } of add) {
        transaction.execute(queries.add({ ...row, ...toColumns(row, sources) }));
        for (const [position, { source_type, source_ref }] of sources.entries())
          transaction.execute(queries.addSource({ fact_id: row.id, position, source_type, source_ref }));
      }
      for (const [id, by] of supersede ?? []) transaction.execute(queries.supersede({ id, by }));
      if (beginToEnd) {
        const { ids, at } = beginToEnd;
        transaction.execute(queries.beginToEnd({ ids: JSON.stringify(ids), at }));
      }
      if (rest.delete) {
        const ids = JSON.stringify(rest.delete);
        transaction.execute(queries.delete({ ids }));
        transaction.execute(queries.deleteSources({ ids }));
        transaction.execute(queries.deleteRemovalRequests({ ids }));
        transaction.execute(queries.deleteUses({ ids }));
      }
    });
  }

  async find(query: FactQuery, page: { limit: number; after?: FactPosition }): Promise<readonly StoredFact[]> {
    return orUnavailable(() => {
      const compiled = this.#queries.find(query, page.after !== undefined);
      return this.#readFacts(compiled(toFindValues(query, page)));
    });
  }

  async findByIds(ids: readonly string[]): Promise<readonly StoredFact[]> {
    return orUnavailable(() => {
      const found = this.#readFacts(this.#queries.byIds({ ids: JSON.stringify(ids) }));
      const facts = new Map(found.map((fact) => [fact.row.id, fact]));
      return [...new Set(ids)].map((id) => facts.get(id)).filter((fact) => fact !== undefined);
    });
  }

  async has(query: FactQuery): Promise<boolean> {
    return orUnavailable(() => this.#database.execute(this.#queries.has(query)(toFindValues(query))).length > 0);
  }

  async followedBy(ids: readonly string[]): Promise<readonly string[]> {
    return orUnavailable(() => toIds(this.#database.execute(this.#queries.followedBy({ ids: JSON.stringify(ids) }))));
  }

  async count(query: FactQuery): Promise<number> {
    return orUnavailable(() => {
      const [row] = this.#database.execute(this.#queries.count(query)(toFindValues(query)));
      return row?.count ?? 0;
    });
  }

  async expired(by: number, limit: number): Promise<readonly string[]> {
    return orUnavailable(() => toIds(this.#database.execute(this.#queries.expired({ by, limit }))));
  }

  async ids({ after = "", limit }: { after?: string; limit: number }): Promise<readonly string[]> {
    return orUnavailable(() => {
      const [page] = this.#database.execute(this.#queries.ids({ after, limit }));
      return JSON.parse(page?.ids ?? "[]") as string[];
    });
  }

  async withoutFacts(subjects: readonly FactSubject[]): Promise<readonly FactSubject[]> {
    return orUnavailable(() => {
      const wanted = JSON.stringify(subjects.map(({ scope_type, scope_id }) => [scope_type, scope_id]));
      const rows = this.#database.execute(this.#queries.withoutFacts({ subjects: wanted }));
      return rows.flatMap(({ at }) => subjects[at] ?? []);
    });
  }

  async ending(): Promise<readonly string[]> {
    return orUnavailable(() => toIds(this.#database.execute(this.#queries.ending({}))));
  }

  async guilds(): Promise<readonly SharedGuild[]> {
    return orUnavailable(() => {
      const left = this.#database.execute(this.#queries.leftGuilds({}));
      const leftAt = new Map(left.map(({ guild_id, left_at }) => [guild_id, left_at]));
      const guilds = this.#database.execute(this.#queries.guilds({}));
      return guilds.map(({ guild_id }) => ({ guildId: guild_id, leftAt: leftAt.get(guild_id) ?? null }));
    });
  }

  async noteLeft(guildId: GuildId, at: number | null): Promise<void> {
    const { addLeft, removeLeft } = this.#queries;
    const query = at === null ? removeLeft({ guildId }) : addLeft({ guild_id: guildId, left_at: at });
    await this.#write((transaction) => transaction.execute<unknown>(query));
  }

  async askRemoval({ factId, userId, at }: Parameters<FactStore["askRemoval"]>[0]): Promise<void> {
    const { byIds, askRemoval } = this.#queries;
    await this.#write((transaction) => {
      if (transaction.execute(byIds({ ids: JSON.stringify([factId]) })).rows.length === 0) return;
      transaction.execute(askRemoval({ fact_id: factId, user_id: userId, requested_at: at }));
    });
  }

  async removalRequests(ids: readonly string[]): Promise<ReadonlyMap<string, readonly UserId[]>> {
    return orUnavailable(() => {
      const rows = this.#database.execute(this.#queries.removalRequests({ ids: JSON.stringify(ids) }));
      const byFact = Map.groupBy(rows, ({ fact_id }) => fact_id);
      return new Map([...byFact].map(([id, requests]) => [id, requests.map(({ user_id }) => user_id)]));
    });
  }

  async noteUse(ids: readonly string[], { usedAt = 0, keptAt = 0 }: Partial<LastUse>): Promise<void> {
    const query = this.#queries.noteUse({ ids: JSON.stringify(ids), usedAt, keptAt });
    await this.#database.transaction((transaction) => transaction.execute<unknown>(query));
  }

  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, LastUse>> {
    return orUnavailable(() => {
      const rows = this.#database.execute(this.#queries.lastUses({ ids: JSON.stringify(ids) }));
      return new Map(rows.map(({ fact_id, used_at, kept_at }) => [fact_id, { usedAt: used_at, keptAt: kept_at }]));
    });
  }

  async forgetWriter(userId: UserId): Promise<void> {
    const { forgetWriter, forgetRequester } = this.#queries;
    await this.#write((transaction) => {
      transaction.execute(forgetWriter({ userId }));
      transaction.execute(forgetRequester({ userId }));
    });
  }

  async scrub(): Promise<boolean> {
    return translateErrors("The database cannot be written", () => this.#database.scrub());
  }

  /** Synced: after a power failure a fact must not be heard by more people than its owner last allowed. */
  async #write(work: (transaction: DurableTransaction) => void): Promise<void> {
    await this.#database.transaction(work, { isSynced: true });
  }

  #readFacts(query: CompiledQuery<FactRow>): StoredFact[] {
    return this.#database.executeAsArrays<FactValues>(query).map(toStored);
  }
}

function toStored(values: FactValues): StoredFact {
  const named = Object.fromEntries(FACT_COLUMNS.map((name, at) => [name, values[at]])) as unknown as FactColumns;
  const { sources_json, ...row } = named;
  return { row, sources: fromJson(sources_json) };
}

function toColumns({ created_at: updated_at }: FactRow, sources: readonly FactSourceRow[]) {
  const { source_type = "", source_ref = "", source_hash: source_excerpt_hash = "" } = sources[0] ?? {};
  return { source_type, source_ref, source_excerpt_hash, updated_at, sources_json: toJson(sources) };
}

function toJson(sources: readonly FactSourceRow[]): string {
  return JSON.stringify(
    sources.map(({ source_type, source_ref, source_hash, is_own }) => [
      ...[source_type, source_ref, source_hash],
      is_own ? 1 : 0,
    ]),
  );
}

/** None where somebody changed the text into anything else: then the fact does not fit its seal. */
function fromJson(text: string): readonly FactSourceRow[] {
  try {
    const sources: FactSourceRow[] = [];
    for (const [source_type, source_ref, source_hash, is_own] of JSON.parse(text)) {
      if (typeof source_type !== "string" || typeof source_ref !== "string" || typeof source_hash !== "string")
        return [];
      sources.push({ source_type, source_ref, source_hash, is_own: is_own === 1 });
    }
    return sources;
  } catch {
    return [];
  }
}

function toIds(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

async function orUnavailable<Result>(work: () => Result): Promise<Result> {
  return translateErrors("What is remembered cannot be read", work);
}
