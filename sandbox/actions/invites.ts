import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiUserById } from "../render/users.ts";
import { hasPermission } from "../world/permissions.ts";
import type { InviteRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { allows, permissionsIn, permissionsInGuild, requirePermission, requirePlace } from "./access.ts";
import { DiscordError, notInDm } from "./errors.ts";

const CODE_LENGTH = 8;

export interface InviteTraits {
  /** 0: for ever. */
  readonly maxAgeSeconds: number;
  /** 0: any number. */
  readonly maxUses: number;
  readonly temporary: boolean;
}

/** An invite to a channel. One that the actor has made alike is used again, unless it is to be a new one. */
export function createInvite(
  world: World,
  actor: string,
  { channelId, isNew, ...traits }: InviteTraits & { readonly channelId: string; readonly isNew: boolean },
): InviteRecord {
  const place = requirePlace(world, actor, channelId);
  if (!place.guild) throw notInDm();
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.CreateInstantInvite);
  const alike = [...openInvites(world)].find(
    (one) =>
      one.channelId === channelId &&
      one.inviterId === actor &&
      one.maxAgeSeconds === traits.maxAgeSeconds &&
      one.maxUses === traits.maxUses &&
      one.temporary === traits.temporary,
  );
  if (alike && !isNew) return alike;
  const code = world
    .deriveSecret(`invite:${world.mintId()}`)
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(0, CODE_LENGTH);
  const createdAt = world.clock.now();
  const invite = { ...traits, code, guildId: place.guild.id, channelId, inviterId: actor, createdAt };
  world.invites.set(code, invite);
  announceInvite(world, "INVITE_CREATE", invite, {
    created_at: new Date(createdAt).toISOString(),
    inviter: toApiUserById(world, actor),
    max_age: invite.maxAgeSeconds,
    max_uses: invite.maxUses,
    temporary: invite.temporary,
    uses: 0,
    type: 0,
  });
  return invite;
}

export function* openInvites(world: World): Generator<InviteRecord> {
  for (const invite of world.invites.values()) if (!isExpired(world, invite)) yield invite;
}

export function findInvite(world: World, code: string): InviteRecord {
  const invite = world.invites.get(code);
  if (!invite || isExpired(world, invite)) throw new DiscordError(404, 10006, "Unknown Invite");
  return invite;
}

export function deleteInvite(world: World, actor: string, code: string): InviteRecord {
  const invite = findInvite(world, code);
  const place = requirePlace(world, actor, invite.channelId);
  const { ManageChannels, ManageGuild } = PermissionFlagsBits;
  const managesGuild = place.guild && allows(permissionsInGuild(world, place.guild, actor), ManageGuild);
  if (!managesGuild) requirePermission(permissionsIn(world, place, actor), ManageChannels);
  world.invites.delete(code);
  announceInvite(world, "INVITE_DELETE", invite, {});
  return invite;
}

function isExpired(world: World, { maxAgeSeconds, createdAt }: InviteRecord): boolean {
  return maxAgeSeconds > 0 && createdAt + maxAgeSeconds * 1_000 <= world.clock.now();
}

/** Only those who manage the channel hear of its invites. */
function announceInvite(world: World, type: string, invite: InviteRecord, more: object): void {
  const { code, guildId, channelId } = invite;
  const guild = world.guilds.get(guildId);
  const channel = world.channels.get(channelId);
  if (!guild || !channel) return;
  const data = { code, guild_id: guildId, channel_id: channelId, ...more };
  const hears = (id: string) => hasPermission(guild, channel, id, PermissionFlagsBits.ManageChannels);
  world.emit({ type, guildId, channel, data: (listenerId: string) => (hears(listenerId) ? data : null) });
}
