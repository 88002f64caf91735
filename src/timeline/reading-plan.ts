import { type Channel, type ChannelKind, hasArchive, isPostList } from "../domain/guild.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import { NEWEST } from "../domain/intervals.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Archives } from "./archives.ts";
import type { BackgroundReaderDeps } from "./background-reader.ts";
import { isAlone } from "./families.ts";
import type { TimelineOptions } from "./options.ts";
import type { Timeline } from "./timeline.ts";
import type { TimelineStore } from "./timeline-store.ts";

interface ReadingPlanDeps {
  readonly discord: Pick<Discord, "botId" | "directory">;
  readonly store: Pick<TimelineStore, "open" | "unconfirmed" | "erase">;
  readonly archives: Pick<Archives, "isOpen" | "list">;
  readonly clock: Clock;
}

export interface ReadingPlan
  extends Pick<
    BackgroundReaderDeps,
    "regions" | "archives" | "listArchive" | "timelines" | "nextBelow" | "orderOf" | "isFirst" | "prepare" | "dropRead"
  > {
  /** Whether it is read ahead, as far as there is room. Private threads and DMs are not, because their cache depends on reads by people. */
  isAhead(timeline: Timeline): boolean;
  /** Whether history is read ahead at all. */
  readonly readsAhead: boolean;
}

/**
 * Messages are read again before they reach their maximum age in the cache: once one has reached the first share of it, all beyond the
 * second share are read again. Evicted one by one, each would cost a page, and meanwhile nothing of the channel would be free to search.
 */
const DUE_PART = 0.9;
const OLD_PART = 0.5;

/** The kinds of channels with most messages come first; unlisted kinds come last. */
const KINDS: readonly ChannelKind[] = [
  "text",
  "announcement",
  "public_thread",
  "announcement_thread",
  "voice",
  "stage",
];
const ID_BITS = 64n;

/** By kind; then channels by age, the oldest first, and threads the newest first. */
function toOrder(kind: ChannelKind, id: bigint): bigint {
  const rank = KINDS.indexOf(kind);
  const place = kind.endsWith("_thread") ? (1n << ID_BITS) - 1n - id : id;
  return (BigInt(rank < 0 ? KINDS.length : rank) << ID_BITS) + place;
}

/**
 * The background reader's plan: first the unconfirmed messages on disk, then the archives' threads, and every channel and thread as far as the quotas allow.
 */
export function planReading(
  { readsAhead, isExcluded, maxAgeMs }: Pick<TimelineOptions, "readsAhead" | "isExcluded" | "maxAgeMs">,
  { discord, store, archives, clock }: ReadingPlanDeps,
): ReadingPlan {
  const { directory, botId } = discord;
  const isReadable = (id: ChannelId) => directory.canRead(botId, id);
  const isHistory = (channel: Channel) =>
    channel.kind !== "category" && !isPostList(channel) && !isAlone(channel.kind) && !isExcluded(channel.id);
  const isAhead = ({ gone, place }: Timeline) => {
    const channel = directory.channel(place.channelId);
    return readsAhead && !gone && channel !== undefined && isHistory(channel);
  };
  const nextBelow = (timeline: Timeline) => {
    const { doubtful, gone, isRemoved, place } = timeline;
    if (gone || isRemoved || !isReadable(place.channelId)) return null;
    const newest = doubtful.at(-1);
    if (newest) return newest.to + 1n;
    if (!isAhead(timeline)) return null;
    const now = clock.now();
    if (!timeline.isFull(now)) return timeline.bottom;
    const heldFor = (part: number) => timeline.ids.heldSinceBefore(now - part * maxAgeMs);
    const old = place.outlivesGaps || !heldFor(DUE_PART) ? undefined : heldFor(OLD_PART);
    return old ? old.to + 1n : null;
  };
  const channelsOf = (guildId: GuildId) =>
    directory.channels(guildId).filter((channel) => isHistory(channel) && isReadable(channel.id));
  return {
    isAhead,
    readsAhead,
    nextBelow,
    prepare: (timeline) => timeline.room.reopen(),
    regions() {
      const available = directory.guilds().filter((guild) => guild.available);
      return [null, ...available.map(({ id }) => id)];
    },
    archives(region) {
      if (region === null || !readsAhead) return [];
      const isToList = (channel: Channel) => hasArchive(channel) && !isExcluded(channel.id) && isReadable(channel.id);
      const parents = directory.channels(region).filter((channel) => isToList(channel) && archives.isOpen(channel.id));
      return parents.map(({ id }) => id);
    },
    async listArchive(channelId, signal) {
      if (isReadable(channelId)) await archives.list(channelId, directory.channel(channelId)?.guildId ?? null, signal);
      return archives.isOpen(channelId) && isReadable(channelId);
    },
    orderOf: ({ place }) => toOrder(directory.channel(place.channelId)?.kind ?? "other", BigInt(place.channelId)),
    isFirst: ({ place, bottom }) => bottom > NEWEST && directory.channel(place.channelId)?.thread?.archived !== true,
    timelines(region) {
      const ahead = region === null || !readsAhead ? [] : channelsOf(region).map(({ id }) => store.open(id));
      const unconfirmed = store.unconfirmed().filter(({ place }) => place.guildId === region);
      return [...new Set([...ahead, ...unconfirmed])].filter((timeline) => timeline !== null);
    },
    dropRead: (timeline, { below, from }) => store.erase(timeline, { from, to: below - 1n }),
  };
}
