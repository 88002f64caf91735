import type { ChannelId } from "../domain/ids.ts";

export interface TimelineOptions {
  /** Per channel or thread in memory. */
  readonly messagesPerChannel: number;
  /** For all timelines in memory together. Divided among channels in equal quotas. */
  readonly totalBytes: number;
  /** Maximum time in memory after a message was received or fetched. */
  readonly maxAgeMs: number;
  /** Whether the background reader reads history ahead, as far as the quotas allow. After a gap it reads the messages on disk again in
   * any case. */
  readonly readsAhead: boolean;
  /** The background reader's pause between two pages. */
  readonly backgroundIntervalMs: number;
  /** Channels that are never used for answers, and not read ahead. */
  readonly isExcluded: (channelId: ChannelId) => boolean;
  /** Channels whose messages are also kept on disk, up to their age in days. Threads must be listed themselves. */
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
