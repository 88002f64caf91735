import fc from "fast-check";
import { expect, it } from "vitest";
import { SCOPES } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { assertUntil } from "../support/assert-until.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { NO_COUNTS, WatchedOperations } from "../support/watched-operations.ts";
import { openWithMemory } from "../support/with-memory.ts";

const PEOPLE = [ADA, BO, CEM] as const;
const PLACES = [PLACE.general, PLACE.staff, PLACE.lounge, PLACE.letters] as const;
const GRANTS = [
  { confined: true },
  {},
  { confined: true, scopes: SCOPES.filter((scope) => scope !== "discord:send") },
] as const;

const step = fc.record({
  kind: fc.constantFrom("read", "remember", "remember", "say", "delete", "react", "press"),
  /** Whose request, made where, and whether the answer is for them alone. */
  who: fc.nat(2),
  origin: fc.nat(3),
  isPrivate: fc.boolean(),
  where: fc.nat(3),
  which: fc.nat(20),
});

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const plays = fc.record({
  client: fc.constantFrom(0, 0, 1, 2),
  steps: fc.array(step, { minLength: 5, maxLength: 25, size: "max" }),
});

/** What one client leaves behind in Discord that has people asked. */
async function play({ client, steps }: { client: number; steps: readonly Step[] }) {
  const world = smallWorld();
  const watched = new WatchedOperations(world, () => system.clock.now());
  const system = await openWithMemory({ asksPeople: true, onDeparture: (one) => watched.onDeparture(one) }, world);
  const named = system.client({ scopes: [...SCOPES], ...GRANTS[client] }, `client ${client}`);
  const opened = new Map<string, Operation | null>();
  const open = async ({ who, origin, isPrivate }: Step) => {
    const request = { actor: PEOPLE[who], channelId: PLACES[origin], isPrivate };
    const key = JSON.stringify(request);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const operation = await system.operations.open(named, request as never).catch(() => null);
    opened.set(key, operation);
    return operation;
  };
  const sent: { channel: string; message_id: string }[] = [];
  for (const one of steps) {
    const { kind, where, which } = one;
    const place = PLACES[where] ?? PLACE.general;
    const operation = await open(one);
    if (!operation) continue;
    const call = (name: string, args: object) =>
      watched.call(system, operation, { name, args: args as never, wantsText: false });
    const own = sent[which % Math.max(1, sent.length)];
    if (kind === "read") await call("discord.channel.messages", { channel: place });
    if (kind === "remember") await call("memory_write.remember_fact", { key: `fact ${which}`, value: "a boat" });
    if (kind === "delete" && own) await call("discord.delete", own);
    if (kind === "react")
      await call("discord.react", { channel: place, message_id: world.messages.get(place)?.[0]?.id, emoji: "👍" });
    if (kind === "press") {
      const asked = system.asked[which % Math.max(1, system.asked.length)];
      if (asked) await watched.confirm(system, asked.id, asked.operation.actor);
    }
    if (kind !== "say") continue;
    const id = /"message_ids":\["(\d+)"/.exec(
      await call("discord.send", { channel: place, text: `tide ${which}` }),
    )?.[1];
    if (id) sent.push({ channel: place, message_id: id });
  }
  await system.close();
  return watched;
}

it("a message that asks somebody to confirm something stands where everybody may know what it rests on, and once", async () => {
  const sum = { ...NO_COUNTS };
  const property = fc.asyncProperty(plays, async (one) => {
    const { violations, counts } = await play(one);
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
    expect(violations).toEqual([]);
  });
  await assertUntil(property, () => expect(sum.prompts).toBeGreaterThan(20), { numRuns: 100 });
});
