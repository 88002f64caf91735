import fc from "fast-check";
import { expect, it } from "vitest";
import type { EpisodeStore } from "../../src/ports/episode-store.ts";
import { assertUntil } from "../support/assert-until.ts";
import { openTestEpisodeStore } from "../support/episodes.ts";
import { copyWorld, type PlainWorld } from "../support/plain-world.ts";
import { ADA, CEM, PLACE } from "../support/small-world.ts";
import { DESK, ELENA, GABRIEL, OLD_THREAD, openTalkSystem, sayThen, talk, talkWorld } from "../support/talk-world.ts";

const WORDS = ["tide", "anchor", "lantern", "verse", "bell"];
const bots = fc.constantFrom(ELENA, GABRIEL);
const word = fc.constantFrom(...WORDS);
const exchanges = (places: readonly string[]) =>
  fc.array(
    fc.record({
      place: fc.constantFrom(...places),
      bot: bots,
      said: word,
      replied: word,
      hoursAgo: fc.integer({ min: 1, max: 900 }),
      isKept: fc.boolean(),
      isToOthers: fc.boolean(),
    }),
    { maxLength: 6 },
  );
type Talk = typeof exchanges extends (places: never) => fc.Arbitrary<(infer One)[]> ? One : never;

const requests = fc.array(
  fc.record({
    bot_name: fc.constantFrom("elena", "gabriel", "any", "nobody", "e"),
    topic: fc.constantFrom("", ...WORDS),
    limit: fc.constantFrom(1, 3, 10),
  }),
  { minLength: 1, maxLength: 3 },
);

function play(world: PlainWorld, talks: readonly Talk[]) {
  return talks.flatMap(({ place, bot, said, replied, hoursAgo, isKept, isToOthers }) => {
    if (isToOthers) {
      const asked = sayThen(world, place, { by: CEM, text: `and the ${said}?`, hoursAgo });
      sayThen(world, place, { by: bot, text: `a ${said} is a ${replied}`, hoursAgo: hoursAgo - 0.1, replyTo: asked });
      return [];
    }
    const ids = talk(world, place, bot, `of the ${said}`, `of the ${replied}`, hoursAgo);
    return isKept ? [{ place, bot, ids }] : [];
  });
}

/** Everything that somebody is told, byte for byte. */
async function tell(
  world: PlainWorld,
  kept: ReturnType<typeof play>,
  {
    actor,
    isPrivate,
    asked,
    store,
  }: { actor: string; isPrivate: boolean; asked: readonly object[]; store: EpisodeStore },
): Promise<string[]> {
  await store.forgetBefore(Number.MAX_SAFE_INTEGER);
  const { keep, recall, open, call, close } = await openTalkSystem(world, { store });
  for (const { place, bot, ids } of kept) await keep(place, bot, ids);
  const told: string[] = [];
  for (const args of asked) {
    const { operation, ...outcome } = await recall(actor, PLACE.general, args, { isPrivate });
    told.push(JSON.stringify(outcome).replaceAll(operation.nonce, "nonce"));
    const { topic } = args as { topic: string };
    const asking = await open(actor, PLACE.general, {}, { isPrivate });
    const found = await call(asking, "memory_read.search_context", { query: topic || "tide" }, true);
    told.push(JSON.stringify(found).replaceAll(asking.nonce, "nonce"));
  }
  await close();
  return told;
}

it("recall tells nobody a byte of talks in channels that they, or those who read along, cannot read", async () => {
  let differences = 0;
  const store = await openTestEpisodeStore();
  await assertUntil(
    fc.asyncProperty(
      fc.record({
        open: exchanges([PLACE.general]),
        hidden: exchanges([PLACE.staff, PLACE.lounge, PLACE.aside, OLD_THREAD, DESK]),
        isPrivate: fc.boolean(),
        isAda: fc.boolean(),
        asked: requests,
      }),
      async ({ open, hidden, isPrivate, isAda, asked }) => {
        const world = talkWorld();
        const kept = play(world, open);
        const other = copyWorld(world);
        const hiddenKept = play(other, hidden);
        // Ada can read all of it, but not everybody in the channel where she asks.
        const request = { actor: isAda && !isPrivate ? ADA : CEM, isPrivate, asked, store };
        expect(await tell(other, [...kept, ...hiddenKept], request)).toEqual(
          await tell(copyWorld(world), kept, request),
        );
        if (hidden.length === 0 || differences > 2) return;
        const forAda = { actor: ADA, isPrivate: true, asked: [{ bot_name: "any", topic: "", limit: 10 }], store };
        const [here, there] = [
          await tell(copyWorld(other), [...kept, ...hiddenKept], forAda),
          await tell(world, kept, forAda),
        ];
        if (here.join() !== there.join()) differences += 1;
      },
    ),
    // A comparison of silence with silence would hold as well.
    () => expect(differences).toBeGreaterThan(2),
    { numRuns: 15 },
  );
});
