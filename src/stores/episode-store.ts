import { type ChannelId, compareIds, type MessageId } from "../domain/ids.ts";
import type { Episode, EpisodeLine, EpisodeStore, PlacedLine } from "../ports/episode-store.ts";
import { type Database, SYNCED, type Transaction, type Values } from "./database.ts";
import { fromRows, toRows } from "./to-rows.ts";

const LINE = "message_id, author_id, episode_messages.is_bot, reply_to, sent_at";

/** A talk joined with one of its lines; null without any. */
type TalkRow = Omit<Episode, "isBot"> &
  Omit<EpisodeLine, "messageId"> & { readonly isPartnerBot: boolean; readonly messageId: MessageId | null };

/** @see EpisodeStore */
export function createEpisodeStore(database: Database): EpisodeStore {
  return {
    async latest(partner, channel) {
      const rows = await database.query<object>(
        `SELECT *, (SELECT count(*) FROM episode_messages WHERE episode_id = episodes.id) AS lines FROM episodes
          WHERE partner_id = :partner AND channel_id = :channel ORDER BY last_at DESC, started_at DESC LIMIT 1`,
        { partner, channel },
      );
      const [row] = fromRows<Episode & { readonly lines: number }>(rows);
      if (!row) return null;
      const { lines, ...episode } = row;
      return { episode, lines };
    },
    add: ({ id, partnerId, isBot, channelId, guildId, startedAt, lastAt }, lines) =>
      database.transaction(async (change) => {
        const episode = { id, partnerId, isBot, channelId, guildId, startedAt, lastAt };
        await change.insert("episodes", toRows([episode]), "(id) DO UPDATE SET last_at = excluded.last_at");
        const placed = lines.map(({ messageId, authorId, replyTo, isBot: isFromBot, sentAt }) => {
          return { episodeId: id, messageId, authorId, replyTo, isBot: isFromBot, sentAt };
        });
        await change.insert("episode_messages", toRows(placed), "DO NOTHING");
      }),
    async line(id) {
      const sql = `SELECT ${LINE} FROM episode_messages WHERE message_id = :id LIMIT 1`;
      return fromRows<EpisodeLine>(await database.query<object>(sql, { id }))[0] ?? null;
    },
    async channelsWith(partners) {
      const sql = "SELECT DISTINCT channel_id FROM episodes WHERE partner_id = ANY(:partners)";
      const rows = await database.query<{ readonly channel_id: ChannelId }>(sql, { partners });
      return rows.map(({ channel_id }) => channel_id).sort(compareIds);
    },
    async lines({ partnerIds: partners, channelIds: channels }, limit) {
      const rows = await database.query<object>(
        `SELECT ${LINE}, partner_id, channel_id FROM episode_messages JOIN episodes ON episodes.id = episode_id
          WHERE partner_id = ANY(:partners) AND channel_id = ANY(:channels)
          ORDER BY sent_at DESC, message_id DESC LIMIT :limit`,
        { partners, channels, limit },
      );
      return fromRows<PlacedLine>(rows);
    },
    async talksOf(person) {
      const rows = await database.query<object>(
        `SELECT id, partner_id, channel_id, guild_id, episodes.is_bot AS is_partner_bot, started_at, last_at, ${LINE}
          FROM episodes LEFT JOIN episode_messages ON episode_id = episodes.id
          WHERE partner_id = :person ORDER BY last_at DESC, id, sent_at, message_id`,
        { person },
      );
      return [...Map.groupBy(fromRows<TalkRow>(rows), ({ id }) => id).values()].map(toTalk);
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

function toTalk(rows: readonly TalkRow[]) {
  const [first] = rows as readonly [TalkRow];
  const { id, partnerId, isPartnerBot: isBot, channelId, guildId, startedAt, lastAt } = first;
  const lines = rows.flatMap(({ messageId, authorId, isBot: isFromBot, replyTo, sentAt }) =>
    messageId === null ? [] : [{ messageId, authorId, isBot: isFromBot, replyTo, sentAt }],
  );
  return { id, partnerId, isBot, channelId, guildId, startedAt, lastAt, lines };
}
