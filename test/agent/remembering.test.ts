import { expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { WayName } from "../../src/domain/memory/remember-request.ts";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { createTestConsent } from "../support/consent.ts";
import { openMemoryForTest } from "../support/memory.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { NOW } from "../support/plain-discord.ts";
import { BOT } from "../support/plain-world.ts";
import { messageId } from "../support/random-community.ts";
import { scriptChat, toldIn } from "../support/scripted-chat.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { SHARED } from "../support/with-memory.ts";

const REQUEST = "Please remember that I live in Lisbon";
const SAID = 400;
const ada = ADA as UserId;

/** A channel with hundreds of messages, more than any window shows, in which the agent is asked to remember something: with a model, or without one. */
async function arrive(wording: { readonly key: string; readonly value: string } | null) {
  const answers = await openReusedAnswers();
  const consent = createTestConsent();
  const { memory, close } = await openMemoryForTest({ consent, clock: { now: () => NOW } });
  const world = smallWorld();
  const said = Array.from({ length: SAID }, (_, index) => ({
    ...{
      id: messageId(100 + index),
      authorId: index % 2 === 0 ? BO : CEM,
      content: `the tide at mark ${index} is high`,
    },
    ...{ edited: false, replyTo: null, file: false },
  }));
  world.messages.set(PLACE.general, said);
  const model = scriptChat((_, count) =>
    count === 1
      ? { calls: [["memory_write_remember_fact", { ...wording, visibility: "server" }]] }
      : "Press the button if that is right.",
  );
  const test = openAgentInProcess(world, {
    ...{ memory, consent, rules: SHARED, store: answers.store },
    ...(wording && { answerer: openModelAnswerer(model, { contextTokens: 8_192 }) }),
  });
  onTestFinished(async () => {
    await test.closeAgent();
    close();
    answers.close();
  });
  await test.ask({ actor: ADA, channelId: PLACE.general, text: `<@${BOT}> ${REQUEST}` });
  const told = model.requests.map(toldIn).join("\n");
  const isShown = (index: number) => new RegExp(`at mark ${index} is`).test(told);
  const remove = (id: string) => {
    world.messages.set(
      PLACE.general,
      (world.messages.get(PLACE.general) ?? []).filter((one) => one.id !== id),
    );
    test.tell("MESSAGE_DELETE", { id, channel_id: PLACE.general, guild_id: GUILD });
  };
  const [asked] = test.asked;
  const label = asked?.operation.label;
  return {
    ...test,
    said,
    /** What was read and not shown, and what was shown. */
    looked: said.filter(({ id }, index) => label?.of("message").has(id) && !isShown(index)),
    shown: said.filter((_, index) => isShown(index)),
    remove,
    press: (way: WayName = "as_shown") => test.gate.confirm(asked?.id ?? "", ada, { inPerson: true, way }),
    async heard() {
      const facts = (await test.ownMemory?.list(ada)) ?? [];
      return facts.map(({ fact, dormant }) => [fact.value, dormant]);
    },
  };
}

it("a fact that the agent was asked to remember in a busy channel rests on what its model was shown, not on all that was looked at", async () => {
  const { looked, shown, remove, press, heard } = await arrive({ key: "residence", value: "somewhere in Lisbon" });
  expect(looked.length).toBeGreaterThan(10);
  expect(shown.length).toBeGreaterThan(10);
  remove(looked[0]?.id ?? "");
  await press();
  expect(await heard()).toEqual([["somewhere in Lisbon", null]]);
  remove(looked[1]?.id ?? "");
  expect(await heard()).toEqual([["somewhere in Lisbon", null]]);
  remove(shown[0]?.id ?? "");
  expect(await heard()).toEqual([["somewhere in Lisbon", "source_deleted"]]);
});

it.each([
  ["a model", { key: "home", value: "Lisbon" }],
  ["no model", null],
])(
  "a fact in the person's own words that an agent with %s was asked to remember rests on their message alone",
  async (_, wording) => {
    const { said, remove, press, heard } = await arrive(wording);
    await press();
    for (const { id } of said.slice(-3)) remove(id);
    expect(await heard()).toEqual([["Lisbon", null]]);
  },
);
