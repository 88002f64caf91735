import { Client, type Guild, PermissionFlagsBits } from "discord.js";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { perSecond, printTable } from "../test/support/table.ts";
import { describeGuild, openDirectory } from "./big-guild.ts";

const MEMBERS = 20_000;
const CHANNELS = 500;
const ROLES = 100;

const raw = describeGuild(1, { members: MEMBERS, channels: CHANNELS, roles: ROLES });
const directory = openDirectory();
directory.apply("GUILD_CREATE", raw);
const client = new Client({ intents: [] });
// @ts-expect-error discord.js builds its guilds from gateway data through this internal method only
const guild: Guild = client.guilds._add(raw);

const users = raw.members.map(({ user }) => user.id as UserId);
const channels = raw.channels.map(({ id }) => id as ChannelId);
const pairs = Array.from({ length: 200_000 }, (_, index): [UserId, ChannelId] => [
  users[(index * 7_919) % users.length] as UserId,
  channels[(index * 104_729) % channels.length] as ChannelId,
]);

function measure(
  rounds: number,
  decide: (user: UserId, channel: ChannelId) => boolean,
): { yes: number; milliseconds: number } {
  let yes = 0;
  for (const [user, channel] of pairs.slice(0, 20_000)) decide(user, channel);
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1)
    for (const [user, channel] of pairs) if (decide(user, channel)) yes += 1;
  return { yes: yes / rounds, milliseconds: (performance.now() - start) / rounds };
}

const needed = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;
const ours = measure(10, (user, channel) => directory.canRead(user, channel));
const theirs = measure(
  1,
  (user, channel) => guild.channels.cache.get(channel)?.permissionsFor(user)?.has(needed) ?? false,
);
if (ours.yes !== theirs.yes) throw new Error(`disagreement: ${ours.yes} against ${theirs.yes}`);
await client.destroy();

printTable(
  `canRead(user, channel): ${MEMBERS.toLocaleString("en")} members, ${CHANNELS} channels, ${ROLES} roles, one core`,
  [
    { what: "Earshot", figure: perSecond(pairs.length, ours.milliseconds), note: "goal: 1,000,000/s" },
    {
      what: "discord.js permissionsFor",
      figure: perSecond(pairs.length, theirs.milliseconds),
      note: `same ${theirs.yes.toLocaleString("en")} of ${pairs.length.toLocaleString("en")} allowed`,
    },
  ],
);
