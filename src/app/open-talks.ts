import { type BotAskers, openBotAskers } from "../agent/bot-askers.ts";
import type { Config } from "../config/config.ts";
import { Episodes } from "../memory/episodes.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { Timelines } from "../ports/timelines.ts";
import { createBotTurnStore } from "../stores/bot-turn-store.ts";
import type { Database } from "../stores/database.ts";
import { createEpisodeStore } from "../stores/episode-store.ts";

export interface TalksDeps {
  readonly database: Database;
  readonly discord: Discord;
  readonly timelines: Pick<Timelines, "message">;
  readonly consent: Consent;
  readonly clock: Clock;
  readonly log: Log;
  mintId(): string;
}

export interface Talks {
  /** Null where talks are not kept. */
  readonly episodes: Episodes | null;
  readonly botAskers: BotAskers;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** What is kept of the agent's talks: with whom there were any, and how often bots were answered. */
export async function openTalks(
  { episodes: { enabled, retentionDays }, agent: { answersBots } }: Pick<Config, "episodes" | "agent">,
  { database, timelines, ...deps }: TalksDeps,
): Promise<Talks> {
  const { discord } = deps;
  const { botId, directory } = discord;
  const botAskers = await openBotAskers({
    ...deps,
    store: createBotTurnStore(database),
    botId,
    answersBots,
    directory,
  });
  const stopCounting = discord.listen(botAskers.listeners);
  const episodes = enabled
    ? new Episodes({
        ...deps,
        store: createEpisodeStore(database),
        botId,
        retentionMs: retentionDays * DAY_MS,
        find: ({ channelId, messageId }) => timelines.message(channelId, messageId),
      })
    : null;
  const stop = episodes?.start((listener) => discord.listen(listener));
  return {
    episodes,
    botAskers,
    async close() {
      stopCounting();
      await stop?.();
      await botAskers.settled();
    },
  };
}
