import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Serial, SerialByKey } from "./serial.ts";

it("works are done one after the other and in order, whether or not others fail, and each tells how it ended", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ turns: fc.nat(3), fails: fc.boolean() }), { maxLength: 8 }),
      async (works) => {
        const serial = new Serial();
        const log: string[] = [];
        const results = works.map(({ turns, fails }, index) =>
          serial.run(async () => {
            log.push(`begin ${index}`);
            for (let turn = 0; turn < turns; turn += 1) await setImmediate();
            log.push(`end ${index}`);
            if (fails) throw new Error(String(index));
            return index;
          }),
        );
        const ended = Promise.allSettled(results);
        await serial.settled();
        expect(log).toEqual(works.flatMap((_, index) => [`begin ${index}`, `end ${index}`]));
        expect((await ended).map(({ status }) => status === "rejected")).toEqual(works.map(({ fails }) => fails));
      },
    ),
    { numRuns: 50 },
  );
});

it("works of one key wait for each other, those of others do not, also after all of a key were done", async () => {
  const serial = new SerialByKey<string>();
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const first = serial.run("a", () => gate.promise.then(() => log.push("a1")));
  const second = serial.run("a", () => log.push("a2"));
  await serial.run("b", () => log.push("b"));
  expect(log).toEqual(["b"]);
  gate.resolve();
  await Promise.all([first, second]);
  await serial.run("a", () => log.push("a3"));
  expect(log).toEqual(["b", "a1", "a2", "a3"]);
});
