import { Client, type Guild as DiscordJsGuild, PermissionFlagsBits } from "discord.js";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { MessageLog } from "../sandbox/world/message-log.ts";
import { canReadHistory, canView } from "../sandbox/world/permissions.ts";
import type { ChannelRecord, GuildRecord } from "../sandbox/world/records.ts";
import { GuildDirectory } from "../src/discord/directory.ts";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { obfuscated, rawChannel, rawGuild, rawMember, rawOverwrite, rawRole, rawThread } from "./support/raw-guild.ts";

/** Bits that decide who reads, and some that must not matter. */
const BITS = [
  PermissionFlagsBits.ViewChannel,
  PermissionFlagsBits.ReadMessageHistory,
  PermissionFlagsBits.Connect,
  PermissionFlagsBits.ManageThreads,
  PermissionFlagsBits.Administrator,
  PermissionFlagsBits.SendMessages,
  PermissionFlagsBits.ManageRoles,
];
const GUILD = "1000";
const BOT = "5000";
const PRIVATE_THREAD = 12;
const HOLDS_THREADS = new Set([0, 5, 15, 16]);

interface Scene {
  readonly roles: readonly bigint[];
  readonly owner: number;
  readonly members: readonly (readonly number[])[];
  readonly channels: readonly {
    readonly type: number;
    readonly obfuscated: boolean;
    readonly overwrites: readonly { target: "role" | "member"; index: number; allow: bigint; deny: bigint }[];
  }[];
  readonly threads: readonly { readonly parent: number; readonly type: number; readonly members: readonly number[] }[];
}

/** Reading needs two bits at once: most masks hold them, so that yes and no are about equally common. */
const mask = fc
  .tuple(fc.subarray(BITS), fc.boolean(), fc.integer({ min: 0, max: 9 }))
  .map(([bits, readable, admin]) => {
    const base = readable ? PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory : 0n;
    const all = bits.reduce((sum, bit) => sum | bit, base);
    return admin === 0 ? all : all & ~PermissionFlagsBits.Administrator;
  });
const overwrite = fc.record({
  target: fc.constantFrom("role", "member"),
  index: fc.nat(5),
  allow: mask,
  deny: mask,
}) as fc.Arbitrary<Scene["channels"][number]["overwrites"][number]>;
const scene: fc.Arbitrary<Scene> = fc
  .record({
    roles: fc.array(mask, { minLength: 1, maxLength: 6 }),
    owner: fc.nat(5),
    members: fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }), { minLength: 2, maxLength: 6 }),
    channels: fc.array(
      fc.record({
        type: fc.constantFrom(0, 0, 2, 4, 5, 13, 15, 16),
        obfuscated: fc.integer({ min: 0, max: 6 }).map((value) => value === 0),
        overwrites: fc.uniqueArray(overwrite, { maxLength: 5, selector: ({ target, index }) => `${target}${index}` }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    threads: fc.array(
      fc.record({
        parent: fc.nat(4),
        type: fc.constantFrom(10, 11, PRIVATE_THREAD, PRIVATE_THREAD),
        members: fc.uniqueArray(fc.nat(5)),
      }),
      { maxLength: 4 },
    ),
  })
  .map((one) => ({
    ...one,
    threads: one.threads.filter(({ parent }) =>
      HOLDS_THREADS.has(one.channels[parent % one.channels.length]?.type ?? -1),
    ),
  }));

const roleId = (index: number) => (index === 0 ? GUILD : `${2000 + index}`);
const userId = (index: number) => `${3000 + index}`;
const channelId = (index: number) => `${4000 + index}`;
const threadId = (index: number) => `${6000 + index}`;

/** The guild as the gateway would describe it. */
function toRaw({ roles, owner, members, channels, threads }: Scene) {
  const member = (id: string, held: readonly number[]) =>
    rawMember({ id, username: `u${id}` }, { roles: held.filter((index) => index < roles.length).map(roleId) });
  return rawGuild({
    id: GUILD,
    name: "g",
    ownerId: userId(owner % members.length),
    roles: roles.map((permissions, index) =>
      rawRole({ id: roleId(index), name: `r${index}`, permissions, position: index }),
    ),
    members: [...members.map((held, index) => member(userId(index), held)), member(BOT, [])],
    channels: channels.map(({ type, overwrites, obfuscated: isObfuscated }, index) => {
      const raw = rawChannel({
        id: channelId(index),
        guildId: GUILD,
        type,
        name: `c${index}`,
        position: index,
        overwrites: overwrites.map(({ target, index: who, ...masks }) =>
          target === "role" ? rawOverwrite("role", roleId(who), masks) : rawOverwrite("member", userId(who), masks),
        ),
      });
      return isObfuscated ? obfuscated(raw) : raw;
    }),
    threads: threads.map(({ parent, type }, index) =>
      rawThread({
        id: threadId(index),
        guildId: GUILD,
        type,
        name: `t${index}`,
        ownerId: userId(0),
        parentId: channelId(parent % channels.length),
      }),
    ),
  });
}

async function toDirectory(raw: ReturnType<typeof toRaw>, threads: Scene["threads"]): Promise<GuildDirectory> {
  const directory = new GuildDirectory({
    botId: BOT as UserId,
    hearsMembers: true,
    clock: { now: () => 0 },
    ask: {
      channel: async () => null,
      member: async () => null,
      searchMembers: async () => null,
      threadMembers: async (id) =>
        threads[Number(id) - 6000]?.members.map((member) => ({ user_id: userId(member) })) ?? null,
    },
  });
  directory.apply("READY", { guilds: [{ id: GUILD, unavailable: true }] });
  directory.apply("GUILD_CREATE", raw);
  for (const thread of raw.threads) await directory.learn(BOT as UserId, thread.id as ChannelId);
  return directory;
}

/** The same guild in the sandbox's records, for its own enforcement. */
function toRecords(raw: ReturnType<typeof toRaw>, threads: Scene["threads"]): GuildRecord {
  const channels = [...raw.channels, ...raw.threads].map((channel, index): ChannelRecord => {
    const thread = threads[index - raw.channels.length];
    return {
      id: channel.id,
      guildId: GUILD,
      type: channel.type,
      name: channel.name,
      topic: null,
      position: 0,
      parentId: channel.parent_id,
      nsfw: false,
      flags: 0,
      slowmodeSeconds: 0,
      overwrites: new Map(
        ("permission_overwrites" in channel ? channel.permission_overwrites : []).map((entry) => [
          entry.id,
          { id: entry.id, type: entry.type as 0 | 1, allow: BigInt(entry.allow), deny: BigInt(entry.deny) },
        ]),
      ),
      messages: new MessageLog(),
      lastMessageId: null,
      pins: new Map(),
      thread: thread
        ? {
            ownerId: userId(0),
            archived: false,
            archivedAt: 0,
            autoArchiveMinutes: 1440,
            locked: false,
            invitable: true,
            createdAt: 0,
            messageCount: 0,
            totalMessagesSent: 0,
            appliedTags: [],
            members: new Map(thread.members.map((member) => [userId(member), 0])),
          }
        : null,
      tags: [],
      recipients: [],
    };
  });
  return {
    id: GUILD,
    name: "g",
    description: null,
    ownerId: raw.owner_id,
    features: [],
    systemChannelId: null,
    roles: new Map(
      raw.roles.map((role) => [
        role.id,
        {
          id: role.id,
          name: "",
          permissions: BigInt(role.permissions),
          position: 0,
          color: 0,
          hoist: false,
          mentionable: false,
          managed: false,
        },
      ]),
    ),
    members: new Map(
      raw.members.map((member) => [
        member.user.id,
        {
          userId: member.user.id,
          nick: null,
          roles: new Set(member.roles),
          joinedAt: 0,
          pending: false,
          timedOutUntil: null,
        },
      ]),
    ),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    unavailable: false,
    emojis: new Map(),
    bans: new Map(),
    searchIndexReady: true,
  };
}

/** discord.js's calculator, with the rule for private threads that it leaves out. */
function discordJsSays(
  guild: DiscordJsGuild,
  id: string,
  user: string,
  threads: Scene["threads"],
): { view: boolean; read: boolean } {
  const channel = guild.channels.cache.get(id);
  const permissions = channel?.permissionsFor(user);
  if (!channel || !permissions) return { view: false, read: false };
  // An overwrite cannot make an administrator; discord.js would believe one that tried.
  const has = (bit: bigint) => permissions.has(bit, false);
  const isMember =
    channel.type !== PRIVATE_THREAD ||
    (threads[Number(id) - 6000]?.members.some((member) => userId(member) === user) ?? false);
  const view = has(PermissionFlagsBits.ViewChannel) && (isMember || has(PermissionFlagsBits.ManageThreads));
  const parent = channel.isThread() ? channel.parent : channel;
  const needsConnect = parent?.isVoiceBased() ?? false;
  const read =
    view && has(PermissionFlagsBits.ReadMessageHistory) && (!needsConnect || has(PermissionFlagsBits.Connect));
  return { view, read };
}

describe("the permission rules", () => {
  const client = new Client({ intents: [] });
  afterAll(() => client.destroy());

  it("agree with discord.js and the sandbox, in any guild", async () => {
    const answers = { yes: 0, no: 0 };
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const raw = toRaw(one);
        const directory = await toDirectory(raw, one.threads);
        const records = toRecords(raw, one.threads);
        client.channels.cache.clear();
        // @ts-expect-error discord.js builds its guilds from gateway data through this internal method only
        const guild: DiscordJsGuild = client.guilds._add(structuredClone(raw), false);
        for (const { id } of [...raw.channels, ...raw.threads]) {
          const record = records.channels.get(id);
          if (!record) throw new Error("every channel has a record");
          for (const { user } of raw.members) {
            if (user.id === BOT) continue;
            const ours = {
              view: directory.canView(user.id as UserId, id as ChannelId),
              read: directory.canRead(user.id as UserId, id as ChannelId),
            };
            answers[ours.read ? "yes" : "no"] += 1;
            expect(ours, `${user.id} in ${id}, by discord.js`).toEqual(discordJsSays(guild, id, user.id, one.threads));
            const sandbox = { view: canView(records, record, user.id), read: canReadHistory(records, record, user.id) };
            expect(ours, `${user.id} in ${id}, by the sandbox`).toEqual(sandbox);
          }
        }
      }),
      { numRuns: 800 },
    );
    expect(Math.min(answers.yes, answers.no)).toBeGreaterThan(2_000);
  });

  it("deny access to a stranger, an unknown channel and an unknown guild", async () => {
    const raw = toRaw({
      roles: [PermissionFlagsBits.Administrator],
      owner: 0,
      members: [[]],
      channels: [{ type: 0, obfuscated: false, overwrites: [] }],
      threads: [],
    });
    const directory = await toDirectory(raw, []);
    expect(directory.canRead(userId(0) as UserId, channelId(0) as ChannelId)).toBe(true);
    expect(directory.canRead(userId(9) as UserId, channelId(0) as ChannelId)).toBe(false);
    expect(directory.canRead(userId(0) as UserId, "99" as ChannelId)).toBe(false);
    directory.apply("GUILD_DELETE", { id: GUILD, unavailable: true });
    expect(directory.canRead(userId(0) as UserId, channelId(0) as ChannelId)).toBe(false);
  });
});
