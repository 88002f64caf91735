import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseName } from "./fact.ts";
import { findNearNames } from "./near-names.ts";

const near = (name: string, ...known: string[]) =>
  findNearNames(
    name,
    known.map((one) => ({ name: one })),
  ).map((one) => one.name);

describe("names that are nearly the same", () => {
  it.each([
    ["home city", "city"],
    ["city", "home city"],
    ["timezone", "time zone"],
    ["Time-Zone", "timezone"],
    ["boats", "boat"],
    ["deploy days", "deploy day"],
    ["name of boat", "boat name of"],
    ["adress", "address"],
    ["favourite colour", "favorite color"],
    ["часовые пояса", "часовые пояса мои"],
  ])("%j is near %j", (one, other) => {
    expect(near(one, other)).toEqual([other]);
  });

  it.each([
    ["city", "country"],
    ["start date", "end date"],
    ["boat", "boot"],
    ["berth 4", "berth 5"],
    ["phone", "phone 2"],
    ["home city", "city of my mother"],
    ["hat", "cat"],
    ["🛶", "🚤"],
  ])("%j is not near %j", (one, other) => {
    expect(near(one, other)).toEqual([]);
    expect(near(other, one)).toEqual([]);
  });

  it("are given with the nearest first, and never the name itself", () => {
    expect(near("time zone", "home time zone", "Time  Zone", "time zones", "timezone", "tine zone")).toEqual([
      "timezone",
      "time zones",
      "tine zone",
      "home time zone",
    ]);
  });

  it("are near each other both ways, whatever they contain", () => {
    const name = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc
        .array(fc.constantFrom("home", "city", "cities", "time", "zone", "zones", "4", "5", "-"), { maxLength: 4 })
        .map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(near(one, other).length).toBe(near(other, one).length);
        if (normaliseName(one) === normaliseName(other)) expect(near(one, other)).toEqual([]);
      }),
    );
  });
});
