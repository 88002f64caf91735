import type { Channel } from "../domain/guild.ts";
import type { ChannelId } from "../domain/ids.ts";
import { lineageOf } from "../domain/lineage.ts";
import type { Directory } from "../ports/directory.ts";

/** A channel and all that it stands in: lists that name any of these name it. */
export interface ChannelLocation {
  readonly channel: Pick<Channel, "id" | "guildId">;
  readonly lineage: readonly ChannelId[];
}

/** Undefined for an unknown channel, and for a thread whose channel is unknown: which lists name it nobody can say. */
export function locateChannel(directory: Pick<Directory, "channel">, id: ChannelId): ChannelLocation | undefined {
  const channel = directory.channel(id);
  if (!channel) return undefined;
  if (channel.thread && !(channel.parentId && directory.channel(channel.parentId))) return undefined;
  return { channel, lineage: lineageOf(channel, (parent) => directory.channel(parent)) };
}
