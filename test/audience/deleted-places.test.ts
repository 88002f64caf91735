import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flows } from "../../src/domain/audience.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openInProcess } from "../support/in-process.ts";
import { mayFlow, reads } from "../support/plain-oracle.ts";
import { BOT, copyWorld, placesOf, TYPE } from "../support/plain-world.ts";
import { communities } from "../support/random-community.ts";
import { deletePlace, twist, twists } from "../support/twists.ts";

/** Roles taken away, people who leave, join, are let in and shut out: nothing that takes the bot's sight. */
const CHANGES = [0, 1, 2, 3, 5, 6, 12];

const cases = fc.record({
  world: communities,
  which: fc.nat(63),
  /** Before the deletion, and after it. */
  before: fc.array(twists, { maxLength: 4 }),
  after: fc.array(twists, { maxLength: 4 }),
});

describe("the audience of a search in a deleted channel", () => {
  it("is everybody who could read it last, by their current roles", async () => {
    const counts = { yes: 0, no: 0 };
    const agrees = fc.asyncProperty(cases, async ({ world: original, which, before, after }) => {
      const world = copyWorld(original);
      const test = openInProcess(world);
      const change = ({ kind, ...more }: (typeof before)[number]) =>
        twist(test, { ...more, kind: CHANGES[kind % CHANGES.length] ?? 0 });
      try {
        before.forEach(change);
        const readable = placesOf(world).filter((place) => place.guild && reads(place, BOT));
        const id = readable[which % Math.max(1, readable.length)]?.id ?? "";
        await test.directory.learn(BOT as UserId, id as ChannelId);
        deletePlace(test, id);
        after.forEach(change);
        const [source, last] = [test.directory.lastAudience(id as ChannelId), world.deleted?.get(id)];
        if (!source || !last) return;
        for (const to of placesOf(world)) {
          const [isAllowed, expected] = [
            flows(source, test.directory.audience(to.id as ChannelId)),
            mayFlow(last, { place: to }),
          ];
          counts[isAllowed ? "yes" : "no"] += 1;
          if (isAllowed) expect(expected, `${id} → ${to.id}`).toBe(true);
          // Of those who leave and return, and where the bot does not see all, it is stricter.
          const isExact =
            test.directory.canRead(BOT as UserId, to.id as ChannelId) && to.thread?.type !== TYPE.privateThread;
          if (isExact && last.thread?.type !== TYPE.privateThread) expect(isAllowed, `${id} → ${to.id}`).toBe(expected);
        }
      } finally {
        await test.close();
      }
    });
    await fc.assert(agrees, { numRuns: 300 });
    expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(100);
  });
});
