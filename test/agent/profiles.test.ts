import { expect, it, onTestFinished } from "vitest";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { createTestConsent } from "../support/consent.ts";
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
  const { source } = openHttpProfile(url, [{ path: ["berth"], key: "berth", visibility }]);
  const world = smallWorld();
  const test = openAgentInProcess(world, {
    ...{ memory, consent, rules: SHARED, store: answers.store },
    profiles: [source],
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
  return { ...test, ask, said, consent };
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
    expect.stringMatching(/No messages.*\nThe profile service could not be read just now\.\n-# /s),
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

it("the agent proposes to forget a fact that a profile stands before", async () => {
  const { ask, said, asked } = await arrive();
  await ask("forget my berth", ADA);
  expect(said().join()).toContain("berth");
  expect(asked).toHaveLength(1);
});
