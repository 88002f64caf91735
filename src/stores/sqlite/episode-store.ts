import type { Expression } from "kysely";
import { type ChannelId, compareIds, type GuildId, type MessageId, type UserId } from "../../domain/ids.ts";
import type { Episode, EpisodeLine, EpisodeStore } from "../../ports/episode-store.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { isInJsonList } from "./sqlite-expressions.ts";
import { translateErrors } from "./translate-errors.ts";

type EpisodeRow = DurableTables["episodes"];
type LineRow = DurableTables["episode_messages"];

const UNREADABLE = "With whom the agent talked cannot be read; is earshot.db damaged?";

/** @see EpisodeStore */
export function createEpisodeStore({ kysely, execute, transaction, scrub }: DurableDatabase): EpisodeStore {
  const queries = compileQueries(kysely);
  const read = <Result>(work: () => Result) => translateErrors(UNREADABLE, work);
  // Synced: what a person had erased must not come back after a power failure.
  const isSynced = true;

  return {
    latest: (partner, channel) =>
      read(() => {
        const [row] = execute(queries.latest({ partner, channel }));
        const [counted] = row ? execute(queries.countLines({ id: row.id })) : [];
        return row ? { episode: toEpisode(row), lines: counted?.count ?? 0 } : null;
      }),
    add: (episode, lines) =>
      transaction((connection) => {
        const { id, partnerId, isBot, channelId, guildId, startedAt, lastAt } = episode;
        const row = { id, partner_id: partnerId, channel_id: channelId, guild_id: guildId };
        connection.execute(
          queries.put({ ...row, is_bot: isBot ? 1 : 0, started_at: startedAt, last_at: lastAt } as EpisodeRow),
        );
        for (const line of lines) connection.execute(queries.addLine(toLineRow(id, line)));
      }),
    line: (id) => read(() => execute(queries.line({ id })).map(toLine)[0] ?? null),
    channelsWith: (partnerIds) =>
      read(() => {
        const rows = execute(queries.channelsWith({ partners: JSON.stringify(partnerIds) }));
        return rows.map(({ channel_id }) => channel_id as ChannelId).sort(compareIds);
      }),
    lines: ({ partnerIds, channelIds }, limit) =>
      read(() => {
        const lists = { partners: JSON.stringify(partnerIds), channels: JSON.stringify(channelIds) };
        return execute(queries.lines({ ...lists, limit })).map(({ partner_id, channel_id, ...row }) => ({
          ...toLine(row),
          partnerId: partner_id as UserId,
          channelId: channel_id as ChannelId,
        }));
      }),
    talksOf: (person) =>
      read(() =>
        execute(queries.of({ person })).map((row) => ({
          ...toEpisode(row),
          lines: execute(queries.linesOf({ id: row.id })).map(toLine),
        })),
      ),
    count: (person) => read(() => execute(queries.count({ person }))[0]?.count ?? 0),
    erase: (person) =>
      transaction(
        (connection) => {
          connection.execute(queries.eraseLines({ person }));
          return Number(connection.execute(queries.erase({ person })).numAffectedRows ?? 0n);
        },
        { isSynced },
      ),
    removeMessages: (messageIds) =>
      transaction((connection) => {
        const ids = JSON.stringify(messageIds);
        const { rows } = connection.execute(queries.talksWithMessages({ ids }));
        if (rows.length === 0) return;
        connection.execute(queries.removeMessages({ ids }));
        connection.execute(queries.removeEmpty({ ids: JSON.stringify(rows.map(({ episode_id }) => episode_id)) }));
      }),
    removeChannel: (id) =>
      transaction((connection) => {
        connection.execute(queries.removeChannelLines({ id }));
        connection.execute(queries.removeChannel({ id }));
      }),
    removeGuild: (id) =>
      transaction((connection) => {
        connection.execute(queries.removeGuildLines({ id }));
        connection.execute(queries.removeGuild({ id }));
      }),
    forgetBefore: (time) =>
      transaction((connection) => {
        connection.execute(queries.forgetLines({ time }));
        connection.execute(queries.forget({ time }));
      }),
    scrub: () => translateErrors("The database cannot be written; is the disk full?", scrub),
  };
}

function toEpisode(row: EpisodeRow): Episode {
  return {
    id: row.id,
    partnerId: row.partner_id as UserId,
    isBot: row.is_bot === 1,
    channelId: row.channel_id as ChannelId,
    guildId: row.guild_id as GuildId | null,
    startedAt: row.started_at,
    lastAt: row.last_at,
  };
}

function toLine({ message_id, author_id, is_bot, reply_to, sent_at }: Omit<LineRow, "episode_id">): EpisodeLine {
  return {
    messageId: message_id as MessageId,
    authorId: author_id as UserId,
    isBot: is_bot === 1,
    replyTo: reply_to as MessageId | null,
    sentAt: sent_at,
  };
}

function toLineRow(id: string, { messageId, authorId, isBot, replyTo, sentAt }: EpisodeLine): LineRow {
  return {
    episode_id: id,
    message_id: messageId,
    author_id: authorId,
    reply_to: replyTo,
    is_bot: isBot ? 1 : 0,
    sent_at: sentAt,
  };
}

interface Id {
  readonly id: string;
}

interface Person {
  readonly person: string;
}

/** As a JSON array. */
interface Ids {
  readonly ids: string;
}

function compileQueries(kysely: DurableDatabase["kysely"]) {
  const episodesWhere = (column: "partner_id" | "channel_id" | "guild_id", value: Expression<string>) =>
    kysely.selectFrom("episodes").select("id").where(column, "=", value);
  const lines = () => kysely.selectFrom("episode_messages");
  return {
    latest: compileQuery((slot: Slot<{ partner: string; channel: string }>) =>
      kysely
        .selectFrom("episodes")
        .selectAll()
        .where("partner_id", "=", slot("partner"))
        .where("channel_id", "=", slot("channel"))
        .orderBy("last_at", "desc")
        .orderBy("started_at", "desc")
        .limit(1),
    ),
    countLines: compileQuery((slot: Slot<Id>) =>
      lines()
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("episode_id", "=", slot("id")),
    ),
    put: compileQuery((slot: Slot<EpisodeRow>) =>
      kysely
        .insertInto("episodes")
        .values({
          id: slot("id"),
          partner_id: slot("partner_id"),
          channel_id: slot("channel_id"),
          guild_id: slot("guild_id"),
          is_bot: slot("is_bot"),
          started_at: slot("started_at"),
          last_at: slot("last_at"),
        })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ last_at: slot("last_at") })),
    ),
    addLine: compileQuery((slot: Slot<LineRow>) =>
      kysely
        .insertInto("episode_messages")
        .values({
          episode_id: slot("episode_id"),
          message_id: slot("message_id"),
          author_id: slot("author_id"),
          reply_to: slot("reply_to"),
          is_bot: slot("is_bot"),
          sent_at: slot("sent_at"),
        })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    line: compileQuery((slot: Slot<Id>) => lines().selectAll().where("message_id", "=", slot("id")).limit(1)),
    channelsWith: compileQuery((slot: Slot<{ partners: string }>) =>
      kysely
        .selectFrom("episodes")
        .select("channel_id")
        .distinct()
        .where(isInJsonList("partner_id", slot("partners"))),
    ),
    lines: compileQuery((slot: Slot<{ partners: string; channels: string; limit: number }>) =>
      lines()
        .innerJoin("episodes", "episodes.id", "episode_messages.episode_id")
        .selectAll("episode_messages")
        .select(["partner_id", "channel_id"])
        .where(isInJsonList("partner_id", slot("partners")))
        .where(isInJsonList("channel_id", slot("channels")))
        .orderBy("sent_at", "desc")
        .orderBy("message_id", "desc")
        .limit(slot("limit")),
    ),
    of: compileQuery((slot: Slot<Person>) =>
      kysely
        .selectFrom("episodes")
        .selectAll()
        .where("partner_id", "=", slot("person"))
        .orderBy("last_at", "desc")
        .orderBy("id"),
    ),
    linesOf: compileQuery((slot: Slot<Id>) =>
      lines().selectAll().where("episode_id", "=", slot("id")).orderBy("sent_at").orderBy("message_id"),
    ),
    count: compileQuery((slot: Slot<Person>) =>
      kysely
        .selectFrom("episodes")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("partner_id", "=", slot("person")),
    ),
    eraseLines: compileQuery((slot: Slot<Person>) =>
      kysely.deleteFrom("episode_messages").where("episode_id", "in", episodesWhere("partner_id", slot("person"))),
    ),
    erase: compileQuery((slot: Slot<Person>) => kysely.deleteFrom("episodes").where("partner_id", "=", slot("person"))),
    talksWithMessages: compileQuery((slot: Slot<Ids>) =>
      lines()
        .select("episode_id")
        .distinct()
        .where(isInJsonList("message_id", slot("ids"))),
    ),
    removeMessages: compileQuery((slot: Slot<Ids>) =>
      kysely.deleteFrom("episode_messages").where(isInJsonList("message_id", slot("ids"))),
    ),
    removeEmpty: compileQuery((slot: Slot<Ids>) =>
      kysely
        .deleteFrom("episodes")
        .where(isInJsonList("id", slot("ids")))
        .where("id", "not in", lines().select("episode_id")),
    ),
    removeChannelLines: compileQuery((slot: Slot<Id>) =>
      kysely.deleteFrom("episode_messages").where("episode_id", "in", episodesWhere("channel_id", slot("id"))),
    ),
    removeChannel: compileQuery((slot: Slot<Id>) => kysely.deleteFrom("episodes").where("channel_id", "=", slot("id"))),
    removeGuildLines: compileQuery((slot: Slot<Id>) =>
      kysely.deleteFrom("episode_messages").where("episode_id", "in", episodesWhere("guild_id", slot("id"))),
    ),
    removeGuild: compileQuery((slot: Slot<Id>) => kysely.deleteFrom("episodes").where("guild_id", "=", slot("id"))),
    forgetLines: compileQuery((slot: Slot<{ time: number }>) =>
      kysely
        .deleteFrom("episode_messages")
        .where("episode_id", "in", kysely.selectFrom("episodes").select("id").where("last_at", "<", slot("time"))),
    ),
    forget: compileQuery((slot: Slot<{ time: number }>) =>
      kysely.deleteFrom("episodes").where("last_at", "<", slot("time")),
    ),
  };
}
