import { describe, expect, it } from "vitest";
import { hasScreening, toMemberFacts } from "./to-guild.ts";

describe("a member as Discord describes them", () => {
  it.each([
    [{ pending: true }, true],
    [{ pending: false }, false],
    [{ pending: null }, true],
    [{ pending: "false" }, true],
    [{ pending: 0 }, true],
    [{}, undefined],
  ])("with %j is pending: %s", (raw, expected) => {
    expect(toMemberFacts({ user: { id: "7" }, roles: [], ...raw })?.pending).toBe(expected);
  });
});

describe("a server", () => {
  it.each([
    [["COMMUNITY", "MEMBER_VERIFICATION_GATE_ENABLED"], true],
    [["COMMUNITY"], false],
    [[], false],
    [undefined, true],
    [null, true],
    [["COMMUNITY", 7], true],
    ["COMMUNITY", true],
  ])("with the features %j screens new members: %s", (features, expected) => {
    expect(hasScreening(features)).toBe(expected);
  });
});
