import type { ChannelId } from "../../src/domain/ids.ts";
import { roleId, userId } from "./audience-check.ts";
import { type Room, type Scene, spotsOf } from "./audience-scene.ts";

const GUILD = "1000";
const OBFUSCATED = 1 << 17;
const TYPES = { text: 0, voice: 2, announcement: 5, stage: 13, other: 99 } as const;
const PUBLIC_THREAD = 11;
const PRIVATE_THREAD = 12;

export const spotId = (index: number) => `${4000 + index}` as ChannelId;

/** The scene as the gateway would describe it. Members hold only roles that exist. */
export function describeScene(scene: Scene) {
  const isRole = (index: number) => index < scene.roles.length;
  const threads = spotsOf(scene).flatMap(({ room, thread }, index) =>
    thread
      ? [
          {
            id: spotId(index),
            guild_id: GUILD,
            type: thread.isPrivate ? PRIVATE_THREAD : PUBLIC_THREAD,
            name: `t${index}`,
            owner_id: userId(0),
            parent_id: spotId(scene.channels.indexOf(room)),
            message_count: 0,
            member_count: 0,
            thread_metadata: { archived: false, auto_archive_duration: 1440, locked: false, archive_timestamp: EPOCH },
          },
        ]
      : [],
  );
  return {
    id: GUILD,
    name: "g",
    owner_id: userId(scene.owner),
    member_count: scene.members.length,
    roles: scene.roles.map((permissions, index) => ({
      id: roleId(index),
      name: `r${index}`,
      permissions: permissions.toString(),
      position: index,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      managed: false,
      mentionable: false,
      flags: 0,
    })),
    members: scene.members.map(({ roles, bot }, index) => ({
      user: { id: userId(index), username: `u${index}`, global_name: null, discriminator: "0", avatar: null, bot },
      roles: roles.filter(isRole).map(roleId),
      nick: null,
      joined_at: EPOCH,
      flags: 0,
      deaf: false,
      mute: false,
    })),
    channels: scene.channels.map((room, index) => describeRoom(room, index)),
    threads,
    emojis: [],
    stickers: [],
    features: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    premium_tier: 0,
    nsfw_level: 0,
    system_channel_flags: 0,
  };
}

const EPOCH = "2026-01-01T00:00:00.000Z";

function describeRoom({ kind, ageRestricted, hidden, overwrites }: Room, index: number) {
  return {
    id: spotId(index),
    guild_id: GUILD,
    type: TYPES[kind],
    name: `c${index}`,
    position: index,
    parent_id: null,
    flags: hidden ? OBFUSCATED : 0,
    nsfw: ageRestricted,
    ...(kind === "voice" || kind === "stage" ? { bitrate: 64_000, user_limit: 0 } : {}),
    permission_overwrites: overwrites.map(({ who, allow, deny }) => ({
      id: who.startsWith("r") ? roleId(Number(who.slice(1))) : userId(Number(who.slice(1))),
      type: who.startsWith("r") ? 0 : 1,
      allow: allow.toString(),
      deny: deny.toString(),
    })),
  };
}
