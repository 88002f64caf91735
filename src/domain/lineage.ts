import type { Channel } from "./guild.ts";
import type { ChannelId } from "./ids.ts";

const MAX_DEPTH = 3;

/** A channel id with its ancestors: the thread's channel and the category. A list that names any of them includes the channel. */
export function lineageOf(channel: Channel, find: (id: ChannelId) => Channel | undefined): ChannelId[] {
  const lineage = [channel.id];
  for (let parent = channel.parentId; parent !== null && lineage.length < MAX_DEPTH; ) {
    lineage.push(parent);
    parent = find(parent)?.parentId ?? null;
  }
  return lineage;
}
