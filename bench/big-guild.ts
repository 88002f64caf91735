import { GuildDirectory } from "../src/discord/directory.ts";
import type { UserId } from "../src/domain/ids.ts";

export const BOT = "999" as UserId;

/** What a role grants, by turns: most nothing that decides who reads, a few the keys to the house. */
const GRANTS = ["0", "2048", "0", "68608", "0", "8192", "0", "17179869184"];

/**
 * A guild as the gateway describes it, in the given size: a few roles that many hold and many that few do, so that there are more than half as many
 * sets of roles as people.
 */
export function describeGuild(
  id: number,
  { members, channels, roles }: { members: number; channels: number; roles: number },
) {
  const guildId = String(1_000_000_000_000 + id);
  const roleId = (index: number) => String(2_000_000_000_000 + id * 1_000 + index);
  const userId = (index: number) => String(300_000_000_000_000_000n + BigInt(index) * 7_919_000_003n);
  const channelId = (index: number) => String(400_000_000_000_000_000n + BigInt(id) * 1_000_000n + BigInt(index));
  const view = "68608";
  const rolesOf = holdersByRank(roles);
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
        permissions: index === 0 ? "8" : (GRANTS[index % GRANTS.length] ?? "0"),
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
              ...(index % 7 === 0 ? [{ id: roleId(2), type: 0, allow: "0", deny: "66560" }] : []),
              ...(index % 10 === 0 ? [{ id: userId(index), type: 1, allow: "1024", deny: "0" }] : []),
            ],
    })),
    threads: [],
    members: [
      {
        user: { id: BOT, username: "earshot", global_name: null, discriminator: "0", avatar: null, bot: true },
        roles: [roleId(0)],
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
        roles: rolesOf(index).map(roleId),
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

/** Zipf: one to six roles, that of rank r about 1/r as often as the first. The same person always holds the same. */
function holdersByRank(roles: number): (person: number) => number[] {
  return (person) => {
    let state = person + 1;
    const chance = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (Math.imul(state ^ (state >>> 16), 0x45d9_f3b5) >>> 0) / 0x1_0000_0000;
    };
    const count = 1 + Math.floor(chance() * 6);
    const held = Array.from({ length: count }, () => Math.floor((roles + 1) ** chance()) - 1);
    return [...new Set(held)].filter((index) => index < roles);
  };
}

export type GuildDescription = ReturnType<typeof describeGuild>;

export function openDirectory(): GuildDirectory {
  const nothing = async () => null;
  return new GuildDirectory({
    botId: BOT,
    hearsMembers: true,
    clock: { now: () => 0 },
    ask: { channel: nothing, member: nothing, threadMembers: nothing, searchMembers: nothing },
  });
}
