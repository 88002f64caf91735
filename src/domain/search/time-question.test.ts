import { describe, expect, it } from "vitest";
import { asksForTime, tellsTime } from "./time-question.ts";

describe("a question for a time", () => {
  it.each([
    "when is the regatta?",
    "project deadline",
    "what day do we meet",
    "Wann ist die Regatta?",
    "quand est la réunion",
    "¿Cuándo es?",
    "когда встреча?",
    "会議はいつ?",
    "언제 만나요",
    "什么时候开会",
    "متى الاجتماع؟",
  ])("is recognised: %s", (text) => expect(asksForTime(text)).toBe(true));

  it.each(["the whenever list", "update the kettle", "who books the hall?", ""])("is not seen in: %s", (text) =>
    expect(asksForTime(text)).toBe(false),
  );
});

it.each(["26th", "7", "19h", "2026", "Tuesday", "November", "mañana", "dienstag", "среда", "金曜日", "11月3日"])(
  "the word %s may tell a time",
  (word) => expect(tellsTime(word)).toBe(true),
);

it.each(["26000", "v3b", "may", "timely", "kettle", "1234567890123456789"])("the word %s tells no time", (word) =>
  expect(tellsTime(word)).toBe(false),
);
