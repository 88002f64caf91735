import type { Channel } from "../domain/guild.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Directory } from "../ports/directory.ts";

/** A channel and all that it stands in: lists that name any of these name it. */
export interface Whereabouts {
  readonly channel: Channel;
  /** Itself, for a thread its channel, and the category. */
  readonly lineage: readonly ChannelId[];
}

/** Undefined for an unknown channel. */
export function whereabouts(directory: Pick<Directory, "channel">, id: ChannelId): Whereabouts | undefined {
  const channel = directory.channel(id);
  if (!channel) return undefined;
  const lineage = [channel.id];
  let parent = channel.parentId;
  while (parent !== null && lineage.length < 3) {
    lineage.push(parent);
    parent = directory.channel(parent)?.parentId ?? null;
  }
  return { channel, lineage };
}
