import { findWithheld } from "../src/cli/find-withheld.ts";
import { flows } from "../src/domain/audience.ts";
import type { ChannelId, GuildId, RoleId } from "../src/domain/ids.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { BOT, describeGuild, openDirectory } from "./big-guild.ts";

const SIZE = { members: 100_000, channels: 200, roles: 250 };

const raw = describeGuild(1, SIZE);
const directory = openDirectory();
directory.apply("GUILD_CREATE", raw);
const guild = directory.guild(raw.id as GuildId);
if (!guild) throw new Error("the guild was not described");
const channels = raw.channels.map(({ id }) => id as ChannelId);

/** The sources: each channel, or what is shared with all members and with those of each role. */
const fromChannels = channels.map((id) => () => directory.audience(id));
const fromMembers = [null, ...raw.roles.slice(1)].map((role) => () => {
  return directory.members(raw.id as GuildId, role && (role.id as RoleId));
});

/** Every pair once, each timed by itself. */
function measure(what: string, note: string, sources = fromChannels): Row {
  const times: number[] = [];
  let allowed = 0;
  for (const from of sources) {
    for (const to of channels) {
      const start = performance.now();
      if (flows(from(), directory.audience(to))) allowed += 1;
      times.push((performance.now() - start) * 1000);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(1)} µs`;
  return {
    what,
    figure: `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1 - 1 / times.length)}`,
    note: `${allowed.toLocaleString("en")} of ${times.length.toLocaleString("en")} pairs may flow${note}`,
  };
}

const algebra = [
  measure("role algebra, cold", ""),
  measure("role algebra, warm", "; goal: p99 100 µs"),
  measure("role algebra, shared with members", "; goal: p99 100 µs", fromMembers),
];
guild.membersComplete = true;
const exact = [measure("exact, cold", ""), measure("exact, warm", "; goal: p99 100 µs")];
guild.setRole({ id: raw.roles[9]?.id, permissions: "1024", name: "changed", position: 10 });
exact.push(measure("exact, after a role changed", ""));
exact.push(measure("exact, shared with members", "; goal: p99 100 µs", fromMembers));
const sets = `${guild.membersByRoles.size.toLocaleString("en")} distinct sets of roles`;
printTable(`May it flow? ${SIZE.roles} roles, ${SIZE.members.toLocaleString("en")} members in ${sets}`, [
  ...exact,
  ...algebra,
]);

/** All pairs of a server with as many channels as Discord allows, as the doctor asks for them. */
function examine(what: string, membersComplete: boolean): Row {
  const large = describeGuild(2, { ...SIZE, channels: 500 });
  const other = openDirectory();
  other.apply("GUILD_CREATE", large);
  const described = other.guild(large.id as GuildId);
  if (!described) throw new Error("the guild was not described");
  described.membersComplete = membersComplete;
  const start = performance.now();
  const { pairs, withheld } = findWithheld(described.id, { directory: other, botId: BOT });
  const figure = `${((performance.now() - start) / 1000).toFixed(2)} s`;
  return { what, figure, note: `${pairs.toLocaleString("en")} pairs, ${withheld.length} lines` };
}

printTable("What cannot be used where? 500 channels", [
  examine("with the member list", true),
  examine("by roles alone", false),
]);
