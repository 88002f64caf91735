import fc from "fast-check";
import { expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { ADA, BO, CEM, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const PEOPLE = [ADA, BO, CEM];
const OWNER = "3000";
const ROOMS = [PLACE.general, PLACE.staff] as const;
const KEYS = ["city", "City", "pet"];
const VISIBILITIES = ["private", "project", "org"] as const;

/** What is remembered, in the plainest way: a list. */
interface PlainFact {
  readonly owner: string;
  readonly key: string;
  readonly value: string;
  readonly visibility: (typeof VISIBILITIES)[number];
  readonly room: string;
  readonly at: number;
  readonly until: number;
}

const person = fc.constantFrom(...PEOPLE);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("remember" as const),
      who: person,
      key: fc.constantFrom(...KEYS),
      visibility: fc.constantFrom(...VISIBILITIES),
      room: fc.constantFrom(...ROOMS),
      seconds: fc.constantFrom(5, 50, 5_000),
    }),
  },
  fc.record({ kind: fc.constant("forget" as const), who: person, which: fc.nat(9) }),
  fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(1, 10, 100) }),
  fc.record({ kind: fc.constantFrom("leaveOut" as const, "include" as const, "leave" as const), who: person }),
  fc.record({ kind: fc.constant("join" as const), who: person, isStaff: fc.boolean() }),
  fc.record({ kind: fc.constant("erase" as const), who: person }),
);

it("after any sequence of changes, everybody hears exactly the facts that a plain list says they may", async () => {
  let heardInAll = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
    const system = await openWithMemory();
    const { own, clock, consent, hear, leave, join } = system;
    let facts: PlainFact[] = [];
    const staff = new Map<string, boolean>([
      [ADA, true],
      [BO, true],
      [CEM, false],
      [OWNER, true],
    ]);
    const sees = (who: string, room: string) => staff.has(who) && (room === PLACE.general || staff.get(who) === true);

    for (const [index, one] of steps.entries()) {
      clock.ahead += 1;
      if (one.kind === "remember") {
        const value = `v${index}`;
        const isPossible = one.visibility === "private" || sees(one.who, one.room);
        const expiresAt = clock.now() + one.seconds * 1_000;
        const request = {
          key: one.key,
          value,
          visibility: one.visibility,
          channelId: one.room as never,
          typedIn: "1",
          expiresAt,
        };
        const isDone = await own.remember(one.who as UserId, request).then(
          () => true,
          () => false,
        );
        expect(isDone).toBe(isPossible);
        if (!isDone) continue;
        const { who: owner, visibility, room } = one;
        const fact = { owner, key: one.key.toLowerCase(), value, visibility, room, at: clock.now(), until: expiresAt };
        // It follows what had its name and its audience, which is heard by nobody any more, also when this one expires.
        facts = [...facts.filter((each) => !isSame(each, fact)), fact];
      } else if (one.kind === "forget") {
        const list = await own.list(one.who as UserId);
        const chosen = list[one.which % Math.max(1, list.length)];
        if (!chosen) continue;
        await own.forget(one.who as UserId, chosen.fact.id);
        facts = facts.filter(({ value }) => value !== chosen.fact.value);
      } else if (one.kind === "wait") clock.ahead += one.seconds * 1_000;
      else if (one.kind === "leaveOut" || one.kind === "include") consent.set(one.who, one.kind === "leaveOut");
      else if (one.kind === "leave") {
        staff.delete(one.who);
        leave(one.who);
      } else if (one.kind === "join") {
        staff.set(one.who, one.isStaff);
        join(one.who, one.isStaff ? [STAFF] : []);
      } else {
        await own.erase(one.who as UserId);
        facts = facts.filter(({ owner }) => owner !== one.who);
      }
    }

    /** The newest of each name among those that all of these people may hear. */
    const expected = (owner: string, actor: string, room: string | null) => {
      const viewers = room === null ? [actor] : [...staff.keys()].filter((who) => sees(who, room));
      const mayHear = (who: string, fact: PlainFact) => {
        if (fact.visibility === "private") return who === fact.owner;
        return staff.has(who) && (fact.visibility === "org" || sees(who, fact.room));
      };
      const heard = new Map<string, PlainFact>();
      for (const fact of facts) {
        if (fact.owner !== owner || fact.until <= clock.now() || consent.isLeftOut(owner as UserId)) continue;
        if (fact.visibility !== "private" && !staff.has(owner)) continue;
        if ([actor, ...viewers].every((who) => mayHear(who, fact)) && fact.at >= (heard.get(fact.key)?.at ?? 0))
          heard.set(fact.key, fact);
      }
      return [...heard.values()].map(({ value }) => value).sort();
    };

    for (const owner of PEOPLE)
      for (const actor of PEOPLE)
        for (const room of ROOMS)
          for (const isPrivate of [true, false]) {
            if (!sees(actor, room)) continue;
            const { outcome } = await hear(actor, room, { user: owner }, { isPrivate });
            // Somebody who is no member cannot be found by others.
            if (!outcome.ok && !staff.has(owner)) continue;
            expect(outcome).toMatchObject({ ok: true });
            const { value } = outcome as { value: unknown };
            const values = (value as { facts: { value: string }[] }).facts.map(({ value }) => value).sort();
            expect({ owner, actor, room, isPrivate, values }).toEqual({
              owner,
              actor,
              room,
              isPrivate,
              values: expected(owner, actor, isPrivate ? null : room),
            });
            heardInAll += values.length;
          }
    await system.close();
  });
  await fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 40) });
  expect(heardInAll).toBeGreaterThan(50);
});

function isSame(one: PlainFact, other: PlainFact): boolean {
  const audienceOf = ({ visibility, room }: PlainFact) => (visibility === "project" ? room : visibility);
  return one.owner === other.owner && one.key === other.key && audienceOf(one) === audienceOf(other);
}
