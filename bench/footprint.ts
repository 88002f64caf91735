import { Client } from "discord.js";
import { printTable } from "../test/support/table.ts";
import { describeGuild, openDirectory } from "./big-guild.ts";

/** Bytes held for what `build` returns. Run with --expose-gc. */
function held(build: () => unknown): number {
  const collect = globalThis.gc;
  if (!collect) throw new Error("run with --expose-gc");
  const used = () => {
    collect();
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const kept = build();
  const after = used();
  if (kept === undefined) throw new Error("nothing was kept");
  return after - before;
}

/** The description is serialised first, as on the wire, so that nothing is shared with it. */
const ourGuilds = (texts: readonly string[]) => {
  const directory = openDirectory();
  for (const text of texts) directory.apply("GUILD_CREATE", JSON.parse(text));
  return directory;
};
const theirGuilds = (texts: readonly string[]) => {
  const client = new Client({ intents: [] });
  // @ts-expect-error discord.js builds its guilds from gateway data through this internal method only
  for (const text of texts) client.guilds._add(JSON.parse(text));
  return client;
};

const MEMBERS = 50_000;
const guilds = (count: number, size: Parameters<typeof describeGuild>[1]) =>
  Array.from({ length: count }, (_, index) => JSON.stringify(describeGuild(index, size)));
const small = guilds(500, { members: 1, channels: 1, roles: 5 });
const wide = guilds(50, { members: 1, channels: 500, roles: 5 });
const tall = guilds(1, { members: MEMBERS, channels: 1, roles: 50 });

const row = (what: string, texts: readonly string[], count: number, note: string) => {
  const [ours, theirs] = [held(() => ourGuilds(texts)), held(() => theirGuilds(texts))];
  return {
    what,
    figure: `${Math.round(ours / count).toLocaleString("en")} B`,
    note: `discord.js ${Math.round(theirs / count).toLocaleString("en")} B; ${note}`,
  };
};

ourGuilds(small);
theirGuilds(small);
printTable("Memory held by the guild directory", [
  row("a guild (1 channel, 1 member, 5 roles)", small, small.length, "mean of 500"),
  row("a channel", wide, 50 * 500, "mean of 25,000, two in three with three overwrites"),
  row("a member", tall, MEMBERS, "mean of 50,000, with three names and three roles; goal: 150 B"),
]);
process.exit(0);
