import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openSystem } from "../attack/open-system.ts";
import { createTestConsent } from "../support/consent.ts";
import { FailingStores } from "../support/failing-stores.ts";
import { openMemoryIn } from "../support/memory.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";

const SCOPES = ["memory:read_self", "memory:read_project", "memory:write_self", "discord:send"];
const DAY_MS = 86_400_000;

const step = fc.record({
  kind: fc.constantFrom("remember", "remember", "propose", "forget", "erase", "expire"),
  who: fc.constantFrom(ADA, BO),
  key: fc.constantFrom("boat", "port"),
  isShared: fc.boolean(),
  /** Which call of a store fails, if that many are made. */
  call: fc.nat(40),
  isKilled: fc.boolean(),
  moment: fc.constantFrom("before", "after"),
});

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A person, a key, who hears it, a value: all that there is to a fact here. */
type PlainFacts = readonly string[];

async function play(folder: string, steps: readonly Step[]): Promise<number> {
  const consent = createTestConsent();
  let ahead = 0;
  let plain: PlainFacts = [];
  let failed = 0;

  const within = async <Result>(
    wrap: (<Store extends object>(store: Store) => Store) | undefined,
    work: (system: ReturnType<typeof openSystem>) => Promise<Result>,
  ): Promise<Result> => {
    const clock = { now: () => 0 };
    const { memory, close } = await openMemoryIn(folder, { consent, clock: { now: () => clock.now() } }, wrap);
    try {
      const system = openSystem({ rules: { memory: { people: "shared" } }, memory, consent });
      system.clock.ahead = ahead;
      clock.now = system.clock.now;
      const result = await work(system);
      await system.close();
      return result;
    } finally {
      close();
    }
  };
  const read = ({ ownMemory }: ReturnType<typeof openSystem>) =>
    Promise.all(
      [ADA, BO].map(async (who) => {
        const facts = (await ownMemory?.list(who as UserId)) ?? [];
        return facts.map(({ fact }) => `${who} ${fact.name} ${fact.visibility} ${fact.value}`);
      }),
    ).then((lists) => lists.flat().sort());

  for (const [index, { kind, who, key, isShared, call, isKilled, moment }] of steps.entries()) {
    ahead += kind === "expire" ? 2 * DAY_MS : 1_000;
    const value = `v${index}`;
    const stores = new FailingStores(call, { isKilled, moment });
    const prefix = `${who} ${key} ${isShared ? "org" : "private"} `;
    const mine = (one: string) => one.startsWith(`${who} `);
    const live = kind === "expire" ? [] : plain;
    const wanted: Readonly<Record<Step["kind"], PlainFacts>> = {
      remember: [...plain.filter((one) => !one.startsWith(prefix)), `${prefix}${value}`],
      propose: [...plain.filter((one) => !one.startsWith(prefix)), `${prefix}${value}`],
      forget: plain.filter((one) => one !== plain.find(mine)),
      erase: plain.filter((one) => !mine(one)),
      expire: live,
    };
    const act = async (system: ReturnType<typeof openSystem>) => {
      const { ownMemory: own, gate } = system;
      if (!own) throw new Error("nothing is remembered");
      const visibility = isShared ? ("org" as const) : ("private" as const);
      const expiresAt = system.clock.now() + DAY_MS;
      if (kind === "remember")
        await own.remember(who as UserId, {
          ...{ key, value, visibility, expiresAt, typedIn: "1" },
          channelId: PLACE.general as ChannelId,
        });
      if (kind === "propose") {
        const operation = await system.open(who, PLACE.general, { scopes: SCOPES } as never);
        const args = { key, value, visibility: isShared ? "server" : "private", days: 1 };
        await system.call(operation, "memory_write.remember_fact", args);
        const [one] = gate.confirmations.pending(who as UserId, { inPerson: true });
        if (!one) throw new Error("nothing waits");
        await gate.confirm(one.id, who as UserId, { inPerson: true, way: "as_shown" });
      }
      if (kind === "forget") {
        const chosen = (await own.list(who as UserId)).find(
          ({ fact }) => `${who} ${fact.name} ${fact.visibility} ${fact.value}` === plain.find(mine),
        );
        if (chosen) await own.forget(who as UserId, chosen.fact.id);
      }
      if (kind === "erase") await own.erase(who as UserId);
    };
    const isDone = await within(stores.wrap.bind(stores), act).then(
      () => true,
      () => false,
    );
    if (!isDone) failed += 1;
    // Whatever happened at whichever write: all of it was done, or nothing, and what was reported as done is.
    const now = await within(undefined, read);
    const [before, after] = [[...live].sort(), [...wanted[kind]].sort()];
    if (isDone) expect([kind, now]).toEqual([kind, after]);
    else if (kind === "erase") expect(now.filter((one) => !mine(one))).toEqual(before.filter((one) => !mine(one)));
    else expect([before, after].map(String)).toContain(String(now));
    expect(before.concat(after)).toEqual(expect.arrayContaining(now));
    // What others hear follows from that.
    const heard = await within(undefined, async (system) => {
      const operation = await system.open(CEM, PLACE.general, { scopes: SCOPES } as never);
      const outcome = await system.call(operation, "memory_read.get_user_facts", { user: who });
      const facts = outcome.ok ? (outcome.value["facts"] as { key: string; value: string }[]) : [];
      return facts.map((fact) => `${who} ${fact.key} org ${fact.value}`).sort();
    });
    expect(heard).toEqual(now.filter((one) => mine(one) && one.includes(" org ")).sort());
    plain = now;
  }
  return failed;
}

it("whichever write fails or is the last, facts are as before or as wanted, and heard accordingly after a start", async () => {
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "earshot-faults-"));
      try {
        failed += await play(folder, steps);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: Number(process.env["SOAK_RUNS"] ?? 12) },
  );
  expect(failed).toBeGreaterThan(5);
});
