import { Client, type Guild as DiscordJsGuild, PermissionFlagsBits } from "discord.js";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { GuildDirectory } from "../../src/discord/directory.ts";
import { flows } from "../../src/domain/audience.ts";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { userId } from "../support/audience-check.ts";
import { isSame, standingBarrier } from "../support/audience-oracle.ts";
import { type Scene, type Spot, smallScenes, spotsOf } from "../support/audience-scene.ts";
import { describeScene, spotId } from "../support/describe-scene.ts";

/** discord.js knows of no threads in voice channels. */
const fitScenes = smallScenes.map((scene) => ({
  ...scene,
  threads: scene.threads.filter(({ parent }) =>
    ["text", "announcement"].includes(scene.channels[parent % scene.channels.length]?.kind ?? ""),
  ),
}));
const GUILD = "1000" as GuildId;

async function toDirectory(scene: Scene): Promise<GuildDirectory> {
  const raw = describeScene(scene);
  const threadMembers = async (id: ChannelId) => {
    const thread = spotsOf(scene).find((_, index) => spotId(index) === id)?.thread;
    return thread?.members?.map((member) => ({ user_id: userId(member) })) ?? null;
  };
  const nothing = async () => null;
  const directory = new GuildDirectory({
    botId: "5000" as UserId,
    hearsMembers: true,
    countBots: scene.countsBots,
    clock: { now: () => 0 },
    ask: { channel: nothing, member: nothing, threadMembers, searchMembers: nothing },
  });
  directory.apply("READY", { guilds: [{ id: GUILD, unavailable: true }] });
  directory.apply("GUILD_CREATE", raw);
  for (const { id } of raw.threads) await directory.learn(userId(0), id as ChannelId);
  const guild = directory.guild(GUILD);
  if (guild) guild.membersComplete = true;
  return directory;
}

/** discord.js's calculator, with the rule for private threads that it leaves out. */
function discordJsSays(guild: DiscordJsGuild, { thread }: Spot, [spot, person]: readonly [number, number]) {
  const channel = guild.channels.cache.get(spotId(spot));
  const permissions = channel?.permissionsFor(userId(person));
  if (!channel || !permissions) return { sees: false, reads: false };
  // An overwrite cannot make an administrator; discord.js would believe one that tried.
  const has = (bit: bigint) => permissions.has(bit, false);
  const isInside = !thread?.isPrivate || has(PermissionFlagsBits.ManageThreads);
  const isJoined = thread?.members?.includes(person) ?? false;
  const isVoice = (channel.isThread() ? channel.parent : channel)?.isVoiceBased() ?? false;
  const view = has(PermissionFlagsBits.ViewChannel);
  const read = has(PermissionFlagsBits.ReadMessageHistory) && (!isVoice || has(PermissionFlagsBits.Connect));
  return {
    sees: view && (isInside || isJoined || thread?.members === null),
    reads: view && read && (isInside || isJoined),
  };
}

describe("the flow between two channels", () => {
  const client = new Client({ intents: [] });
  afterAll(() => client.destroy());

  it("agrees with discord.js's permission calculator for every member", async () => {
    const answers = { yes: 0, no: 0 };
    await fc.assert(
      fc.asyncProperty(fitScenes, async (scene) => {
        const directory = await toDirectory(scene);
        client.channels.cache.clear();
        // @ts-expect-error discord.js builds its guilds from gateway data through this internal method only
        const guild: DiscordJsGuild = client.guilds._add(describeScene(scene), false);
        const spots = spotsOf(scene);
        const people = [...scene.members.keys()].filter((index) => scene.countsBots || !scene.members[index]?.bot);
        for (const [a, from] of spots.entries()) {
          for (const [b, to] of spots.entries()) {
            if (standingBarrier(from, to) !== null || isSame(from, to)) continue;
            const harmed = people.filter(
              (one) => discordJsSays(guild, to, [b, one]).sees && !discordJsSays(guild, from, [a, one]).reads,
            );
            const ours = flows(directory.audience(spotId(a)), directory.audience(spotId(b)));
            expect(ours, `${a} → ${b}`).toBe(harmed.length === 0);
            answers[ours ? "yes" : "no"] += 1;
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(answers.yes + answers.no).toBeGreaterThan(5_000);
    expect(Math.min(answers.yes, answers.no)).toBeGreaterThan(1_000);
  });
});
