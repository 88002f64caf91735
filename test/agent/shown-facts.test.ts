import { expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { createTestConsent } from "../support/consent.ts";
import { openMemoryForTest } from "../support/memory.ts";
import { NOW } from "../support/plain-discord.ts";
import { BOT } from "../support/plain-world.ts";
import { ADA, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { SHARED } from "../support/with-memory.ts";

const ada = ADA as UserId;

/** Ada has shared her city with the server, and Cem was told it in general. */
async function arrive() {
  const answers = await openReusedAnswers();
  const consent = createTestConsent();
  const { memory, close } = await openMemoryForTest({ consent, clock: { now: () => NOW } });
  const world = smallWorld();
  const test = openAgentInProcess(world, { memory, consent, rules: SHARED, store: answers.store });
  onTestFinished(async () => {
    await test.closeAgent();
    close();
    answers.close();
  });
  const own = test.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  const channelId = PLACE.general as never;
  const request = { key: "city", value: "Lisbon", visibility: "org", typedIn: "1", channelId } as const;
  const { id } = await own.remember(ada, request);
  await test.ask({ actor: CEM, channelId: PLACE.general, text: `<@${BOT}> what is nick3001's city?` });
  const said = () => (world.messages.get(PLACE.general) ?? []).filter(({ authorId }) => authorId === BOT);
  expect(said().map(({ content }) => content)).toEqual([expect.stringContaining("Lisbon")]);
  return { ...test, own, id, said, consent };
}

it("an answer that shows a fact goes when its person has it forgotten", async () => {
  const { own, id, said, checkSources } = await arrive();
  await checkSources();
  expect(said()).toHaveLength(1);
  await own.forget(ada, id);
  await checkSources();
  expect(said()).toEqual([]);
});

it("an answer that shows a fact goes when its person is left out, or erased", async () => {
  const { consent, said, checkSources } = await arrive();
  consent.set(ADA, true);
  await checkSources();
  expect(said()).toEqual([]);
  const other = await arrive();
  await other.agent.eraser.erase(ada);
  expect(other.said()).toEqual([]);
});
