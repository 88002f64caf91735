import { type ChannelId, compareIds, type GuildId, type MessageId, type UserId } from "../domain/ids.ts";
import type { Episode, EpisodeLine, EpisodeStore } from "../ports/episode-store.ts";
import { type Database, SYNCED, type Transaction, type Values } from "./database.ts";

interface EpisodeRow {
  readonly id: string;
  readonly partner_id: UserId;
  readonly channel_id: ChannelId;
  readonly guild_id: GuildId | null;
  readonly is_bot: number;
  readonly started_at: number;
  readonly last_at: number;
}

interface LineRow {
  readonly message_id: MessageId;
  readonly author_id: UserId;
  readonly reply_to: MessageId | null;
  readonly from_bot: number;
  readonly sent_at: number;
}

type PlacedRow = LineRow & Pick<EpisodeRow, "partner_id" | "channel_id">;

const LINE = "message_id, author_id, reply_to, episode_messages.is_bot AS from_bot, sent_at";

/** @see EpisodeStore */
export function createEpisodeStore(database: Database): EpisodeStore {
  return {
    async latest(partner, channel) {
      const [row] = await database.query<EpisodeRow & { readonly lines: number }>(
        `SELECT *, (SELECT count(*) FROM episode_messages WHERE episode_id = episodes.id) AS lines FROM episodes
          WHERE partner_id = :partner AND channel_id = :channel ORDER BY last_at DESC, started_at DESC LIMIT 1`,
        { partner, channel },
      );
      return row ? { episode: toEpisode(row), lines: row.lines } : null;
    },
    add: ({ id, partnerId, isBot, channelId, guildId, startedAt, lastAt }, lines) =>
      database.transaction(async (change) => {
        const row = { id, partner_id: partnerId, channel_id: channelId, guild_id: guildId, is_bot: isBot ? 1 : 0 };
        const times = { started_at: startedAt, last_at: lastAt };
        await change.insert("episodes", [{ ...row, ...times }], "(id) DO UPDATE SET last_at = excluded.last_at");
        const lineRows = lines.map((line) => ({
          ...{ episode_id: id, message_id: line.messageId, author_id: line.authorId, reply_to: line.replyTo },
          ...{ is_bot: line.isBot ? 1 : 0, sent_at: line.sentAt },
        }));
        await change.insert("episode_messages", lineRows, "DO NOTHING");
      }),
    async line(id) {
      const which = "WHERE message_id = :id LIMIT 1";
      const rows = await database.query<LineRow>(`SELECT ${LINE} FROM episode_messages ${which}`, { id });
      return rows.map(toLine)[0] ?? null;
    },
    async channelsWith(partners) {
      const rows = await database.query<Pick<EpisodeRow, "channel_id">>(
        "SELECT DISTINCT channel_id FROM episodes WHERE partner_id = ANY(:partners)",
        { partners },
      );
      return rows.map(({ channel_id }) => channel_id).sort(compareIds);
    },
    async lines({ partnerIds: partners, channelIds: channels }, limit) {
      const rows = await database.query<PlacedRow>(
        `SELECT ${LINE}, partner_id, channel_id FROM episode_messages JOIN episodes ON episodes.id = episode_id
          WHERE partner_id = ANY(:partners) AND channel_id = ANY(:channels)
          ORDER BY sent_at DESC, message_id DESC LIMIT :limit`,
        { partners, channels, limit },
      );
      return rows.map((row) => ({ ...toLine(row), partnerId: row.partner_id, channelId: row.channel_id }));
    },
    async talksOf(person) {
      const rows = await database.query<EpisodeRow & LineRow>(
        `SELECT episodes.*, ${LINE} FROM episodes LEFT JOIN episode_messages ON episode_id = episodes.id
          WHERE partner_id = :person ORDER BY last_at DESC, id, sent_at, message_id`,
        { person },
      );
      return [...Map.groupBy(rows, ({ id }) => id).values()].map((talk) => ({
        ...toEpisode(talk[0] as EpisodeRow),
        lines: talk.filter(({ message_id }) => message_id !== null).map(toLine),
      }));
    },
    async count(person) {
      const counted = "SELECT count(*) AS talks FROM episodes WHERE partner_id = :person";
      return (await database.query<{ readonly talks: number }>(counted, { person }))[0]?.talks ?? 0;
    },
    // Synced: erased data must not come back after a power failure.
    erase: (person) => database.transaction((change) => remove(change, "partner_id = :person", { person }), SYNCED),
    removeMessages: (ids) =>
      database.transaction(async (change) => {
        const removed = await change.query<{ readonly episode_id: string }>(
          "DELETE FROM episode_messages WHERE message_id = ANY(:ids) RETURNING episode_id",
          { ids },
        );
        const talks = removed.map(({ episode_id }) => episode_id);
        // The lock makes concurrent additions visible.
        await change.query("SELECT 1 FROM episodes WHERE id = ANY(:talks) FOR UPDATE", { talks });
        await change.run(
          `DELETE FROM episodes WHERE id = ANY(:talks)
            AND NOT EXISTS (SELECT 1 FROM episode_messages WHERE episode_id = episodes.id)`,
          { talks },
        );
      }),
    removeChannel: (id) =>
      database.transaction(async (change) => void (await remove(change, "channel_id = :id", { id }))),
    removeGuild: (id) => database.transaction(async (change) => void (await remove(change, "guild_id = :id", { id }))),
    forgetBefore: (time) =>
      database.transaction(async (change) => void (await remove(change, "last_at < :time", { time }))),
    scrub: () => database.scrub(),
  };
}

/** Returns the number of talks. They are deleted first: a concurrent addition is waited for, and deleted as well. */
async function remove(change: Transaction, which: string, values: Values): Promise<number> {
  const talks = await change.query<{ readonly id: string }>(`DELETE FROM episodes WHERE ${which} RETURNING id`, values);
  const ids = talks.map(({ id }) => id);
  await change.run("DELETE FROM episode_messages WHERE episode_id = ANY(:ids)", { ids });
  return ids.length;
}

function toEpisode(row: EpisodeRow): Episode {
  return {
    ...{ id: row.id, partnerId: row.partner_id, isBot: row.is_bot === 1, channelId: row.channel_id },
    ...{ guildId: row.guild_id, startedAt: row.started_at, lastAt: row.last_at },
  };
}

function toLine({ message_id, author_id, from_bot, reply_to, sent_at }: LineRow): EpisodeLine {
  return {
    ...{ messageId: message_id, authorId: author_id, isBot: from_bot === 1, replyTo: reply_to, sentAt: sent_at },
  };
}
