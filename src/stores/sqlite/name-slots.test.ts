import fc from "fast-check";
import { expect, it } from "vitest";
import { NameBytes, NameSlots } from "./name-slots.ts";

it("names are found in their slots after any additions and removals", () => {
  const step = fc.tuple(fc.nat(3), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const slots = new NameSlots("salt");
      const model = new Map<string, number>();
      for (const [index, [kind, number]] of steps.entries()) {
        const name = `name ${number}`;
        const slot = model.get(name);
        if (kind > 0 && slot === undefined) {
          slots.add(NameBytes.of(name), index + 1);
          model.set(name, index + 1);
        } else if (kind === 0 && slot !== undefined) {
          slots.remove(NameBytes.of(name), slot);
          model.delete(name);
        }
      }
      for (let number = 0; number <= 40; number += 1) {
        const slot = model.get(`name ${number}`);
        expect(slots.find(NameBytes.of(`name ${number}`))).toEqual(slot === undefined ? [] : [slot]);
      }
    }),
  );
});

it("100,000 names that came and went leave no others behind", () => {
  const slots = new NameSlots("salt");
  for (let index = 1; index <= 100_000; index += 1) {
    slots.add(NameBytes.of(`name ${index}`), index);
    if (index > 1_000) slots.remove(NameBytes.of(`name ${index - 1_000}`), index - 1_000);
  }
  for (let index = 1; index <= 100_000; index += 1)
    expect(slots.find(NameBytes.of(`name ${index}`))).toEqual(index > 99_000 ? [index] : []);
});
