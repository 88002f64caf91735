import { casual as ar } from "chrono-node/ar";
import { casual as de } from "chrono-node/de";
import type { ParsedResult } from "chrono-node/en";
import { casual as es } from "chrono-node/es";
import { casual as fi } from "chrono-node/fi";
import { casual as fr } from "chrono-node/fr";
import { casual as id } from "chrono-node/id";
import { casual as it } from "chrono-node/it";
import { casual as ja } from "chrono-node/ja";
import { casual as nl } from "chrono-node/nl";
import { casual as pt } from "chrono-node/pt";
import { casual as ru } from "chrono-node/ru";
import { casual as sv } from "chrono-node/sv";
import { casual as uk } from "chrono-node/uk";
import { casual as vi } from "chrono-node/vi";
import { hans, hant } from "chrono-node/zh";
import type { TimeSpan } from "./time-words.ts";
import { type WallClock, type WallTime, wallClockOf } from "./wall-clock.ts";
import { HOUR_MS, isDate, MINUTE_MS, spanFrom, wholeDay } from "./written-dates.ts";

/** Languages with more speakers on Discord come first: the first that can parse the words decides. */
const READERS = [es, pt, fr, de, ru, ja, it, nl, ar, id, vi, sv, fi, uk, hans.casual, hant.casual];
const MAX_WORDS_LENGTH = 100;
/** In Latin letters, shorter abbreviations of weekdays are words of other languages. */
const MIN_WORD_LENGTH = 4;
const IS_LATIN = /^[^\p{L}]*\p{sc=Latin}/u;
/** The order of day and month differs between countries, and so between parsers. */
const NUMERIC = /\d\s*[/.-]\s*\d/;

interface Now {
  readonly now: number;
  /** IANA name, such as Europe/Berlin or UTC. */
  readonly zone: string;
}

/**
 * Parses a day, a week, a month, a year or a time of day in the languages of chrono-node beside English, such as "gestern" or "la semaine
 * dernière". A date without a year is the latest that has begun. Null unless the whole text is understood.
 */
export function toSpanInOtherLanguage(written: string, { now, zone }: Now): TimeSpan | null {
  if (written.length > MAX_WORDS_LENGTH || NUMERIC.test(written)) return null;
  const words = written.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
  if (IS_LATIN.test(words) && (words.match(/\p{L}/gu) ?? []).length < MIN_WORD_LENGTH) return null;
  const wall = wallClockOf(zone);
  const { year, month, day, hour, minute } = wall.read(now);
  const instant = new Date(Date.UTC(year, month - 1, day, hour, minute));
  for (const reader of READERS) {
    const [result, ...others] = reader.parse(words, { instant, timezone: 0 });
    if (!result || others.length > 0 || result.end || result.text !== words) continue;
    const span = toSpanOf(result, { now, wall });
    if (span) return span.from <= now ? { from: span.from, to: Math.min(span.to, now) } : null;
  }
  return null;
}

function toSpanOf({ start, text }: ParsedResult, { now, wall }: { now: number; wall: WallClock }): TimeSpan | null {
  if (start.isCertain("timezoneOffset")) return null;
  const date = { year: start.get("year") ?? 0, month: start.get("month") ?? 0, day: start.get("day") ?? 0 };
  if (date.year < 1970 || date.year > 9_998 || !isDate(date)) return null;
  const from = wall.find(date);
  const isRelative = start.tags().has("result/relativeDate");
  if (start.isCertain("hour")) return atHour({ ...date, ...timeOf(start) }, text, wall);
  if (isRelative && !start.isCertain("day")) return wholeUnit(wall, from, start.isCertain("month") ? "month" : "year");
  if (isRelative && !start.isCertain("weekday")) return wholeUnit(wall, from, "week");
  if (start.isCertain("day")) {
    const isLater = from > now && !start.isCertain("year");
    const latest = isLater ? { ...date, year: date.year - 1 } : date;
    return isDate(latest) ? wholeDay(wall, latest) : null;
  }
  if (start.isCertain("weekday")) return wholeDay(wall, from > now ? { ...date, day: date.day - 7 } : date);
  return null;
}

function timeOf(start: ParsedResult["start"]): Pick<WallTime, "hour" | "minute"> {
  return { hour: start.get("hour") ?? 0, minute: start.get("minute") ?? 0 };
}

function atHour(time: Parameters<WallClock["find"]>[0], text: string, wall: WallClock): TimeSpan | null {
  return spanFrom(wall.find(time), text.includes(":") ? MINUTE_MS : HOUR_MS);
}

function wholeUnit(wall: WallClock, at: number, unit: "week" | "month" | "year"): TimeSpan {
  return { from: wall.start(at, unit), to: wall.start(at, unit, 1) - 1 };
}
