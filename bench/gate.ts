import { generateCommunity, openSandbox } from "../sandbox/index.ts";
import { flows } from "../src/domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../src/domain/ids.ts";
import { locateChannel } from "../src/policy/apply-rules.ts";
import { type DecisionInput, decide } from "../src/policy/decide.ts";
import { OPERATOR_GRANT } from "../src/policy/grant.ts";
import { BARRED, YES } from "../src/sources/judge.ts";
import { tools } from "../src/tools/index.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { describeGuild, openDirectory } from "./big-guild.ts";
import { openProduct, rules } from "./product.ts";

function spread(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(1)} µs`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}`;
}

/** Whole decisions about reading one channel into another, in a guild with 250 roles and 100,000 members. */
function decisions(): Row[] {
  const raw = describeGuild(1, { members: 100_000, channels: 200, roles: 250 });
  const directory = openDirectory();
  directory.apply("GUILD_CREATE", raw);
  const guild = directory.guild(raw.id as GuildId);
  if (!guild) throw new Error("the guild was not described");
  const channels = raw.channels.map(({ id }) => id as ChannelId);
  const actor = raw.members[1]?.user.id as UserId;
  const [tool] = tools.filter(({ name }) => name === "discord.channel.messages");
  if (!tool) throw new Error("there is no such tool");
  const ask = (from: ChannelId, to: ChannelId): DecisionInput => ({
    tool,
    grant: OPERATOR_GRANT,
    rules,
    effect: "read",
    purpose: "answer",
    target: locateChannel(directory, from),
    origin: to,
    roles: directory.member(guild.id, actor)?.roles,
    actorReads: directory.canRead(actor, from),
    actorMay: undefined,
    botReads: directory.canRead(directory.member(guild.id, actor)?.id ?? actor, from),
    judged: () => (flows(directory.audience(from), directory.audience(to)) ? YES : BARRED),
    isNameable: undefined,
    destination: to,
    isOpen: true,
  });
  const measure = (what: string, work: (from: ChannelId, to: ChannelId) => boolean): Row => {
    const times: number[] = [];
    let allowed = 0;
    for (const round of [0, 1]) {
      for (const from of channels) {
        for (const to of channels) {
          const start = performance.now();
          if (work(from, to)) allowed += round;
          if (round === 1) times.push((performance.now() - start) * 1000);
        }
      }
    }
    return {
      what,
      figure: spread(times),
      note: `${allowed.toLocaleString("en")} of ${times.length.toLocaleString("en")} allowed`,
    };
  };
  const rows: Row[] = [];
  for (const complete of [true, false]) {
    guild.membersComplete = complete;
    const how = complete ? "exact" : "role algebra";
    rows.push(measure(`a decision, ${how}`, (from, to) => decide(ask(from, to)).allowed));
    rows.push(
      measure(`of that, may it flow? ${how}`, (from, to) => flows(directory.audience(from), directory.audience(to))),
    );
  }
  return rows;
}

/** What the gate adds to a read that is at hand. */
async function overhead(): Promise<Row[]> {
  const sandbox = await openSandbox({ community: generateCommunity({ seed: 1, messages: 500 }), rateLimits: false });
  const product = await openProduct(sandbox, { now: () => Date.now() });
  const {
    timelines,
    core: { gate, operations },
    client,
  } = product;
  const channelId = sandbox.community.channels.get("c0") as ChannelId;
  const request = { actor: sandbox.as("p0").id as UserId, channelId };
  const rows: Row[] = [];
  for (const limit of [1, 10, 50]) {
    const args = { channel_id: channelId, limit };
    const known = await operations.open(client, request);
    const fresh = await Promise.all(Array.from({ length: 1_000 }, () => operations.open(client, request)));
    const ways: [string, (count: number) => Promise<unknown>][] = [
      ["from the timeline alone", () => timelines.recent(channelId, { limit })],
      [
        "through the gate, seen before",
        () => gate.callTool({ name: "discord.channel.messages", args, operation: known }),
      ],
      [
        "through the gate, first time in its operation",
        (count) =>
          gate.callTool({ name: "discord.channel.messages", args, operation: fresh[count % fresh.length] ?? known }),
      ],
      [
        "the same, as text for a model",
        () => gate.callTool({ name: "discord.channel.messages", args, operation: known, wantsText: true }),
      ],
    ];
    for (const [what, read] of ways) {
      for (let count = 0; count < 200; count += 1) if (!what.includes("first time")) await read(count);
      const times: number[] = [];
      for (let count = 0; count < 1_000; count += 1) {
        const start = performance.now();
        await read(count);
        times.push((performance.now() - start) * 1000);
      }
      rows.push({ what: `${limit} messages ${what}`, figure: spread(times) });
    }
  }
  await product.close();
  await sandbox.close();
  return rows;
}

printTable("May this be read here? 250 roles, 100,000 members (goal: p99 100 µs)", decisions());
printTable("What the gate and its audit cost, one call after the other", await overhead());
process.exit(0);
