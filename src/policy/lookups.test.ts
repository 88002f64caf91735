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
  it("allow each person 120 ids a minute, readable or not", () => {
    const { charge, pass } = open();
    expect(charge(ADA, 100)).toBe(100);
    expect(charge(ADA, 30, true)).toBe(20);
    expect(charge(person(1), 121)).toBe(120);
    pass(1);
    expect(charge(ADA, 5)).toBe(2);
  });

  it("stop for all people together before Discord would ban the address, except for channels that can be read", () => {
    const { charge, pass } = open();
    for (let index = 0; index < 41; index += 1) expect(charge(person(index), 120)).toBe(120);
    expect(charge(ADA, 100)).toBe(80);
    expect(charge(ADA, 20, true)).toBe(20);
    pass(60);
    expect(charge(person(100), 120)).toBe(120);
    pass(6);
    for (let index = 0; index < 3; index += 1) charge(person(index), 120);
    expect(charge(person(101), 120)).toBeLessThan(120);
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
