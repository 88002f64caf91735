import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiMember } from "../render/members.ts";
import type { World } from "../world/world.ts";
import { permissionsIn, requirePermission, requirePlace } from "./access.ts";
import { announceIn } from "./announce.ts";
import { notATextChannel } from "./errors.ts";
import { SPOKEN_IN } from "./speech.ts";

export function startTyping(world: World, actor: string, { channelId }: { channelId: string }): void {
  const place = requirePlace(world, actor, channelId);
  const { channel, guild } = place;
  if (!SPOKEN_IN.has(channel.type)) throw notATextChannel();
  const { SendMessages, SendMessagesInThreads } = PermissionFlagsBits;
  if (guild)
    requirePermission(permissionsIn(world, place, actor), channel.thread ? SendMessagesInThreads : SendMessages);
  const member = guild?.members.get(actor);
  announceIn(world, channel, "TYPING_START", {
    channel_id: channel.id,
    ...(guild && { guild_id: guild.id }),
    user_id: actor,
    timestamp: Math.floor(world.clock.now() / 1000),
    ...(member && { member: toApiMember(world, member) }),
  });
}
