import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toLocale } from "./date-order.ts";
import { toNumericDate } from "./numeric-date.ts";

/** All that Discord offers. */
const LOCALES =
  "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko".split(
    " ",
  );
const at = { now: Date.parse("2026-11-16T12:00:00Z"), zone: "UTC" };
const read = (words: string, locale: string | null = null) => {
  const date = toNumericDate(words, { ...at, locale: toLocale(locale) });
  return date?.kind === "ambiguous" ? date.days : (date?.day ?? null);
};

describe("dates in numbers", () => {
  it.each([
    ["24/12/2025", "2025-12-24"],
    ["12/24/2025", "2025-12-24"],
    ["24.12.", "2025-12-24"],
    ["3.4.2026", "2026-04-03"],
    ["15-10", "2026-10-15"],
    ["5/5/2026", "2026-05-05"],
    ["2026. 3. 4.", "2026-03-04"],
    ["2026.03.04", "2026-03-04"],
    ["4.13.2026", "2026-04-13"],
  ])("%s is %s, because it can be read in one way only", (words, day) => {
    expect(read(words)).toBe(day);
  });

  it("that can be read in two ways are both of them", () => {
    expect(read("3/4/2026")).toEqual(["2026-04-03", "2026-03-04"]);
    expect(read("11-12")).toEqual(["2025-12-11", "2026-11-12"]);
  });

  it.each(["31/31/2026", "30.2.2026", "2026-11-02", "3", "3/4/26", "a/b", "2026.13.13", "1969.1.1"])(
    "%s is none of them",
    (words) => {
      for (const locale of [null, "en-US", "ko"]) expect(read(words, locale)).toBeNull();
    },
  );

  it.each([
    ["en-US", "3/4/2026", "2026-03-04"],
    ["en-GB", "3/4/2026", "2026-04-03"],
    ["de", "3/4", "2026-04-03"],
    ["pt-BR", "11-12", "2025-12-11"],
    ["en-US", "11-12", "2026-11-12"],
    ["hi", "3/4", "2026-04-03"],
    ["th", "3/4/2026", "2026-04-03"],
    // These write the year first; without one, Swedes put the day first and the others the month.
    ["sv-SE", "3/4", "2026-04-03"],
    ["ja", "3/4", "2026-03-04"],
    ["zh-TW", "3-4", "2026-03-04"],
    ["hu", "3/4/2026", "2026-03-04"],
    ["ko", "3.4.", "2026-03-04"],
    // With dots Americans, too, put the day first.
    ["en-US", "3.4.2026", "2026-04-03"],
  ])("with the locale %s %s is %s, and known to be a choice", (locale, words, day) => {
    expect(toNumericDate(words, { ...at, locale: toLocale(locale) })).toMatchObject({ kind: "decided", day });
  });

  it("with dots are no choice where the day stands first anyway", () => {
    const date = { kind: "certain", day: "2026-04-03" };
    for (const locale of ["de", "fi", "sv-SE", "ru"])
      expect(toNumericDate("3.4.2026", { ...at, locale: toLocale(locale) })).toEqual(date);
  });

  it("that can be read in one way only do not depend on the locale", () => {
    const sign = fc.constantFrom("/", "-", ".", " / ");
    const locale = fc.constantFrom(...LOCALES);
    const year = fc.integer({ min: 1970, max: 2100 });
    const large = fc.integer({ min: 13, max: 28 });
    const small = fc.integer({ min: 1, max: 12 });
    const anyDate = fc.oneof(fc.tuple(large, small), fc.tuple(small, large), fc.tuple(small, small));
    fc.assert(
      fc.property(anyDate, year, sign, locale, ([first, second], year, sign, locale) => {
        fc.pre(first === second || first > 12 || second > 12);
        const month = first > 12 ? second : first;
        const day = first > 12 ? first : second;
        const iso = [year, month, day].map((part) => String(part).padStart(2, "0")).join("-");
        expect(read([first, second, year].join(sign), locale)).toBe(iso);
      }),
    );
  });

  it("that can be read in two ways are one of the two in every locale of Discord", () => {
    for (const locale of LOCALES) {
      expect(toLocale(locale), locale).not.toBeNull();
      expect(["2026-04-03", "2026-03-04"], locale).toContain(read("3/4/2026", locale));
    }
  });
});

describe("a locale", () => {
  it("that is missing, malformed or unknown is none, whatever the machine's own is", () => {
    for (const value of [undefined, null, 7, {}, ["de"], "", "C", "en_US", "xx", "tlh", "de".repeat(40)])
      expect(toLocale(value), String(value)).toBeNull();
    expect(read("3/4/2026", "xx")).toHaveLength(2);
  });
});
