import type { Channel } from "./guild.ts";
import type { ChannelId } from "./ids.ts";

const MAX_DEPTH = 3;

/** A channel and all that it belongs to: itself, for a thread its channel, and the category. Lists that name any of these name it. */
export function lineageOf(channel: Channel, find: (id: ChannelId) => Channel | undefined): ChannelId[] {
  const lineage = [channel.id];
  for (let parent = channel.parentId; parent !== null && lineage.length < MAX_DEPTH; ) {
    lineage.push(parent);
    parent = find(parent)?.parentId ?? null;
  }
  return lineage;
}
