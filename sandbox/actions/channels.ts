import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import { toApiChannel, toGatewayChannel } from "../render/channels.ts";
import type { ChannelRecord, OverwriteRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { permissionsIn, permissionsInGuild, requireGuild, requirePermission, requirePlace } from "./access.ts";
import { announceIn } from "./announce.ts";
import { invalidForm, notInDm, unknownOverwrite, unknownUser, wrongChannelType } from "./errors.ts";
import { newChannel } from "./records.ts";

export interface ChannelTraits {
  readonly name: string;
  readonly topic: string | null;
  readonly nsfw: boolean;
  readonly position: number;
  readonly parentId: string | null;
  readonly slowmodeSeconds: number;
  readonly overwrites: readonly OverwriteRecord[];
  readonly tags: readonly { readonly name: string; readonly moderated?: boolean; readonly id?: string }[];
  readonly flags: number;
}

export type ChannelRequest = Partial<ChannelTraits> & {
  readonly guildId: string;
  readonly name: string;
  readonly type: ChannelType;
};

export function createChannel(world: World, actor: string, request: ChannelRequest): ChannelRecord {
  const guild = requireGuild(world, actor, request.guildId);
  requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.ManageChannels);
  checkName(request.name);
  const channel = newChannel({
    id: world.mintId(),
    guildId: guild.id,
    type: request.type,
    name: request.name,
    position: request.position ?? guild.channels.size,
  });
  applyTraits(world, channel, request);
  world.addChannel(channel);
  announceChannel(world, "CHANNEL_CREATE", channel);
  return channel;
}

export function updateChannel(
  world: World,
  actor: string,
  { channelId, ...traits }: Partial<ChannelTraits> & { readonly channelId: string },
): ChannelRecord {
  const place = requirePlace(world, actor, channelId);
  if (!place.guild) throw notInDm();
  if (place.channel.thread) throw wrongChannelType();
  const permissions = permissionsIn(world, place, actor);
  requirePermission(permissions, PermissionFlagsBits.ManageChannels);
  if (traits.overwrites) requirePermission(permissions, PermissionFlagsBits.ManageRoles);
  if (traits.name !== undefined) checkName(traits.name);
  applyTraits(world, place.channel, traits);
  announceChannel(world, "CHANNEL_UPDATE", place.channel);
  return place.channel;
}

/** Also deletes the threads of the channel, without an event for each, as on Discord. */
export function deleteChannel(world: World, actor: string, { channelId }: { channelId: string }): ChannelRecord {
  const place = requirePlace(world, actor, channelId);
  const { channel, guild } = place;
  // "Deleting" a DM only closes it for the caller.
  if (!guild) return channel;
  const { ManageThreads, ManageChannels } = PermissionFlagsBits;
  requirePermission(permissionsIn(world, place, actor), channel.thread ? ManageThreads : ManageChannels);
  if (channel.thread) {
    world.removeChannel(channel);
    const { id, guildId: guild_id, parentId: parent_id, type } = channel;
    announceIn(world, channel, "THREAD_DELETE", { id, guild_id, parent_id, type });
    return channel;
  }
  for (const other of guild.channels.values()) {
    if (other.parentId !== channel.id) continue;
    if (other.thread) world.removeChannel(other);
    else {
      other.parentId = null;
      announceChannel(world, "CHANNEL_UPDATE", other);
    }
  }
  if (guild.systemChannelId === channel.id) guild.systemChannelId = null;
  world.removeChannel(channel);
  announceChannel(world, "CHANNEL_DELETE", channel);
  return channel;
}

export function setOverwrite(
  world: World,
  actor: string,
  { channelId, ...overwrite }: OverwriteRecord & { readonly channelId: string },
): void {
  const channel = requireOverwriting(world, actor, channelId);
  channel.overwrites.set(overwrite.id, overwrite);
  announceChannel(world, "CHANNEL_UPDATE", channel);
}

export function removeOverwrite(
  world: World,
  actor: string,
  { channelId, id }: { readonly channelId: string; readonly id: string },
): void {
  const channel = requireOverwriting(world, actor, channelId);
  if (!channel.overwrites.delete(id)) throw unknownOverwrite();
  announceChannel(world, "CHANNEL_UPDATE", channel);
}

/** The one DM between two users, created on first use. */
export function openDm(world: World, actor: string, { recipientId }: { readonly recipientId: string }): ChannelRecord {
  if (!world.users.has(recipientId)) throw unknownUser();
  if (recipientId === actor) {
    throw invalidForm([
      { path: ["recipient_id"], code: "INVALID_RECIPIENT", message: "Cannot send messages to yourself" },
    ]);
  }
  for (const channel of world.channels.values()) {
    if (channel.type !== ChannelType.DM) continue;
    if (channel.recipients.includes(actor) && channel.recipients.includes(recipientId)) return channel;
  }
  const recipients = [recipientId, actor];
  const dm = newChannel({ id: world.mintId(), guildId: null, type: ChannelType.DM, name: "", recipients });
  world.addChannel(dm);
  // Bots are not told, as on Discord; a person's client shows it at once.
  if (!world.users.get(actor)?.bot)
    world.emit({
      type: "CHANNEL_CREATE",
      guildId: null,
      channel: dm,
      onlyFor: [actor],
      data: toApiChannel(world, dm, actor),
    });
  return dm;
}

function requireOverwriting(world: World, actor: string, channelId: string): ChannelRecord {
  const place = requirePlace(world, actor, channelId);
  if (!place.guild) throw notInDm();
  if (place.channel.thread) throw wrongChannelType();
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageRoles);
  return place.channel;
}

function applyTraits(world: World, channel: ChannelRecord, traits: Partial<ChannelTraits>): void {
  if (traits.name !== undefined) channel.name = traits.name;
  if (traits.topic !== undefined) channel.topic = traits.topic;
  if (traits.nsfw !== undefined) channel.nsfw = traits.nsfw;
  if (traits.position !== undefined) channel.position = traits.position;
  if (traits.parentId !== undefined) channel.parentId = traits.parentId;
  if (traits.slowmodeSeconds !== undefined) channel.slowmodeSeconds = traits.slowmodeSeconds;
  if (traits.flags !== undefined) channel.flags = traits.flags;
  if (traits.overwrites) {
    channel.overwrites.clear();
    for (const overwrite of traits.overwrites) channel.overwrites.set(overwrite.id, { ...overwrite });
  }
  if (traits.tags) {
    const tags = traits.tags.map(({ id, name, moderated }) => ({
      id: id ?? world.mintId(),
      name,
      moderated: moderated ?? false,
    }));
    channel.tags.splice(0, channel.tags.length, ...tags);
  }
}

function checkName(name: string): void {
  if (name.length >= 1 && name.length <= 100) return;
  const message = "Must be between 1 and 100 in length.";
  throw invalidForm([{ path: ["name"], code: "BASE_TYPE_BAD_LENGTH", message }]);
}

function announceChannel(
  world: World,
  type: "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "CHANNEL_DELETE",
  channel: ChannelRecord,
): void {
  announceIn(world, channel, type, (listenerId: string) => toGatewayChannel(world, channel, listenerId));
}
