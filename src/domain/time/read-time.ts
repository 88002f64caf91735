import { type NumericDateContext, toNumericDate } from "./numeric-date.ts";
import { toSpan } from "./time-span.ts";
import type { TimeSpan } from "./time-words.ts";

/** A numeric date that can be read day first and month first. */
interface AmbiguousDate {
  readonly written: string;
  /** ISO 8601. */
  readonly days: readonly [string, string];
}

export interface DecidedDate extends AmbiguousDate {
  readonly day: string;
}

export type TimeReading =
  | {
      readonly kind: "span";
      readonly span: TimeSpan;
      /** Dates with two readings, of which the locale decided. */
      readonly decided: readonly DecidedDate[];
    }
  | ({ readonly kind: "ambiguous" } & AmbiguousDate);

const MAX_WORDS_LENGTH = 100;
/** Not a part of 2026-11-02, of 3/4/26 or of 15:30-16:00. */
const DATE = /(?<![\d:]|\d[/.-])\d{1,4}\s*([/.-])\s*\d{1,2}(?:\s*\1\s*\d{1,4}|\1)?(?!\d|:\d|[/.-]\d)/g;

/** A time as people write it: in words of several languages, or with numeric dates ("3/4", "since 24.12."). Null for anything else. */
export async function readTime(words: string, context: NumericDateContext): Promise<TimeReading | null> {
  if (words.length > MAX_WORDS_LENGTH) return null;
  const said = toSpan(words, context) ?? (await inOtherLanguage(words, context));
  if (said) return { kind: "span", span: said, decided: [] };
  const decided: DecidedDate[] = [];
  const undecided: AmbiguousDate[] = [];
  const inIso = words.normalize("NFKC").replaceAll(DATE, (written) => {
    const date = toNumericDate(written, context);
    if (date?.kind === "decided") decided.push({ written, ...date });
    if (date?.kind === "ambiguous") undecided.push({ written, ...date });
    return date === null ? written : date.kind === "ambiguous" ? date.days[0] : date.day;
  });
  const span = toSpan(inIso, context);
  if (!span) return null;
  return undecided[0] ? { ...undecided[0], kind: "ambiguous" } : { kind: "span", span, decided };
}

/** Fifteen languages take long to load, and most words are English. */
async function inOtherLanguage(words: string, context: NumericDateContext): Promise<TimeSpan | null> {
  const { toSpanInOtherLanguage } = await import("./other-languages.ts");
  return toSpanInOtherLanguage(words, context);
}
