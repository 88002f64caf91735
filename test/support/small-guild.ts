import { GuildDirectory } from "../../src/discord/directory.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { rawChannel, rawGuild, type rawMember, rawOverwrite, rawRole, rawThread } from "./raw-guild.ts";

export const GUILD = "1" as GuildId;
export const BOT = "90" as UserId;
export const SARAH = "91" as UserId;
export const MARK = "92" as UserId;
export const GENERAL = "20" as ChannelId;
export const STAFF = "21" as ChannelId;
export const PRIVATE_THREAD = "30" as ChannelId;
export const VIEW = 1n << 10n;

export const everyone = rawRole({ id: GUILD, name: "@everyone", permissions: VIEW | (1n << 16n), position: 0 });
export const staffRole = rawRole({ id: "2", name: "staff", permissions: 0n, position: 1 });
export const general = rawChannel({ id: GENERAL, guildId: GUILD, name: "general" });
/** Only the staff may see it. */
export const staffRoom = rawChannel({
  id: STAFF,
  guildId: GUILD,
  name: "staff",
  topic: "secret",
  overwrites: [rawOverwrite("role", GUILD, { deny: VIEW }), rawOverwrite("role", "2", { allow: VIEW })],
});
/** The bot is in it. */
export const privateThread = rawThread({
  id: PRIVATE_THREAD,
  guildId: GUILD,
  type: 12,
  name: "gift",
  parentId: GENERAL,
  ownerId: SARAH,
  botMember: {},
});

type SmallGuild = ReturnType<typeof smallGuild>;

export function smallGuild({
  channels = [general, staffRoom],
  threads = [privateThread],
  members,
}: {
  channels?: readonly ReturnType<typeof rawChannel>[];
  threads?: readonly ReturnType<typeof rawThread>[];
  members: readonly ReturnType<typeof rawMember>[];
}) {
  return rawGuild({
    ...{ id: GUILD, name: "Harbourside", ownerId: "99", roles: [everyone, staffRole] },
    ...{ channels, threads, members },
  });
}

type DirectoryDeps = ConstructorParameters<typeof GuildDirectory>[0];
const nothing = async () => null;

/** A directory that has just been told of the guild. Requests that are not given find nothing. */
export function openDirectory(
  guild: SmallGuild,
  {
    hearsMembers = true,
    clock = { now: () => 0 },
    ask = {},
  }: Partial<Pick<DirectoryDeps, "hearsMembers" | "clock">> & { ask?: Partial<DirectoryDeps["ask"]> },
): GuildDirectory {
  const directory = new GuildDirectory({
    botId: BOT,
    hearsMembers,
    clock,
    ask: { channel: nothing, member: nothing, searchMembers: nothing, threadMembers: nothing, ...ask },
  });
  directory.apply("READY", { guilds: [{ id: GUILD, unavailable: true }] });
  directory.apply("GUILD_CREATE", guild);
  return directory;
}
