import { expect, it, onTestFinished } from "vitest";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { BOT } from "../support/plain-world.ts";
import { messageId } from "../support/random-community.ts";
import { ADA, BO, PLACE, smallWorld } from "../support/small-world.ts";

const A_MINUTE = 60_000;

it("where Discord tells of no members, an answer by direct message stays for as long as its reader is there", async () => {
  const answers = await openReusedAnswers();
  const world = smallWorld();
  const said = { edited: false, replyTo: null, file: false, authorId: BO, content: "the lighthouse opens at ten" };
  world.messages.get(PLACE.general)?.push({ ...said, id: messageId(160) });
  const { ask, checkSources, clock, closeAgent } = openAgentInProcess(world, {
    store: answers.store,
    members: "asked",
  });
  onTestFinished(async () => {
    await closeAgent();
    answers.close();
  });
  await ask({ actor: ADA, channelId: PLACE.letters, text: "when does the lighthouse open?" });
  const told = () => (world.messages.get(PLACE.letters) ?? []).filter(({ authorId }) => authorId === BOT);
  expect(told().map(({ content }) => content)).toEqual([expect.stringContaining("opens at ten")]);
  clock.ahead += A_MINUTE;
  await checkSources();
  expect(told()).toHaveLength(1);
  for (const guild of world.guilds) guild.members = guild.members.filter(({ id }) => id !== ADA);
  clock.ahead += A_MINUTE;
  await checkSources();
  expect(told()).toEqual([]);
});
