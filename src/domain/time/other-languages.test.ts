import { describe, expect, it } from "vitest";
import { toSpanInOtherLanguage } from "./other-languages.ts";

const now = Date.parse("2026-11-16T12:00:00Z");
const read = (words: string, zone = "UTC") => {
  const span = toSpanInOtherLanguage(words, { now, zone });
  return span && [new Date(span.from).toISOString().slice(0, 10), new Date(span.to).toISOString().slice(0, 10)];
};

describe("times in other languages than English", () => {
  it.each([
    ...["gestern", "ayer", "ontem", "hier", "вчера", "ieri", "gisteren", "昨日", "昨天", "أمس", "вчора", "igår"],
    ...["eilen", "hôm qua", "kemarin"],
  ])("%s is yesterday", (words) => {
    expect(read(words)).toEqual(["2026-11-15", "2026-11-15"]);
  });

  it.each(["letzte Woche", "la semaine dernière", "на прошлой неделе", "vorige week"])(
    "%s is a whole week",
    (words) => {
      expect(read(words)).toEqual(["2026-11-09", "2026-11-15"]);
    },
  );

  it.each(["2. November 2025", "2 de noviembre de 2025", "2 novembre 2025", "2 ноября 2025", "2025年11月2日"])(
    "%s is that day",
    (words) => {
      expect(read(words)).toEqual(["2025-11-02", "2025-11-02"]);
    },
  );

  it("a month that was is the whole month, and a day without a year the latest", () => {
    expect(read("le mois dernier")).toEqual(["2026-10-01", "2026-10-31"]);
    expect(read("am 24. Dezember")).toEqual(["2025-12-24", "2025-12-24"]);
    expect(read("Freitag")).toEqual(["2026-11-13", "2026-11-13"]);
  });

  it("days begin where the person asking is", () => {
    const span = toSpanInOtherLanguage("gestern", { now, zone: "Europe/Berlin" });
    expect(new Date(span?.from ?? 0).toISOString()).toBe("2026-11-14T23:00:00.000Z");
  });

  it.each(["2/11/2025", "2.11.", "to", "mar", "avant-hier soir peut-être", "boot", "", "x".repeat(200)])(
    "%s is not understood",
    (words) => {
      expect(read(words)).toBeNull();
    },
  );
});
