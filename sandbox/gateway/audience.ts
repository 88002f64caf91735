import { GatewayIntentBits } from "discord-api-types/v10";
import { canView } from "../world/permissions.ts";
import type { World, WorldEvent } from "../world/world.ts";
import { hasIntent, isIntended } from "./intents.ts";
import type { Session } from "./session.ts";

/** Whether a session receives an event, by its shard, its intents, and what its bot may view. */
export function hears(session: Session, event: WorldEvent, world: World): boolean {
  const { type, guildId, channel, onlyFor } = event;
  const isAddressed = onlyFor?.includes(session.botId) ?? false;
  if (onlyFor && !isAddressed) return false;
  if (!session.covers(guildId)) return false;
  if (!isIntended(session.intents, type, guildId) && !concernsItself(session, event)) return false;
  if (isAddressed) return true;
  if (guildId === null) return channel?.recipients.includes(session.botId) ?? false;
  const guild = world.guilds.get(guildId);
  if (!guild?.members.has(session.botId) || !session.shown.has(guildId)) return false;
  if (!channel || SHOWN_HIDDEN.has(type)) return true;
  return canView(guild, channel, session.botId) || wasRemoved(session, event);
}

/** Events about a hidden channel itself are sent in obfuscated form. */
const SHOWN_HIDDEN = new Set(["CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"]);

/** A bot receives changes to its own membership without the intent for those of others. */
function concernsItself(session: Session, event: WorldEvent): boolean {
  return event.type === "GUILD_MEMBER_UPDATE" && userIdOf(event.data) === session.botId;
}

/** The removal from a private thread is still sent to the member who was removed. */
function wasRemoved(session: Session, event: WorldEvent): boolean {
  return event.type === "THREAD_MEMBERS_UPDATE" && threadMembers(event.data).removed.includes(session.botId);
}

/** The thread joins and leaves that the session receives: without GUILD_MEMBERS only its bot's own. Null: none. */
export function toHeardThreadMembers(session: Session, data: unknown): unknown {
  if (hasIntent(session.intents, GatewayIntentBits.GuildMembers)) return data;
  const { added, removed, rest } = threadMembers(data);
  const ownAdded = added.filter((member) => member.user_id === session.botId);
  const ownRemoved = removed.filter((id) => id === session.botId);
  if (ownAdded.length + ownRemoved.length === 0) return null;
  return {
    ...rest,
    ...(ownAdded.length > 0 && { added_members: ownAdded }),
    ...(ownRemoved.length > 0 && { removed_member_ids: ownRemoved }),
  };
}

export function userIdOf(data: unknown): string | undefined {
  return (data as { readonly user?: { readonly id?: string } }).user?.id;
}

interface ThreadMembersData {
  readonly added_members?: readonly { readonly user_id?: string }[];
  readonly removed_member_ids?: readonly string[];
}

function threadMembers(data: unknown) {
  const { added_members: added = [], removed_member_ids: removed = [], ...rest } = data as ThreadMembersData;
  return { added, removed, rest };
}
