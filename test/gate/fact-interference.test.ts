import fc from "fast-check";
import { expect, it } from "vitest";
import { assertUntil } from "../support/assert-until.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const SCOPES = [
  ...["memory:read_self", "memory:read_project", "memory:write_self", "memory:write_project"],
  ...["context:read_channel_recent", "context:search", "discord:send"],
];
const WORDS = ["heron", "gull", "tern", "boat", "tide"];

/** Something that somebody has had remembered. Cem, in #general, may hear only what is shared with all. */
const fact = fc.record({
  owner: fc.constantFrom(ADA, BO, CEM),
  key: fc.constantFrom(...WORDS),
  value: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
  home: fc.constantFrom("alone", "staff", "general", "server"),
  /** Whether it is forgotten again, at the end. */
  isForgotten: fc.boolean(),
});

type PlannedFact = typeof fact extends fc.Arbitrary<infer One> ? One : never;

const isForAll = ({ home }: PlannedFact) => home === "general" || home === "server";

/** All that somebody in #general is told, with ids by the order in which they appear. */
async function told(facts: readonly PlannedFact[], isThere: (one: PlannedFact) => boolean, isPrivate: boolean) {
  const system = await openWithMemory();
  const { say, call, own, clock } = system;
  const forgotten: [string, string][] = [];
  for (const { owner, key, value, home, isForgotten } of facts) {
    clock.ahead += 1_000;
    const visibility = home === "alone" ? "private" : home === "server" ? "org" : "project";
    const one = { owner, key, value, home, isForgotten };
    if (!isThere(one)) continue;
    const stored = await system
      .remember(owner, [key, value], visibility, { channelId: home === "staff" ? PLACE.staff : PLACE.general })
      .catch(() => null);
    if (isForgotten && stored) forgotten.push([owner, stored.id]);
  }
  for (const [owner, id] of forgotten) await own.forget(owner as never, id).catch(() => null);
  const message = say(PLACE.general, CEM, "what about the heron, the boat and the tide?");
  const more = isPrivate ? { isPrivate } : { messageId: message.id as never };
  const operation = await system.open(CEM, PLACE.general, { scopes: SCOPES } as never, more);
  const outcomes: unknown[] = [];
  for (const user of [ADA, BO]) outcomes.push(await call(operation, "memory_read.get_user_facts", { user }, true));
  outcomes.push(await call(operation, "memory_read.get_project_facts", {}, true));
  for (const query of ["heron", "boat tide"])
    outcomes.push(await call(operation, "memory_read.search_context", { query, limit: 5 }, true));
  outcomes.push(await call(operation, "context.window", {}, true));
  outcomes.push(await call(operation, "memory_write.forget_fact", { key: "heron" }));
  outcomes.push(await call(operation, "memory_write.remember_fact", { key: "heron", value: "seen" }));
  await system.close();
  const ids = new Map<string, string>();
  // The request itself is another message in each run.
  const text = JSON.stringify(outcomes)
    .replaceAll(message.id, "request")
    .replaceAll(/"2026-01-11T[^"]*"/g, '"then"');
  return text.replaceAll(/\b[0-9a-f]{36}\b/g, (id) => {
    if (!ids.has(id)) ids.set(id, `fact${ids.size}`);
    return ids.get(id) ?? id;
  });
}

it("what may not be heard changes no byte, order or count of what others are told", async () => {
  let shown = 0;
  await assertUntil(
    fc.asyncProperty(fc.array(fact, { minLength: 3, maxLength: 12 }), fc.boolean(), async (facts, isPrivate) => {
      // Somebody who alone reads the answer hears their own private facts, too.
      const isHeard = (one: PlannedFact) => isForAll(one) || (isPrivate && one.home === "alone" && one.owner === CEM);
      const everything = await told(facts, () => true, isPrivate);
      expect(everything).toBe(await told(facts, isHeard, isPrivate));
      if (everything.includes("fact0")) shown += 1;
    }),
    () => expect(shown).toBeGreaterThan(0),
    { numRuns: Number(process.env["SOAK_RUNS"] ?? 11) },
  );
});
