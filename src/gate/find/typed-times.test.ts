import { describe, expect, it } from "vitest";
import type { GuildId } from "../../domain/ids.ts";
import { type Locale, toLocale } from "../../domain/time/date-order.ts";
import type { GuildInfo } from "../../ports/directory.ts";
import { TypedTimes } from "./typed-times.ts";

const HERE = "1" as GuildId;
const ELSEWHERE = "2" as GuildId;

/** Reads the words as asked in a server whose locale is `guild`. */
async function read(
  words: string,
  { locale, guild, guildId = HERE }: { locale?: string; guild?: string; guildId?: GuildId | null } = {},
) {
  const locales = new Map<GuildId, Locale | null>([
    [HERE, toLocale(guild)],
    [ELSEWHERE, toLocale("ja")],
  ]);
  const directory = {
    guild: (id: GuildId) =>
      locales.has(id) ? ({ id, preferredLocale: locales.get(id) ?? null } as GuildInfo) : undefined,
  };
  const times = new TypedTimes(
    { locale: toLocale(locale) ?? undefined, guildId },
    { discord: { directory }, clock: { now: () => Date.parse("2026-11-16T12:00:00Z") }, timeZone: "UTC" },
  );
  const day = new Date((await times.read(words)).from).toISOString().slice(0, 10);
  return { day, notes: times.notes };
}

describe("a date in numbers that can be read in two ways", () => {
  const april = {
    day: "2026-04-03",
    notes: ['"3/4" was read as 2026-04-03; if 2026-03-04 was meant, give the date like that.'],
  };
  const march = {
    day: "2026-03-04",
    notes: ['"3/4" was read as 2026-03-04; if 2026-04-03 was meant, give the date like that.'],
  };
  const refusal = /^"3\/4" may be 2026-04-03 or 2026-03-04: .* Give the date like that\.$/;

  it("is read by the actor's locale, else by one that somebody chose for the server, and that is said", async () => {
    expect(await read("3/4", { locale: "en-US", guild: "de" })).toEqual(march);
    expect(await read("3/4", { locale: "en-GB", guild: "en-US" })).toEqual(april);
    expect(await read("3/4", { guild: "de" })).toEqual(april);
    expect(await read("3/4", { guild: "ko" })).toEqual(march);
  });

  it("is refused with both days where neither is known, and where the server has only Discord's default", async () => {
    await expect(read("3/4")).rejects.toThrow(refusal);
    await expect(read("3/4", { guild: "en-US" })).rejects.toThrow(refusal);
    await expect(read("3/4", { guild: "tlh", locale: "xx" })).rejects.toThrow(refusal);
    await expect(read("3/4", { guildId: null })).rejects.toThrow(refusal);
    await expect(read("3/4", { guildId: "4" as GuildId })).rejects.toThrow(refusal);
    await expect(read("since 3/4")).rejects.toThrow(refusal);
  });

  it("is said once, however often it was read in a call", async () => {
    expect(await read("from 3/4 to 3/4", { locale: "de" })).toEqual(april);
  });
});

describe("a time that can be read in one way only", () => {
  it("is read without a note", async () => {
    for (const words of ["13/4", "4/13", "2026-04-13", "April 13"])
      expect(await read(words, { locale: "en-US" })).toEqual({ day: "2026-04-13", notes: [] });
  });
});
