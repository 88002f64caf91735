import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { openAgentInProcess, openReusedAnswers } from "../support/agent-in-process.ts";
import { agentCases, compareAgents, emptyAgentTally, MINTED_ID } from "../support/agent-interference.ts";
import { assertUntil } from "../support/assert-until.ts";
import { hashAll, obeyAll } from "../support/hostile-chats.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { type Hearers, mayFlow, reads, sees } from "../support/plain-oracle.ts";
import { BOT, type PlainPlace, type PlainWorld, placesOf } from "../support/plain-world.ts";
import { canary, communities, personId, WORDS } from "../support/random-community.ts";

vi.setConfig({ testTimeout: process.env["SOAK_RUNS"] ? 0 : 240_000 });

const numRuns = Number(process.env["SOAK_RUNS"] ?? 8);

/** Words of places that those who read these words may not know of. What is shown now, such as a topic, is known to everybody who sees the place. */
function leaksIn(text: string, world: PlainWorld, hearers: Hearers): string[] {
  const isHidden = (source: PlainPlace, isNow: boolean) => !reads(source, BOT) || !mayFlow(source, hearers, isNow);
  return placesOf(world).flatMap((source) => [
    ...(text.includes(canary.text(source.id)) && isHidden(source, false) ? [`tells words of ${source.id}`] : []),
    ...(text.includes(canary.topic(source.id)) && isHidden(source, true) ? [`tells the topic of ${source.id}`] : []),
  ]);
}

const question = fc.record({ who: fc.nat(5), where: fc.nat(63), what: fc.nat(63), isPrivate: fc.boolean() });

it("a model that does whatever it reads says nothing that not everyone there may know, and does nothing elsewhere", async () => {
  const answers = await openReusedAnswers();
  let told = 0;
  const holds = fc.asyncProperty(
    communities,
    fc.array(question, { minLength: 1, maxLength: 5 }),
    fc.constantFrom(4_096, 32_768),
    async (world, questions, contextTokens) => {
      await answers.clear();
      const answerer = openModelAnswerer(obeyAll(), { contextTokens });
      const place = openAgentInProcess(world, { store: answers.store, answerer });
      try {
        for (const { who, where, what, isPrivate } of questions) {
          const actor = personId(who);
          const seen = placesOf(world).filter((one) => sees(one, actor));
          const there = seen[where % Math.max(1, seen.length)];
          if (!there) continue;
          place.clock.ahead += 1_000;
          // Words of the person's own are nobody's secret: none of a place are among them.
          const text = `what about the ${WORDS[what % WORDS.length]}?`;
          const [sent, asked] = [place.departures.length, place.asked.length];
          if (isPrivate) {
            const said = await place.askPrivately({ actor, channelId: there.id, text });
            told += said.length > 0 ? 1 : 0;
            expect(leaksIn(said, world, { personId: actor })).toEqual([]);
          } else await place.ask({ actor, channelId: there.id, text: `<@${BOT}> ${text}` });
          for (const departure of place.departures.slice(sent)) {
            // That it types to whom it answers, that person alone sees.
            const isOwnDm = world.dms.some(({ id, personId }) => id === departure.channelId && personId === actor);
            if (!(departure.kind === "typing" && isOwnDm)) expect(departure.channelId).toBe(there.id);
            if (departure.kind !== "send") continue;
            told += 1;
            expect(leaksIn(departure.text, world, { place: there })).toEqual([]);
          }
          for (const { operation } of place.asked.slice(asked)) expect(operation.actor).toBe(actor);
        }
      } finally {
        await place.closeAgent();
      }
    },
  );
  await assertUntil(holds, () => expect(told).toBeGreaterThan(numRuns / 2), { numRuns });
  answers.close();
});

it("what the readers of an answer may not see changes no byte of what a model is told, calls and says", async () => {
  const tally = emptyAgentTally();
  const answers = await openReusedAnswers();
  const same = fc.asyncProperty(agentCases, fc.constantFrom(4_096, 32_768), async (one, contextTokens) => {
    const open = () => openModelAnswerer(hashAll(MINTED_ID), { contextTokens });
    expect(await compareAgents(one, tally, answers, open)).toBeNull();
  });
  await assertUntil(same, () => expect(tally.differences).toBeGreaterThan(0), { numRuns });
  answers.close();
});
