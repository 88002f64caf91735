import type { ChannelId, UserId } from "../domain/ids.ts";
import type {
  FactQuery,
  FactRow,
  FactSource,
  FactStore,
  FactSubject,
  FactUseRow,
  SharedGuild,
  StoredFact,
} from "../ports/fact-store.ts";
import { COUNTED, type Database, SYNCED, type Transaction, type Values } from "./database.ts";
import { addSources, removeSources, toOwners } from "./source-rows.ts";
import { fromRows } from "./to-rows.ts";

/** A row as read. Its sources are a list of type, reference, hash, and 1 if the source is the person's own. */
type ReadRow = FactRow & { readonly sources_json: string };

/**
 * Times and versions are read as reals. An integer beyond JavaScript's range, which only a manual edit can write, would make every list
 * with that row fail; as a real, only the seal of that row fails.
 */
const SELECT = `SELECT id, scope_type, scope_id, subject_id, guild_id, audience_ref, key, value_json, visibility, created_by,
  verification_status, confidence, sources_json, CAST(expires_at AS DOUBLE PRECISION) AS expires_at,
  CAST(created_at AS DOUBLE PRECISION) AS created_at, CAST(version AS DOUBLE PRECISION) AS version FROM memory_facts`;
const LISTED = "id = ANY(:ids) AND deleted_at IS NULL";

/** @see FactStore */
export function createFactStore(database: Database): FactStore {
  /** Synced: after a power failure a fact must not have a wider audience than its owner last allowed. */
  const write = (work: (change: Transaction) => Promise<void>, options = {}) =>
    database.transaction(work, { ...SYNCED, ...options });

  async function readFacts(which: string, values: Values): Promise<StoredFact[]> {
    const rows = await database.query<ReadRow>(`${SELECT} ${which}`, values);
    return rows.map(({ sources_json, ...row }) => ({ row, sources: fromJson(sources_json) }));
  }

  async function readIds(sql: string, values?: Values): Promise<readonly string[]> {
    return (await database.query<{ readonly id: string }>(sql, values)).map(({ id }) => id);
  }

  return {
    async storeId() {
      const [row] = await database.query<{ store_id: string }>("SELECT store_id FROM memory_store WHERE seq = 1");
      return row?.store_id ?? null;
    },
    setStoreId: (store_id) =>
      write((change) =>
        change.insert("memory_store", [{ seq: 1, store_id }], "(seq) DO UPDATE SET store_id = excluded.store_id"),
      ),
    change: ({ add = [], next, beginToEnd, delete: ids }) =>
      // Counted: two transactions never give the same number.
      write(async (change) => {
        const added = next ? [...add, next.seal(await nextNumber(change, next.key))] : add;
        await change.insert("memory_facts", added.map(toColumns));
        await addSources(change, added.map(toOwner));
        if (beginToEnd) await change.run(`UPDATE memory_facts SET deleted_at = :at WHERE ${LISTED}`, { ...beginToEnd });
        if (!ids) return;
        await change.run("DELETE FROM memory_facts WHERE id = ANY(:ids)", { ids });
        await removeSources(change, "= ANY(:ids)", { ids });
        for (const table of ["fact_removal_requests", "memory_fact_uses", "kept_facts"])
          await change.run(`DELETE FROM ${table} WHERE fact_id = ANY(:ids)`, { ids });
      }, next && COUNTED),
    async find(query, { limit, after }) {
      const [which, values] = toCondition(query);
      const rest = after ? " AND (created_at, id) < (:afterTime, :afterId)" : "";
      // The column itself, which has an index, rather than the cast.
      const order = "ORDER BY memory_facts.created_at DESC, id DESC LIMIT :limit";
      const from = { afterTime: after?.created_at, afterId: after?.id, limit };
      return readFacts(`WHERE ${which}${rest} ${order}`, { ...values, ...from });
    },
    async findByIds(ids) {
      const facts = new Map((await readFacts(`WHERE ${LISTED}`, { ids })).map((fact) => [fact.row.id, fact]));
      return [...new Set(ids)].map((id) => facts.get(id)).filter((fact) => fact !== undefined);
    },
    recordsOf: (ids) =>
      readFacts(
        `WHERE deleted_at IS NULL AND key IN (SELECT key FROM memory_facts WHERE id = ANY(:ids)) AND EXISTS (
          SELECT 1 FROM memory_facts AS one WHERE one.id = ANY(:ids) AND one.key = memory_facts.key
            AND one.audience_ref IS NOT DISTINCT FROM memory_facts.audience_ref)`,
        { ids },
      ),
    async count(query) {
      const [which, values] = toCondition(query);
      const records = `SELECT DISTINCT key, audience_ref FROM memory_facts WHERE ${which}`;
      const counted = `SELECT count(*) AS facts FROM (${records}) AS records`;
      return (await database.query<{ facts: number }>(counted, values))[0]?.facts ?? 0;
    },
    expired(by, limit) {
      const which = "expires_at <= :by AND deleted_at IS NULL ORDER BY expires_at, id LIMIT :limit";
      return readIds(`SELECT id FROM memory_facts WHERE ${which}`, { by, limit });
    },
    /** Joins a page into one text: there may be a million ids, and rows take three times as long. No id contains a line break. */
    async ids({ after = "", limit }) {
      const page = "SELECT id FROM memory_facts WHERE id > :after AND value_json <> '' ORDER BY id LIMIT :limit";
      const joined = `SELECT string_agg(id, '\n') AS ids FROM (${page}) AS page`;
      const [row] = await database.query<{ ids: string | null }>(joined, { after, limit });
      return row?.ids?.split("\n") ?? [];
    },
    async withoutFacts(subjects) {
      const idsOf = (wanted: FactSubject["kind"]) => subjects.flatMap(({ kind, id }) => (kind === wanted ? id : []));
      const [users, guilds] = [idsOf("user"), idsOf("guild")];
      const rows = await database.query<FactSubject>(
        `SELECT DISTINCT 'user' AS kind, scope_id AS id FROM memory_facts
            WHERE scope_type = 'user' AND scope_id = ANY(:users) AND deleted_at IS NULL
          UNION SELECT 'guild', guild_id FROM memory_facts
            WHERE scope_type <> 'user' AND guild_id = ANY(:guilds) AND deleted_at IS NULL`,
        { users, guilds },
      );
      const known = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
      return subjects.filter(({ kind, id }) => !known.has(`${kind} ${id}`));
    },
    ending: () => readIds("SELECT id FROM memory_facts WHERE deleted_at IS NOT NULL"),
    async guilds() {
      const rows = await database.query<object>(
        `SELECT guild_id, max(left_at) AS left_at FROM
          (SELECT guild_id, NULL AS left_at FROM memory_facts WHERE guild_id IS NOT NULL
            UNION SELECT guild_id, left_at FROM left_guilds) AS guilds
          GROUP BY guild_id`,
      );
      return fromRows<SharedGuild>(rows);
    },
    noteLeft: (guild_id, left_at) =>
      write((change) =>
        left_at === null
          ? change.run("DELETE FROM left_guilds WHERE guild_id = :guild_id", { guild_id })
          : change.insert(
              "left_guilds",
              [{ guild_id, left_at }],
              "(guild_id) DO UPDATE SET left_at = excluded.left_at",
            ),
      ),
    askRemoval: ({ factId, userId, at }) =>
      write((change) =>
        change.run(
          `INSERT INTO fact_removal_requests (fact_id, user_id, requested_at)
            SELECT id, :userId, CAST(:at AS BIGINT) FROM memory_facts WHERE ${LISTED} FOR KEY SHARE ON CONFLICT DO NOTHING`,
          { ids: [factId], userId, at },
        ),
      ),
    async removalRequests(ids) {
      const rows = await database.query<{ fact_id: string; user_id: UserId }>(
        "SELECT fact_id, user_id FROM fact_removal_requests WHERE fact_id = ANY(:ids) ORDER BY requested_at, user_id",
        { ids },
      );
      const byFact = Map.groupBy(rows, ({ fact_id }) => fact_id);
      return new Map([...byFact].map(([id, requests]) => [id, requests.map(({ user_id }) => user_id)]));
    },
    noteKept: (id, at) =>
      write((change) =>
        change.run(
          `INSERT INTO kept_facts (fact_id, kept_at) SELECT id, CAST(:at AS BIGINT) FROM memory_facts WHERE ${LISTED} FOR KEY SHARE
            ON CONFLICT (fact_id) DO UPDATE SET kept_at = excluded.kept_at`,
          { ids: [id], at },
        ),
      ),
    async keptAt(ids) {
      const sql = "SELECT fact_id, kept_at FROM kept_facts WHERE fact_id = ANY(:ids)";
      const rows = await database.query<{ fact_id: string; kept_at: number }>(sql, { ids });
      return new Map(rows.map(({ fact_id, kept_at }) => [fact_id, kept_at]));
    },
    async uses(ids) {
      const sql = "SELECT * FROM memory_fact_uses WHERE fact_id = ANY(:ids)";
      const rows = await database.query<Omit<FactUseRow, "place"> & { readonly place: ChannelId | "" }>(sql, { ids });
      return rows.map(({ place, ...use }) => ({ ...use, place: place || null }));
    },
    forgetWriter: (userId) =>
      write(async (change) => {
        await change.run("UPDATE memory_facts SET created_by = '' WHERE created_by = :userId", { userId });
        await change.run("DELETE FROM fact_removal_requests WHERE user_id = :userId", { userId });
      }),
    scrub: () => database.scrub(),
  };
}

const CONDITIONS = {
  scopeType: "scope_type = :scopeType",
  scopeId: "scope_id = :scopeId",
  subjectId: "subject_id = :subjectId",
  guildId: "guild_id = :guildId",
  key: "key = :key",
  createdBy: "created_by = :createdBy",
} as const satisfies Partial<Record<keyof FactQuery, string>>;

/** The text is equal for all queries of one shape. */
function toCondition({ citing, ...others }: FactQuery): [string, Values] {
  const conditions = ["deleted_at IS NULL"];
  for (const name of Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])
    if (others[name] !== undefined) conditions.push(CONDITIONS[name]);
  const [owners, cited] = citing ? toOwners(citing) : [null, {}];
  if (owners) conditions.push(`id IN (${owners})`);
  return [conditions.join(" AND "), { ...others, ...cited }];
}

async function nextNumber(change: Transaction, key: string): Promise<number> {
  const last = "SELECT CAST(max(version) AS DOUBLE PRECISION) AS last FROM memory_facts WHERE key = :key";
  return ((await change.query<{ last: number | null }>(last, { key }))[0]?.last ?? 0) + 1;
}

function toColumns({ row, sources }: StoredFact) {
  const { type = "", ref = "", hash = "" } = sources[0] ?? {};
  return {
    ...row,
    ...{ source_type: type, source_ref: ref, source_excerpt_hash: hash },
    updated_at: row.created_at,
    sources_json: toJson(sources),
  };
}

/** Only for finding the facts that rest on a source: the row itself has the complete list in order. */
function toOwner({ row, sources }: StoredFact) {
  return { id: row.id, sources: sources.map(({ type, ref }) => ({ type, ref, personId: "" as const })) };
}

function toJson(sources: readonly FactSource[]): string {
  return JSON.stringify(sources.map(({ type, ref, hash, isOwn }) => [type, ref, hash, isOwn ? 1 : 0]));
}

/** Empty if the text was edited by hand: the fact fails its seal then. */
function fromJson(text: string): readonly FactSource[] {
  try {
    const sources: FactSource[] = [];
    for (const [type, ref, hash, isOwn] of JSON.parse(text)) {
      if (typeof type !== "string" || typeof ref !== "string" || typeof hash !== "string") return [];
      sources.push({ type: type as FactSource["type"], ref, hash, isOwn: isOwn === 1 });
    }
    return sources;
  } catch {
    return [];
  }
}
