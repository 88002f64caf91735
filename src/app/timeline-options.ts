import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { ChannelId } from "../domain/ids.ts";
import { isListed, locateChannel } from "../policy/apply-rules.ts";
import type { Rules } from "../policy/rules.ts";
import type { Directory } from "../ports/directory.ts";
import type { TimelineOptions } from "../timeline/options.ts";

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/** The bounds of the message cache: channels, bytes and days. */
export function timelineOptions(
  { timeline, dataDir }: Config,
  rules: Pick<Rules, "optOut">,
  directory: Directory,
): Partial<TimelineOptions> {
  const { messagesPerChannel, megabytes, maxAgeDays, diskChannels, retentionDays, pagesPerSecond } = timeline;
  const disk = { folder: join(dataDir, "timeline"), channels: diskChannels, retentionDays };
  const bounds = { messagesPerChannel, totalBytes: megabytes * MIB, maxAgeMs: maxAgeDays * DAY_MS };
  const isExcluded = (id: ChannelId) => {
    const place = locateChannel(directory, id);
    return !place || isListed(rules.optOut.channels, place.lineage);
  };
  const reading = pagesPerSecond > 0 ? { readsAhead: true, backgroundIntervalMs: 1_000 / pagesPerSecond } : {};
  const options = { ...bounds, ...reading, isExcluded };
  return diskChannels.length > 0 ? { ...options, disk } : options;
}
