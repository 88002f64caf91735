import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChannelId, MessageId } from "../../src/domain/ids.ts";
import { toMessageSource } from "../../src/ports/stored-source.ts";
import { openSystem } from "../attack/open-system.ts";
import { BO, PLACE } from "../support/small-world.ts";

const PLACES = [PLACE.general, PLACE.staff] as const;

it("whether one of many messages is gone is found out in a request for each hundred messages of a channel", async () => {
  const asked = { history: 0, message: 0 };
  const system = openSystem({
    async pause(what) {
      if (what === "history asked") asked.history += 1;
      if (what === "message") asked.message += 1;
    },
  });
  const said = PLACES.map((place) =>
    Array.from({ length: 150 }, (_, count) => system.say(place, BO, `tide ${count}`).id),
  );
  const refs = (which: readonly (readonly [number, number])[]) =>
    which.map(([place, index]) =>
      toMessageSource({ channelId: PLACES[place] as ChannelId, messageId: said[place]?.[index] as MessageId }, null),
    );
  const everything = PLACES.flatMap((_, place) => said[place]?.map((__, index) => [place, index] as const) ?? []);
  expect(await system.answerSources.findGone(refs(everything), () => false)).toBe(null);
  expect(asked).toEqual({ history: 4, message: 0 });

  const removed = new Set<string>();
  const picks = fc.tuple(fc.nat(1), fc.nat(149));
  const property = fc.asyncProperty(
    fc.array(picks, { minLength: 1, maxLength: 12 }),
    picks,
    async (cited, [place, at]) => {
      const id = said[place]?.[at] ?? "";
      if (!removed.has(id) && removed.size < 40) system.remove(PLACES[place] ?? "", id);
      if (removed.size < 40) removed.add(id);
      const isGone = cited.some(([where, index]) => removed.has(said[where]?.[index] ?? ""));
      expect((await system.answerSources.findGone(refs(cited), () => false)) !== null).toBe(isGone);
    },
  );
  await fc.assert(property, { numRuns: 60 });
  await system.close();
});
