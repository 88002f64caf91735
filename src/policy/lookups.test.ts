import { describe, expect, it } from "vitest";
import type { UserId } from "../domain/ids.ts";
import { Lookups, tooManyLookups } from "./lookups.ts";

const ADA = "1" as UserId;
const person = (index: number) => String(1_000 + index) as UserId;

function open() {
  let now = 0;
  const lookups = new Lookups({ now: () => now });
  /** How many of this many ids may be looked up. */
  const charge = (actor: UserId, count: number, isReadable = false) =>
    Array.from({ length: count }, () => lookups.charge(actor, isReadable)).filter(Boolean).length;
  return {
    charge,
    pass: (seconds: number) => {
      now += seconds * 1_000;
    },
  };
}

describe("lookups of channels by id", () => {
  it("allow each person 120 ids a minute, of which 60 at first that cannot be read", () => {
    const { charge, pass } = open();
    expect(charge(ADA, 70)).toBe(60);
    expect(charge(ADA, 60, true)).toBe(50);
    expect(charge(person(1), 121, true)).toBe(120);
    pass(10);
    expect(charge(ADA, 5)).toBe(1);
  });

  it("stop for all people together before Discord would refuse too much, except for channels that can be read", () => {
    const { charge, pass } = open();
    for (let index = 0; index < 5; index += 1) expect(charge(person(index), 60)).toBe(60);
    expect(charge(ADA, 20)).toBe(0);
    expect(charge(ADA, 20, true)).toBe(20);
    pass(60);
    expect(charge(person(100), 60)).toBe(30);
  });

  it("leave reads what Discord may refuse: nobody alone, nor all people together, use up the 800 refusals of ten minutes", () => {
    const { charge, pass } = open();
    let [ofAda, ofAll] = [0, 0];
    for (let second = 0; second < 600; second += 1) {
      ofAda += charge(ADA, 2);
      for (let index = 0; index < 10; index += 1) ofAll += charge(person(index), 2);
      pass(1);
    }
    expect(ofAda).toBeLessThanOrEqual(120);
    expect(ofAda + ofAll).toBeLessThanOrEqual(600);
  });

  it("remember a person with a used-up budget while 10,000 others come and go", () => {
    const { charge, pass } = open();
    expect(charge(ADA, 121, true)).toBe(120);
    for (let index = 0; index < 9_999; index += 1) charge(person(index), 1, true);
    pass(1);
    charge(person(20_000), 1, true);
    expect(charge(ADA, 120, true)).toBe(2);
  });

  it("are refused with the same words for every id, and with a time to retry", () => {
    expect(tooManyLookups()).toMatchObject({
      code: "rate_limited",
      retryAfter: 60,
      message: "Too many channels were asked for by id; try again in 60 seconds, or use names.",
    });
  });
});
