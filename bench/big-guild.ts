import { GuildDirectory } from "../src/discord/directory.ts";
import type { UserId } from "../src/domain/ids.ts";

export const BOT = "999" as UserId;

/** A guild as the gateway describes it: ordinary roles and overwrites, in the given size. */
export function describeGuild(
  id: number,
  { members, channels, roles }: { members: number; channels: number; roles: number },
) {
  const guildId = String(1_000_000_000_000 + id);
  const roleId = (index: number) => String(2_000_000_000_000 + id * 1_000 + index);
  const userId = (index: number) => String(300_000_000_000_000_000n + BigInt(index) * 7_919_000_003n);
  const channelId = (index: number) => String(400_000_000_000_000_000n + BigInt(id) * 1_000_000n + BigInt(index));
  const view = "68608";
  return {
    id: guildId,
    name: `Guild ${id}`,
    owner_id: userId(0),
    member_count: members + 1,
    roles: [
      {
        id: guildId,
        name: "@everyone",
        permissions: view,
        position: 0,
        color: 0,
        hoist: false,
        managed: false,
        mentionable: false,
        flags: 0,
      },
      ...Array.from({ length: roles }, (_, index) => ({
        id: roleId(index),
        name: `role ${index}`,
        permissions: "0",
        position: index + 1,
        color: 0,
        hoist: false,
        managed: false,
        mentionable: false,
        flags: 0,
      })),
    ],
    channels: Array.from({ length: channels }, (_, index) => ({
      id: channelId(index),
      guild_id: guildId,
      type: 0,
      name: `channel-${index}`,
      topic: null,
      position: index,
      parent_id: null,
      flags: 0,
      permission_overwrites:
        index % 3 === 0
          ? []
          : [
              { id: guildId, type: 0, allow: "0", deny: "1024" },
              { id: roleId(index % roles), type: 0, allow: "1024", deny: "0" },
              { id: roleId((index + 1) % roles), type: 0, allow: "1024", deny: "0" },
            ],
    })),
    threads: [],
    members: [
      {
        user: { id: BOT, username: "earshot", global_name: null, discriminator: "0", avatar: null },
        roles: [],
        nick: null,
        joined_at: "2026-01-01T00:00:00.000Z",
        flags: 0,
      },
      ...Array.from({ length: members }, (_, index) => ({
        user: {
          id: userId(index),
          username: `person.${index}`,
          global_name: `Person Number ${index}`,
          discriminator: "0",
          avatar: null,
        },
        roles: [roleId(index % roles), roleId((index * 7 + 1) % roles), roleId((index * 13 + 2) % roles)].filter(
          (role, at, all) => all.indexOf(role) === at,
        ),
        nick: index % 4 === 0 ? `Nick ${index}` : null,
        joined_at: "2026-01-01T00:00:00.000Z",
        flags: 0,
      })),
    ],
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

export type GuildDescription = ReturnType<typeof describeGuild>;

export function openDirectory(): GuildDirectory {
  const nothing = async () => null;
  return new GuildDirectory({
    botId: BOT,
    hearsMembers: true,
    clock: { now: () => 0 },
    ask: { channel: nothing, member: nothing, threadMembers: nothing },
  });
}
