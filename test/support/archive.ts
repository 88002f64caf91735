import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import type { OpenPace } from "../../src/domain/steps/pace.ts";
import type { Directory } from "../../src/ports/directory.ts";
import type { Discord, DiscordEvent, HistoryPage } from "../../src/ports/discord.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { Log } from "../../src/ports/log.ts";
import type { OpenMessageIndex } from "../../src/ports/message-index.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import {
  openTimelinesAndSearch,
  type TimelinesAndSearch,
  type TimelinesAndSearchOptions,
} from "./timelines-and-search.ts";

export const GUILD = "999" as GuildId;

export interface Archive {
  readonly timelines: TimelinesAndSearch;
  /** Something happens. */
  tell(event: DiscordEvent): void;
  /** How many pages of history were asked for. */
  requests(): number;
  /** With `readsAhead`: resolves when everything there is room for has been read. */
  readAhead(): Promise<void>;
}

interface ArchiveOptions extends TimelinesAndSearchOptions, Partial<Pick<Discord, "search">> {
  readonly embedder?: Embedder | null;
  readonly log?: Log;
  readonly openPace?: OpenPace;
  readonly openIndex?: OpenMessageIndex;
  /** Called when a page of history is asked for. What it throws is the answer. */
  onHistory?(): void;
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Real timelines on a Discord without a network, in which everything has been said already. Each channel's messages are given oldest first. */
export function openArchive(
  channels: ReadonlyMap<ChannelId, readonly Message[]>,
  {
    search,
    embedder = null,
    log = QUIET,
    openPace,
    openIndex = openMessageIndex,
    onHistory,
    ...options
  }: ArchiveOptions = {},
): Archive {
  let requests = 0;
  const listeners: ((event: DiscordEvent) => void)[] = [];
  const directory = {
    channel: () => ({ guildId: GUILD, kind: "text", parentId: null }),
    channels: () => [...channels.keys()].map((id) => ({ id, kind: "text" })),
    guild: () => ({ available: true }),
    guilds: () => [{ id: GUILD, available: true }],
    canRead: () => true,
  } as unknown as Directory;
  const discord = {
    ...(search && { search }),
    botId: "1" as UserId,
    directory,
    listen(listener: (event: DiscordEvent) => void) {
      listeners.push(listener);
      return () => {};
    },
    lastHeardAt: () => Date.now(),
    async history(channelId: ChannelId, { before, limit }: HistoryPage) {
      requests += 1;
      onHistory?.();
      const all = channels.get(channelId) ?? [];
      const end = before === undefined ? all.length : countBelow(all, BigInt(before));
      const messages = all.slice(Math.max(0, end - limit), end).reverse();
      return { messages, isFull: messages.length >= limit };
    },
  };
  const timelines = openTimelinesAndSearch(options, {
    discord,
    openIndex,
    clock: { now: () => Date.now() },
    log,
    embedder,
    ...(openPace && { openPace }),
  });
  const readAhead = async () => {
    while (timelines.stats().guildsRead === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    timelines,
    tell(event) {
      for (const listener of listeners) listener(event);
    },
    requests: () => requests,
    readAhead,
  };
}

function countBelow(messages: readonly Message[], id: bigint): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (BigInt(messages[middle]?.message_id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
