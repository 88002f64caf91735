import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDateSpans, toDateWords } from "./date-words.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");

describe("toDateWords", () => {
  it.each([
    "What happened on 8 May 2023?",
    "What happened on May 8, 2023?",
    "the 8th of May 2023",
    "May 8th, 2023",
    "since 2023-05-08",
  ])("reads the day, the month and the year of %s", (text) => {
    expect(toDateWords(text)).toEqual(
      expect.arrayContaining([
        { year: 2023, month: 5, day: 8 },
        { year: 2023, month: 5, day: null },
        { year: 2023, month: null, day: null },
      ]),
    );
  });

  it.each([
    ["in May", { year: null, month: 5, day: null }],
    ["last December", { year: null, month: 12, day: null }],
    ["sept 2024", { year: 2024, month: 9, day: null }],
  ])("reads the month of %s", (text, date) => {
    expect(toDateWords(text)).toContainEqual(date);
  });

  it.each(["may I march?", "you may go", "2.6.8", "20230508", "the 8th", "mayor 3", "room 1234"])(
    "sees no date in %s",
    (text) => {
      expect(toDateWords(text)).toEqual([]);
    },
  );

  it("accepts any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void toDateWords(text)));
  });
});

it("the time span of a date covers the whole day, month or year, and nothing else", () => {
  const moment = fc.date({ min: new Date("2019-01-01"), max: new Date("2026-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, moment, (date, other) => {
      const text = `on ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
      for (const words of toDateWords(text)) {
        const isWithin = ({ from, to }: { from: number; to: number }) =>
          other.getTime() >= from && other.getTime() < to;
        const isSame =
          other.getUTCFullYear() === date.getUTCFullYear() &&
          (words.month === null || other.getUTCMonth() === date.getUTCMonth()) &&
          (words.day === null || other.getUTCDate() === date.getUTCDate());
        expect(toDateSpans(words, { from: 2019, to: 2026 }).some(isWithin)).toBe(isSame);
      }
    }),
  );
});
