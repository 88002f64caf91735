/** A date as far as it was given: a year, a month of a year or of any, a day. */
export interface DateWords {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAY = "(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?";
/** "8 May 2023", "May 8, 2023", "2023-05-08", "in May", "May 2023". A month alone may be another word: "may", "march". */
const DATES = [
  new RegExp(`\\b${DAY}(?: of)? (?<month>${MONTH})\\b(?:,? (?<year>(?:19|20)\\d\\d)\\b)?`, "giu"),
  new RegExp(`\\b(?<month>${MONTH}) ${DAY}\\b(?:,? (?<year>(?:19|20)\\d\\d)\\b)?`, "giu"),
  new RegExp(
    `\\b(?:in|of|since|during|until|by|last|this|next|early|late|mid) (?<month>${MONTH})\\b(?:,? (?<year>(?:19|20)\\d\\d)\\b)?`,
    "giu",
  ),
  new RegExp(`\\b(?<month>${MONTH}),? (?<year>(?:19|20)\\d\\d)\\b`, "giu"),
];
const NUMERIC = /\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b/g;
const YEAR = /\b(?:19|20)\d\d\b/g;

/** Dates that a text speaks of, each also as its month and its year: what was said close to a day is close to what is meant. */
export function toDateWords(text: string): DateWords[] {
  const found = new Map<string, DateWords>();
  const note = (date: DateWords) => found.set(JSON.stringify(date), date);
  const noteAll = (year: number | null, month: number, day: number | null) => {
    if (month < 1 || month > 12) return;
    note({ year, month, day: null });
    if (day !== null && day >= 1 && day <= 31) note({ year, month, day });
  };
  for (const pattern of DATES)
    for (const { groups } of text.matchAll(pattern)) {
      const month = MONTHS.indexOf(groups?.["month"]?.slice(0, 3).toLowerCase() ?? "") + 1;
      const numberOf = (name: string) => (groups?.[name] === undefined ? null : Number(groups[name]));
      noteAll(numberOf("year"), month, numberOf("day"));
    }
  for (const [, year, month, day] of text.matchAll(NUMERIC)) noteAll(Number(year), Number(month), Number(day));
  for (const [year] of text.matchAll(YEAR)) note({ year: Number(year), month: null, day: null });
  return [...found.values()];
}

/** When that was, in UTC, from the beginning of one year to the end of another: milliseconds, without the end. */
export function toDateSpans(
  { year, month, day }: DateWords,
  years: { from: number; to: number },
): { from: number; to: number }[] {
  const first = Math.max(years.from, year ?? years.from);
  const last = Math.min(years.to, year ?? years.to);
  const spans = [];
  for (let each = first; each <= last; each += 1) {
    if (month === null) spans.push({ from: Date.UTC(each, 0), to: Date.UTC(each + 1, 0) });
    else if (day === null) spans.push({ from: Date.UTC(each, month - 1), to: Date.UTC(each, month) });
    else spans.push({ from: Date.UTC(each, month - 1, day), to: Date.UTC(each, month - 1, day + 1) });
  }
  return spans;
}
