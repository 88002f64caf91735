import type { ChannelId } from "../domain/ids.ts";

export interface TimelineOptions {
  /** Per channel or thread in memory. */
  readonly messagesPerChannel: number;
  /** For all timelines in memory together. Divided among channels in equal quotas. */
  readonly totalBytes: number;
  /** How long a message may be held in memory after it was heard or fetched. */
  readonly maxAgeMs: number;
  /** The background reads history ahead, as far as the quotas allow. After a gap it reads the messages on disk again in any case. */
  readonly readsAhead: boolean;
  /** How long the background waits between two pages. */
  readonly backgroundIntervalMs: number;
  /** Channels that are never used for answers need not be read ahead. */
  readonly isExcluded: (channelId: ChannelId) => boolean;
  /** Channels whose messages are also kept on disk, for as many days as they are old. Threads count only when named themselves. */
  readonly disk?: {
    readonly folder: string;
    readonly channels: readonly ChannelId[];
    readonly retentionDays: number;
  };
}

export const DAY_MS = 86_400_000;

export const DEFAULTS: TimelineOptions = {
  messagesPerChannel: 20_000,
  totalBytes: 384 * 1024 * 1024,
  maxAgeMs: 30 * DAY_MS,
  readsAhead: false,
  backgroundIntervalMs: 1_000,
  isExcluded: () => false,
};
