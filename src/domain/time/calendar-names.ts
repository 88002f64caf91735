/** Languages whose names of days and months are recognised. */
const LOCALES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "sv", "tr", "ru", "uk", "el"];

/** Full names of days and months. Without short ones, which often mean something else: "may", "mar". */
export function calendarNames(): string[] {
  const names = LOCALES.flatMap((locale) => {
    const days = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });
    const months = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" });
    return Array.from({ length: 12 }, (_, index) => [
      days.format(Date.UTC(2024, 0, index + 1)),
      months.format(Date.UTC(2024, index, 1)),
    ]).flat();
  });
  return [...new Set(names)].filter((name) => name.length > 3);
}
