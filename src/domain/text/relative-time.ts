const SECOND = 1_000;
const DAY = 86_400 * SECOND;

const UNITS: readonly {
  readonly unit: "year" | "month" | "week" | "day" | "hour" | "minute";
  readonly length: number;
}[] = [
  { unit: "year", length: 365.25 * DAY },
  { unit: "month", length: 30.44 * DAY },
  { unit: "week", length: 7 * DAY },
  { unit: "day", length: DAY },
  { unit: "hour", length: 3_600 * SECOND },
  { unit: "minute", length: 60 * SECOND },
];

/** By language, created on first use, because it is slow. */
const formats = new Map<string, Record<"always" | "auto", Intl.RelativeTimeFormat>>();

/** How long ago, in the largest unit that fits: `5 minutes ago`. Less than a minute is `now`, because clocks differ by seconds. */
export function toRelativeTime(ts: string, now: number, language = "en"): string {
  const elapsed = now - Date.parse(ts);
  if (Number.isNaN(elapsed)) return "time unknown";
  const fitting = UNITS.find(({ length }) => Math.abs(elapsed) >= length);
  const { always, auto } = formatsOf(language);
  return fitting ? always.format(-Math.trunc(elapsed / fitting.length), fitting.unit) : auto.format(0, "second");
}

function formatsOf(language: string): Record<"always" | "auto", Intl.RelativeTimeFormat> {
  const known = formats.get(language) ?? {
    always: new Intl.RelativeTimeFormat(language),
    auto: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
  };
  formats.set(language, known);
  return known;
}

/** A duration in the largest unit that fits: `3 hours`. */
export function toDuration(milliseconds: number): string {
  const { unit, length } = UNITS.find((one) => milliseconds >= one.length) ?? { unit: "minute", length: 60 * SECOND };
  const count = Math.trunc(milliseconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
