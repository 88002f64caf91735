import { ApplicationCommandOptionType as OptionType } from "discord-api-types/v10";
import { toApiAttachment } from "../../render/attachments.ts";
import { toApiChannel } from "../../render/channels.ts";
import { toApiRole, toPartialMember } from "../../render/members.ts";
import { toApiMessage } from "../../render/messages.ts";
import { toApiUserById } from "../../render/users.ts";
import { channelPermissions } from "../../world/permissions.ts";
import type { AttachmentRecord, MessageRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import type { Place } from "../access.ts";

export interface ResolveRequest {
  readonly place: Place;
  readonly viewer: { readonly userId: string; readonly botId: string };
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  readonly channels?: readonly string[];
  readonly messages?: readonly MessageRecord[];
  readonly files?: readonly AttachmentRecord[];
}

/** The objects behind the ids in an interaction. Complete: neither obfuscation nor content stripping applies here. */
export function resolve(world: World, request: ResolveRequest): object {
  const { place, viewer } = request;
  const { guild } = place;
  const users = request.users ?? [];
  const members = users.flatMap((id) => {
    const member = guild?.members.get(id);
    if (!guild || !member) return [];
    return [[id, { ...toPartialMember(member), permissions: channelPermissions(guild, place.channel, id).toString() }]];
  });
  const roles = (request.roles ?? []).flatMap((id) => {
    const role = guild?.roles.get(id);
    return role ? [[id, toApiRole(role)]] : [];
  });
  const channels = (request.channels ?? []).flatMap((id) => {
    const channel = guild?.channels.get(id);
    if (!guild || !channel) return [];
    const permissions = channelPermissions(guild, channel, viewer.userId).toString();
    const app_permissions = channelPermissions(guild, channel, viewer.botId).toString();
    return [[id, { ...toApiChannel(world, channel, viewer.botId), permissions, app_permissions }]];
  });
  const messages = (request.messages ?? []).map((one) => [
    one.id,
    toApiMessage(world, one, { viewerId: viewer.botId }),
  ]);
  const attachments = (request.files ?? []).map((file) => [
    file.id,
    { ...toApiAttachment(world, place.channel.id, file), ephemeral: true },
  ]);
  return {
    ...(attachments.length > 0 && { attachments: Object.fromEntries(attachments) }),
    ...(users.length > 0 && { users: Object.fromEntries(users.map((id) => [id, toApiUserById(world, id)])) }),
    ...(members.length > 0 && { members: Object.fromEntries(members) }),
    ...(roles.length > 0 && { roles: Object.fromEntries(roles) }),
    ...(channels.length > 0 && { channels: Object.fromEntries(channels) }),
    ...(messages.length > 0 && { messages: Object.fromEntries(messages) }),
  };
}

/** Sorts the ids among option values by what they name. A mentionable may be a user or a role. */
export function sortIds(
  world: World,
  { guild }: Place,
  options: readonly { readonly type: OptionType; readonly value?: unknown }[],
): { users: string[]; roles: string[]; channels: string[] } {
  const sorted = { users: [] as string[], roles: [] as string[], channels: [] as string[] };
  for (const { type, value } of options) {
    if (typeof value !== "string") continue;
    if (type === OptionType.Channel) sorted.channels.push(value);
    else if (type === OptionType.Role) sorted.roles.push(value);
    else if (type === OptionType.User) sorted.users.push(value);
    else if (type === OptionType.Mentionable) (guild?.roles.has(value) ? sorted.roles : sorted.users).push(value);
  }
  sorted.users = sorted.users.filter((id) => world.users.has(id));
  return sorted;
}
