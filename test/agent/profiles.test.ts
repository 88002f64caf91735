import { expect, it, onTestFinished } from "vitest";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { DiscordProfile } from "../../src/profiles/discord-profile.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { createTestConsent } from "../support/consent.ts";
import { describeGuild } from "../support/describe-world.ts";
import { openMemoryForTest } from "../support/memory.ts";
import { NOW } from "../support/plain-discord.ts";
import { BOT } from "../support/plain-world.ts";
import { openHttpProfile, openProfileServer } from "../support/profile-server.ts";
import { ADA, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { SHARED } from "../support/with-memory.ts";

const ada = ADA as UserId;

/** A profile service knows Ada's berth, which everyone in the server may hear, and Ada has shared another one. */
async function arrive(answer: Parameters<typeof openProfileServer>[0] = { [ADA]: { berth: "B12" } }) {
  const answers = await openReusedAnswers();
  const consent = createTestConsent();
  const { memory, close } = await openMemoryForTest({ consent, clock: { now: () => NOW } });
  const { url } = await openProfileServer(answer);
  const visibility = { server: GUILD as GuildId };
  const fields = [{ path: ["berth"], key: "berth", visibility }];
  const { source } = openHttpProfile(url, fields);
  const world = smallWorld();
  const ofDiscord = new DiscordProfile({
    guild: (id) => test.directory.guild(id),
    member: (guildId, userId) => test.directory.member(guildId, userId),
    roles: (guildId) => test.directory.roles(guildId),
  });
  const test = openAgentInProcess(world, {
    ...{ memory, consent, rules: SHARED, store: answers.store },
    profiles: [ofDiscord, source],
  });
  onTestFinished(async () => {
    await test.closeAgent();
    close();
    answers.close();
  });
  const channelId = PLACE.general as never;
  await test.ownMemory?.remember(ada, { key: "berth", value: "C3", visibility: "org", typedIn: "1", channelId });
  const ask = (text: string, actor = CEM) => test.ask({ actor, channelId: PLACE.general, text: `<@${BOT}> ${text}` });
  const said = () =>
    (world.messages.get(PLACE.general) ?? []).flatMap(({ authorId, content }) => (authorId === BOT ? [content] : []));
  return { ...test, ask, said, consent, fields };
}

it("the agent answers from a profile before a fact, and says where it comes from", async () => {
  const { ask, said } = await arrive();
  await ask("what is nick3001's berth?");
  expect(said()).toEqual([
    expect.stringMatching(/B12.*\(from the profile service; a remembered fact says otherwise\)/),
  ]);
  expect(said().join()).not.toContain("C3");
});

it("the agent answers from a fact while the profile service is out, and says so", async () => {
  const { ask, said } = await arrive({ [ADA]: (response) => response.writeHead(500).end() });
  await ask("what is nick3001's berth?");
  expect(said()).toEqual([expect.stringContaining("C3")]);
  expect(said().join()).toContain("The profile service could not be read just now.");
});

it("the agent says that the profile service is out where it falls back to what was said", async () => {
  const { ask, said } = await arrive({ [CEM]: (response) => response.writeHead(500).end() });
  await ask("what is my berth?");
  expect(said()).toEqual([
    expect.stringMatching(/^The profile service could not be read just now\.\nNo messages.*\n-# /s),
  ]);
});

it("an answer that shows a profile stays while nothing changes, and goes when its person is left out or erased", async () => {
  const { ask, said, checkSources, consent } = await arrive();
  await ask("what is nick3001's berth?");
  await checkSources();
  expect(said()).toHaveLength(1);
  consent.set(ADA, true);
  await checkSources();
  expect(said()).toEqual([]);
  const other = await arrive();
  await other.ask("what is nick3001's berth?");
  expect(other.said()).toHaveLength(1);
  await other.agent.eraser.erase(ada);
  expect(other.said()).toEqual([]);
});

it("an answer that shows a profile goes when the person whom it is about leaves the server", async () => {
  const { ask, said, checkSources, tell } = await arrive();
  await ask("what is nick3001's berth?");
  expect(said()).toHaveLength(1);
  tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id: ADA } });
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows what Discord says about somebody goes when they leave the server, and not during an outage", async () => {
  const { ask, said, checkSources, tell, world, directory } = await arrive();
  const hearAll = () => {
    const state = directory.guild(GUILD as GuildId);
    if (state) state.membersComplete = true;
  };
  hearAll();
  await ask("what are nick3001's roles?");
  expect(said()).toEqual([expect.stringContaining("from Discord")]);
  tell("GUILD_DELETE", { id: GUILD, unavailable: true });
  await checkSources();
  const [guild] = world.guilds;
  if (guild) tell("GUILD_CREATE", describeGuild(guild));
  await checkSources();
  hearAll();
  await checkSources();
  expect(said()).toHaveLength(1);
  tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id: ADA } });
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows a profile goes when the operator has taken the key out of the configuration", async () => {
  const { ask, said, checkSources, fields } = await arrive();
  await ask("what is nick3001's berth?");
  expect(said()).toHaveLength(1);
  fields.length = 0;
  await checkSources();
  expect(said()).toEqual([]);
});

it("the agent proposes to forget a fact that a profile stands before", async () => {
  const { ask, said, asked } = await arrive();
  await ask("forget my berth", ADA);
  expect(said().join()).toContain("berth");
  expect(asked).toHaveLength(1);
});
