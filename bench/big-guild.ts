import { GuildDirectory } from "../src/discord/directory.ts";
import type { UserId } from "../src/domain/ids.ts";
import { rawChannel, rawGuild, rawMember, rawOverwrite, rawRole } from "../test/support/raw-guild.ts";

export const BOT = "999" as UserId;

/** What a role grants, by turns: most nothing that decides who reads, a few the keys to the house. */
const GRANTS = [0n, 2048n, 0n, 68608n, 0n, 8192n, 0n, 17179869184n];
const VIEW = 1024n;
const VIEW_AND_READ = 66560n;
const USUAL = 68608n;

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
  const rolesOf = holdersByRank(roles);
  const overwrites = (index: number) => [
    rawOverwrite("role", guildId, { deny: VIEW }),
    rawOverwrite("role", roleId(index % roles), { allow: VIEW }),
    rawOverwrite("role", roleId((index + 1) % roles), { allow: VIEW }),
    ...(index % 7 === 0 ? [rawOverwrite("role", roleId(2), { deny: VIEW_AND_READ })] : []),
    ...(index % 10 === 0 ? [rawOverwrite("member", userId(index), { allow: VIEW })] : []),
  ];
  return rawGuild({
    id: guildId,
    name: `Guild ${id}`,
    ownerId: userId(0),
    roles: [
      rawRole({ id: guildId, name: "@everyone", permissions: USUAL, position: 0 }),
      ...Array.from({ length: roles }, (_, index) => {
        const permissions = index === 0 ? 8n : (GRANTS[index % GRANTS.length] ?? 0n);
        return rawRole({ id: roleId(index), name: `role ${index}`, permissions, position: index + 1 });
      }),
    ],
    channels: Array.from({ length: channels }, (_, index) =>
      rawChannel({
        id: channelId(index),
        guildId,
        name: `channel-${index}`,
        position: index,
        overwrites: index % 3 === 0 ? [] : overwrites(index),
      }),
    ),
    members: [
      rawMember({ id: BOT, username: "earshot", bot: true }, { roles: [roleId(0)] }),
      ...Array.from({ length: members }, (_, index) =>
        rawMember(
          { id: userId(index), username: `person.${index}`, globalName: `Person Number ${index}` },
          { roles: rolesOf(index).map(roleId), nick: index % 4 === 0 ? `Nick ${index}` : null },
        ),
      ),
    ],
  });
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
