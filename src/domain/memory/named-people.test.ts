import { describe, expect, it } from "vitest";
import { findNamedPeople } from "./named-people.ts";

const SARAH = { id: "1", names: ["Skipper", "Sarah Okafor", "sarah_o"] };
const MARK = { id: "2", names: ["mark"] };
const named = (text: string, people = [SARAH, MARK]) => [...findNamedPeople([text], people)].sort();

describe("people named in plain words", () => {
  it("are found by a whole nickname, display name or username, however it is cased, spaced or decorated", () => {
    for (const text of [
      ...["ask Skipper", "SKIPPER", "skipper's boat", "(Skipper)", "sarah okafor", "Sarah-Okafor", "SarahOkafor"],
      ...["Ｓkipper", "Skip\u200bper", "Sárah Okafor", "mail sarah_o today", "Sarah O?"],
    ])
      expect([text, named(text)]).toEqual([text, ["1"]]);
    expect(named("Mark and Skipper")).toEqual(["1", "2"]);
  });

  it("are found by letters of another alphabet that look alike, where a word mixes them", () => {
    // Each with one or more Cyrillic or Greek letters.
    for (const text of ["Skippеr", "SKІPPER", "sаrah okafor", "Sarah Οkafοr", "ask mаrk"])
      expect([text, named(text)]).toEqual([text, text.includes("m") ? ["2"] : ["1"]]);
    // "с" is a word of its own here, and a word in one alphabet is what it says.
    for (const text of ["с kipper", "ѕ kipper", "марк", "τark"]) expect([text, named(text)]).toEqual([text, []]);
  });

  it("are not found by a part of a name, a part of a word, or a word that only resembles it", () => {
    for (const text of ["Sarah", "Okafor", "Skippers", "markdown", "remark", "benchmark", "Sarah and Okafor", ""])
      expect([text, named(text)]).toEqual([text, []]);
  });

  it("are not found by names that are ordinary words, have too few letters, or that several have", () => {
    const odd = (...names: string[]) => [{ id: "3", names }];
    expect(named("the next week we go on", odd("next week", "the", "we"))).toEqual([]);
    expect(named("at 2026 by Jo 1234567", odd("2026", "Jo", "1234567", "★"))).toEqual([]);
    expect(named("ask mark", [MARK, { id: "4", names: ["Mark", "Marcus"] }])).toEqual([]);
    expect(named("ask Marcus or mark", [MARK, { id: "4", names: ["Mark", "Marcus"] }])).toEqual(["4"]);
    expect(named("mark", [{ id: "2", names: ["mark", "Mark"] }])).toEqual(["2"]);
  });
});
