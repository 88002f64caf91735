import { describe, expect, it } from "vitest";
import { matchFacts } from "./match-facts.ts";

const facts = [
  { id: "abcd01", name: "boat" },
  { id: "abcd02", name: "Home  port" },
  { id: "beef03", name: "boat" },
  { id: "cafe04", name: "abcd" },
];
const match = (typed: string) => matchFacts(typed, facts).map(({ id }) => id);

describe("facts that somebody may mean", () => {
  it("are one by its id, and all of a name however it is written", () => {
    expect(match("beef03")).toEqual(["beef03"]);
    expect(match("BOAT")).toEqual(["abcd01", "beef03"]);
    expect(match(" home port ")).toEqual(["abcd02"]);
  });

  it("are those whose id begins with it, where no name matches", () => {
    expect(match("beef")).toEqual(["beef03"]);
    expect(match("abcd0")).toEqual(["abcd01", "abcd02"]);
    expect(match("abcd")).toEqual(["cafe04"]);
  });

  it("are none for the beginning of a name, or for too short a beginning of an id", () => {
    for (const typed of ["boa", "bee", "a", "", "BEEF"]) expect(match(typed)).toEqual([]);
  });
});
