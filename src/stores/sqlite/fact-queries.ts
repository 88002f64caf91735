import { type CompiledQuery, type Expression, type Kysely, type NotNull, type SelectQueryBuilder, sql } from "kysely";
import type { GuildId, UserId } from "../../domain/ids.ts";
import type { FactPosition, FactQuery, FactRow } from "../../ports/fact-store.ts";
import { compileQuery, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { greatest, isInJsonList } from "./sqlite-expressions.ts";

type RemovalRequest = DurableTables["fact_removal_requests"];
export type FactColumns = DurableTables["memory_facts"];

/** What is read of a fact, in this order: each column of each row takes time. */
export const FACT_COLUMNS = [
  "id",
  "scope_type",
  "scope_id",
  "subject_id",
  "guild_id",
  "audience_ref",
  "key",
  "value_json",
  "visibility",
  "created_by",
  "verification_status",
  "confidence",
  "expires_at",
  "superseded_by",
  "created_at",
  "version",
  "sources_json",
] as const satisfies readonly (keyof FactColumns)[];

/** Their numbers are read as reals. An integer beyond those of JavaScript, which only somebody else has written, would make SQLite refuse every list with that row; so the seal refuses the row alone. */
const INTEGER_COLUMNS: ReadonlySet<string> = new Set(["expires_at", "created_at", "version"]);
const READ_COLUMNS = FACT_COLUMNS.map((name) =>
  // Under another name: to sort by this one is to sort by the column, which has an index.
  INTEGER_COLUMNS.has(name) ? sql<number | null>`cast(${sql.ref(name)} as real)`.as(`read_${name}`) : name,
);

/** What is only written. */
const MORE_COLUMNS = ["source_type", "source_ref", "source_excerpt_hash", "updated_at"] as const;

type ValuesOf<Row, Columns extends readonly (keyof Row)[]> = { [At in keyof Columns]: Row[Columns[At]] };
export type FactValues = ValuesOf<FactColumns, typeof FACT_COLUMNS>;

/** Ids are given as a JSON array. */
interface Ids {
  readonly ids: string;
}

/** What the store asks again and again, compiled once. */
export function compileFactQueries(kysely: Kysely<DurableTables>) {
  return {
    storeId: compileQuery(() => kysely.selectFrom("memory_store").select("store_id").where("seq", "=", 1)),
    setStoreId: compileQuery((slot: Slot<{ id: string }>) =>
      kysely
        .insertInto("memory_store")
        .values({ seq: 1, store_id: slot("id") })
        .onConflict((conflict) => conflict.column("seq").doUpdateSet({ store_id: slot("id") })),
    ),
    add: compileQuery((slot: Slot<Omit<FactColumns, "deleted_at">>) =>
      kysely.insertInto("memory_facts").values(toValues(slot, [...FACT_COLUMNS, ...MORE_COLUMNS])),
    ),
    addSource: compileQuery((slot: Slot<DurableTables["memory_fact_sources"]>) =>
      kysely
        .insertInto("memory_fact_sources")
        .values(toValues(slot, ["fact_id", "position", "source_type", "source_ref"])),
    ),
    supersede: compileQuery((slot: Slot<{ id: string; by: string | null }>) =>
      kysely
        .updateTable("memory_facts")
        .set({ superseded_by: slot("by") })
        .where("id", "=", slot("id")),
    ),
    beginToEnd: compileQuery((slot: Slot<Ids & { at: number }>) =>
      kysely
        .updateTable("memory_facts")
        .set({ deleted_at: slot("at") })
        .where(isInJsonList("id", slot("ids")))
        .where("deleted_at", "is", null),
    ),
    delete: compileQuery((slot: Slot<Ids>) => kysely.deleteFrom("memory_facts").where(isInJsonList("id", slot("ids")))),
    deleteSources: compileQuery((slot: Slot<Ids>) =>
      kysely.deleteFrom("memory_fact_sources").where(isInJsonList("fact_id", slot("ids"))),
    ),
    noteUse: compileQuery((slot: Slot<Ids & { usedAt: number; keptAt: number }>) =>
      kysely
        .insertInto("memory_fact_uses")
        .columns(["fact_id", "used_at", "kept_at"])
        .expression((builder) =>
          builder
            .selectFrom("memory_facts")
            .select(["id", sql<number>`${slot("usedAt")}`.as("used_at"), sql<number>`${slot("keptAt")}`.as("kept_at")])
            .where(isInJsonList("id", slot("ids")))
            .where("deleted_at", "is", null),
        )
        .onConflict((conflict) =>
          conflict
            .column("fact_id")
            .doUpdateSet({
              used_at: greatest(["memory_fact_uses.used_at", "excluded.used_at"]),
              kept_at: greatest(["memory_fact_uses.kept_at", "excluded.kept_at"]),
            })
            // To write what is there already would take as long as anything else.
            .where(({ eb, or, ref }) =>
              or([
                eb("memory_fact_uses.used_at", "<", ref("excluded.used_at")),
                eb("memory_fact_uses.kept_at", "<", ref("excluded.kept_at")),
              ]),
            ),
        ),
    ),
    lastUses: compileQuery((slot: Slot<Ids>) =>
      kysely
        .selectFrom("memory_fact_uses")
        .selectAll()
        .where(isInJsonList("fact_id", slot("ids"))),
    ),
    deleteUses: compileQuery((slot: Slot<Ids>) =>
      kysely.deleteFrom("memory_fact_uses").where(isInJsonList("fact_id", slot("ids"))),
    ),
    byIds: compileQuery((slot: Slot<Ids>) =>
      kysely
        .selectFrom("memory_facts")
        .select(READ_COLUMNS)
        .where(isInJsonList("id", slot("ids")))
        .where("deleted_at", "is", null),
    ),
    followedBy: compileQuery((slot: Slot<Ids>) =>
      kysely
        .selectFrom("memory_facts")
        .select("id")
        .where(isInJsonList("superseded_by", slot("ids")))
        .where("deleted_at", "is", null),
    ),
    expired: compileQuery((slot: Slot<{ by: number; limit: number }>) =>
      kysely
        .selectFrom("memory_facts")
        .select("id")
        .where("expires_at", "<=", slot("by"))
        .where("deleted_at", "is", null)
        .orderBy("expires_at")
        .orderBy("id")
        .limit(slot("limit")),
    ),
    // All of a page in one JSON array: there may be a million, and rows take three times as long.
    ids: compileQuery((slot: Slot<{ after: string; limit: number }>) =>
      kysely
        .selectFrom(
          kysely
            .selectFrom("memory_facts")
            .select("id")
            .where("id", ">", slot("after"))
            .orderBy("id")
            .limit(slot("limit"))
            .as("page"),
        )
        .select(sql<string>`json_group_array(id)`.as("ids")),
    ),
    withoutFacts: compileQuery((slot: Slot<{ subjects: string }>) =>
      kysely
        .selectFrom(
          sql<{ at: number; scope_type: FactRow["scope_type"]; scope_id: string }>`(
          select key as at, value ->> 0 as scope_type, value ->> 1 as scope_id from json_each(${slot("subjects")}))`.as(
            "wanted",
          ),
        )
        .select("wanted.at")
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("memory_facts")
                .select("id")
                .whereRef("memory_facts.scope_type", "=", "wanted.scope_type")
                .whereRef("memory_facts.scope_id", "=", "wanted.scope_id"),
            ),
          ),
        )
        .orderBy("wanted.at"),
    ),
    ending: compileQuery(() => kysely.selectFrom("memory_facts").select("id").where("deleted_at", "is not", null)),
    guilds: compileQuery(() =>
      kysely
        .selectFrom("memory_facts")
        .select("guild_id")
        .where("guild_id", "is not", null)
        .$narrowType<{ guild_id: NotNull }>()
        .union(kysely.selectFrom("left_guilds").select("guild_id")),
    ),
    leftGuilds: compileQuery(() => kysely.selectFrom("left_guilds").selectAll()),
    addLeft: compileQuery((slot: Slot<DurableTables["left_guilds"]>) =>
      kysely
        .insertInto("left_guilds")
        .values({ guild_id: slot("guild_id"), left_at: slot("left_at") })
        .onConflict((conflict) => conflict.column("guild_id").doUpdateSet({ left_at: slot("left_at") })),
    ),
    removeLeft: compileQuery((slot: Slot<{ guildId: GuildId }>) =>
      kysely.deleteFrom("left_guilds").where("guild_id", "=", slot("guildId")),
    ),
    forgetWriter: compileQuery((slot: Slot<{ userId: FactRow["created_by"] }>) =>
      kysely.updateTable("memory_facts").set({ created_by: "" }).where("created_by", "=", slot("userId")),
    ),
    askRemoval: compileQuery((slot: Slot<RemovalRequest>) =>
      kysely
        .insertInto("fact_removal_requests")
        .values(toValues(slot, ["fact_id", "user_id", "requested_at"]))
        .onConflict((conflict) => conflict.columns(["fact_id", "user_id"]).doNothing()),
    ),
    removalRequests: compileQuery((slot: Slot<Ids>) =>
      kysely
        .selectFrom("fact_removal_requests")
        .select(["fact_id", "user_id"])
        .where(isInJsonList("fact_id", slot("ids")))
        .orderBy("requested_at")
        .orderBy("user_id"),
    ),
    deleteRemovalRequests: compileQuery((slot: Slot<Ids>) =>
      kysely.deleteFrom("fact_removal_requests").where(isInJsonList("fact_id", slot("ids"))),
    ),
    forgetRequester: compileQuery((slot: Slot<{ userId: UserId }>) =>
      kysely.deleteFrom("fact_removal_requests").where("user_id", "=", slot("userId")),
    ),
    find: cachedByShape((query: FactQuery, hasPosition: boolean) =>
      compileQuery((slot: Slot<FindValues>) => {
        let found = narrow(kysely, query, slot)
          .select(READ_COLUMNS)
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(slot("limit"));
        if (hasPosition)
          found = found.where(({ eb, refTuple, tuple }) =>
            eb(refTuple("created_at", "id"), "<", tuple(slot("afterTime"), slot("afterId"))),
          );
        return found;
      }),
    ),
    has: cachedByShape((query: FactQuery) =>
      compileQuery((slot: Slot<FindValues>) => narrow(kysely, query, slot).select("id").limit(1)),
    ),
    count: cachedByShape((query: FactQuery) =>
      compileQuery((slot: Slot<FindValues>) =>
        narrow(kysely, query, slot).select(({ fn }) => fn.countAll<number>().as("count")),
      ),
    ),
  };
}

/** A row for `insert` with a slot for each column. */
function toValues<Row, Column extends keyof Row & string>(slot: Slot<Row>, columns: readonly Column[]) {
  const values: Record<string, unknown> = Object.fromEntries(columns.map((column) => [column, slot(column)]));
  return values as { [Name in Column]: Expression<Row[Name]> };
}

interface FindValues extends Required<Omit<FactQuery, "source" | "messagesIn" | "withSuperseded">> {
  readonly sourceType: string;
  readonly sourceRef: string;
  readonly firstRef: string;
  readonly endRef: string;
  readonly afterTime: number;
  readonly afterId: string;
  readonly limit: number;
}

/** The values of a query in the slots of its compiled form. */
export function toFindValues(query: FactQuery, page?: { readonly limit: number; readonly after?: FactPosition }) {
  const { source, messagesIn, ...others } = query;
  return {
    ...others,
    // All that begin with the channel's id and a slash; "0" comes right after that.
    firstRef: `${messagesIn}/`,
    endRef: `${messagesIn}0`,
    sourceType: source?.type,
    sourceRef: source?.ref,
    afterTime: page?.after?.created_at,
    afterId: page?.after?.id,
    limit: page?.limit,
    // Slots without a value are not in a query of this shape.
  } as FindValues;
}

const COLUMNS_OF = {
  scopeType: "scope_type",
  scopeId: "scope_id",
  subjectId: "subject_id",
  guildId: "guild_id",
  audienceRef: "audience_ref",
  key: "key",
  createdBy: "created_by",
} as const satisfies Partial<Record<keyof FactQuery, keyof FactRow>>;

function narrow(
  kysely: Kysely<DurableTables>,
  query: FactQuery,
  slot: Slot<FindValues>,
): SelectQueryBuilder<DurableTables, "memory_facts", object> {
  let found = kysely.selectFrom("memory_facts").where("deleted_at", "is", null);
  if (!query.withSuperseded) found = found.where("superseded_by", "is", null);
  for (const name of Object.keys(COLUMNS_OF) as (keyof typeof COLUMNS_OF)[])
    if (query[name] !== undefined) found = found.where(COLUMNS_OF[name], "=", slot(name));
  if (query.otherThanScopeId !== undefined) found = found.where("scope_id", "<>", slot("otherThanScopeId"));
  if (query.source)
    found = found.where("id", "in", ({ selectFrom }) =>
      selectFrom("memory_fact_sources")
        .select("fact_id")
        .where("source_type", "=", slot("sourceType"))
        .where("source_ref", "=", slot("sourceRef")),
    );
  if (query.messagesIn)
    found = found.where("id", "in", ({ selectFrom }) =>
      selectFrom("memory_fact_sources")
        .select("fact_id")
        .where("source_type", "=", "discord_message")
        .where("source_ref", ">", slot("firstRef"))
        .where("source_ref", "<", slot("endRef")),
    );
  return found;
}

/** Compiles one query for each set of members that are asked for. There are a few hundred at most. */
function cachedByShape<Row>(
  compile: (query: FactQuery, hasPosition: boolean) => (values: FindValues) => CompiledQuery<Row>,
): (query: FactQuery, hasPosition?: boolean) => (values: FindValues) => CompiledQuery<Row> {
  const cached = new Map<string, (values: FindValues) => CompiledQuery<Row>>();
  return (query, hasPosition = false) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== false);
    const shape = [...given.map(([name]) => name).sort(), hasPosition].join();
    const compiled = cached.get(shape) ?? compile(query, hasPosition);
    cached.set(shape, compiled);
    return compiled;
  };
}
