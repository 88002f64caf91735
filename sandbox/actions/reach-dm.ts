import type { ChannelRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { DiscordError } from "./errors.ts";

/** A bot may send DMs only to people with whom it shares a server, and never to another bot. */
export function requireReachable(world: World, actor: string, dm: ChannelRecord): void {
  const other = dm.recipients.find((id) => id !== actor);
  if (other === undefined || actor === other) throw new DiscordError(403, 50007, "Cannot send messages to this user");
  const bothBots = world.users.get(actor)?.bot && world.users.get(other)?.bot;
  if (bothBots) throw new DiscordError(403, 50007, "Cannot send messages to this user");
  for (const guild of world.guilds.values()) if (guild.members.has(actor) && guild.members.has(other)) return;
  throw new DiscordError(403, 50278, "Cannot send messages to this user due to having no mutual guilds");
}
