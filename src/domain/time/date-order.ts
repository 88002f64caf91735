/** A language and region whose customs this runtime knows, such as en-GB. */
export type Locale = string & { readonly brand: "Locale" };

/** Far above Discord's longest. */
const MAX_LOCALE_LENGTH = 35;

/** Null for an unknown locale: Intl would silently use the machine's. */
export function toLocale(value: unknown): Locale | null {
  if (typeof value !== "string" || value.length > MAX_LOCALE_LENGTH) return null;
  try {
    return (Intl.DateTimeFormat.supportedLocalesOf(value)[0] ?? null) as Locale | null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export interface DateOrder {
  /** In a date without a year: in Sweden 3/4 is in April, although dates with a year begin with the year. */
  readonly isMonthFirst: boolean;
  readonly isYearFirst: boolean;
}

export function dateOrderOf(locale: Locale): DateOrder {
  return {
    isMonthFirst: firstPart(locale, { month: "numeric", day: "numeric" }) === "month",
    isYearFirst: firstPart(locale, { year: "numeric", month: "numeric", day: "numeric" }) === "year",
  };
}

function firstPart(locale: Locale, fields: Intl.DateTimeFormatOptions): string | undefined {
  const parts = new Intl.DateTimeFormat(locale, { ...fields, calendar: "gregory", timeZone: "UTC" }).formatToParts(0);
  return parts.find(({ type }) => type !== "literal")?.type;
}
