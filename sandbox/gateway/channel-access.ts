import { ChannelType } from "discord-api-types/v10";
import { toApiChannel, toApiThreadMember, toGatewayChannel } from "../render/channels.ts";
import { canView } from "../world/permissions.ts";
import type { ChannelRecord, GuildRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { Session } from "./session.ts";

/** Events that may change which channels a bot can view. */
export const MOVES_ACCESS = new Set(["GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE", "GUILD_UPDATE"]);

export function viewableChannels(guild: GuildRecord, botId: string): Set<string> {
  const viewable = new Set<string>();
  for (const channel of guild.channels.values()) {
    if (!channel.thread && canView(guild, channel, botId)) viewable.add(channel.id);
  }
  return viewable;
}

/**
 * Sends a session the channels that its bot lost (obfuscated) or gained (in full, with their threads) through a change of permissions.
 * Sends nothing about the threads of a lost channel, as on Discord.
 */
export function tellAccess(session: Session, guild: GuildRecord, world: World): void {
  const shown = session.shown.get(guild.id);
  if (!shown) return;
  const gained: ChannelRecord[] = [];
  const viewable = viewableChannels(guild, session.botId);
  for (const channel of guild.channels.values()) {
    if (channel.thread || viewable.has(channel.id) === shown.has(channel.id)) continue;
    if (viewable.has(channel.id)) gained.push(channel);
    session.dispatch("CHANNEL_UPDATE", JSON.stringify(toGatewayChannel(world, channel, session.botId)));
  }
  session.shown.set(guild.id, viewable);
  if (gained.length > 0) tellThreads(session, gained, { guild, world });
}

/** THREAD_LIST_SYNC: the active threads of channels that became viewable. */
export function tellThreads(
  session: Session,
  channels: readonly ChannelRecord[],
  { guild, world }: { readonly guild: GuildRecord; readonly world: World },
): void {
  const parents = new Set(channels.map((channel) => channel.id));
  const threads = [...guild.channels.values()].filter(
    (thread) => thread.thread?.archived === false && parents.has(thread.parentId ?? "") && isIn(session, guild, thread),
  );
  const joined = threads.filter((thread) => thread.thread?.members.has(session.botId));
  const data = {
    guild_id: guild.id,
    channel_ids: [...parents],
    threads: threads.map((thread) => toApiChannel(world, thread, session.botId)),
    members: joined.map((thread) => toApiThreadMember(world, thread, { userId: session.botId })),
  };
  session.dispatch("THREAD_LIST_SYNC", JSON.stringify(data));
}

/** Private threads are synced to their members only. */
function isIn(session: Session, guild: GuildRecord, thread: ChannelRecord): boolean {
  if (!canView(guild, thread, session.botId)) return false;
  return thread.type !== ChannelType.PrivateThread || Boolean(thread.thread?.members.has(session.botId));
}
