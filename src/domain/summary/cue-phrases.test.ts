import { describe, expect, it } from "vitest";
import { findCues } from "./cue-phrases.ts";

describe("findCues", () => {
  it.each(["is it open?", "is it open?!", "really?? 😀", "本当ですか？", "هل هو مفتوح؟", "(is it?)", "Είναι ανοιχτό;"])(
    "finds a question in %o",
    (text) => {
      expect(findCues(text).isQuestion).toBe(true);
    },
  );

  it.each(["what did you see", "a? no.", "yes;", "why not!"])("finds no question in %o", (text) => {
    expect(findCues(text).isQuestion).toBe(false);
  });

  it.each([
    "let’s meet at the pier",
    "I'll paint it",
    "We will do that",
    "on it",
    "ich kümmere mich darum",
    "das mach ich",
    "je m'en occupe",
    "on se retrouve au port",
    "yo me encargo",
    "vamos a pintarlo",
  ])("finds a plan in %o", (text) => {
    expect(findCues(text)).toMatchObject({ isPlan: true, isDecision: false });
  });

  it.each(["let's see", "I'll never tell", "the outlet is broken", "will doesn't know", "shall I do it? I'll?"])(
    "finds no plan in %o",
    (text) => {
      expect(findCues(text).isPlan).toBe(false);
    },
  );

  it.each([
    "on Monday",
    "am Dienstag um 9 Uhr",
    "mercredi",
    "el jueves",
    "в пятницу — пятница",
    "the 26th",
    "at 10:30",
    "6 pm",
    "2026-07-18",
    "<t:1784397600:F>",
    "7月18日",
    "土曜日",
    "mañana",
    "in September",
  ])("finds a date in %o", (text) => {
    expect(findCues(text).hasDate).toBe(true);
  });

  it.each(["it may rain", "version 3.10:x", "100 kg", "mark the spot", "sunny days"])("finds no date in %o", (text) => {
    expect(findCues(text).hasDate).toBe(false);
  });

  it.each(["I'm keeping the lemon", "view of the dry dock. cat approved"])("finds no decision in %o", (text) => {
    expect(findCues(text).isDecision).toBe(false);
  });

  it.each(["keeping the 26th", "approved. merge when green"])("finds a decision in %o", (text) => {
    expect(findCues(text).isDecision).toBe(true);
  });
});
