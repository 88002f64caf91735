import { calendarNames } from "../time/calendar-names.ts";

const RELATIVE =
  "today tonight tomorrow yesterday heute morgen übermorgen gestern demain hier hoy mañana ayer hoje amanhã ontem oggi domani ieri morgen gisteren dziś jutro wczoraj сегодня завтра вчера сьогодні bugün yarın dün";
/** Created on first use: collecting names in all those languages is slow. */
let names: ReadonlySet<string> | null = null;
/** A day, an hour or a year. Other numbers are counts. */
const NUMBER = /^\d{1,2}(?:st|nd|rd|th|am|pm|h)?$|^(?:19|20)\d\d$/;
/** In East Asian scripts a time is part of a longer word. */
const WRITTEN_TOGETHER =
  /\d{1,2}月|\d{1,2}日|\d{1,2}時|\d{1,2}点|[月火水木金土日]曜|星期[一二三四五六日天]|\d{1,2}월|\d{1,2}일|[월화수목금토일]요일/u;

/** The word may be part of a date or a time of day. */
export function tellsTime(word: string): boolean {
  names ??= new Set([...RELATIVE.split(" "), ...calendarNames().map((name) => name.toLowerCase())]);
  return NUMBER.test(word) || names.has(word.toLowerCase()) || WRITTEN_TOGETHER.test(word);
}

const WHEN = [
  "when|what (?:time|day|date)|which day|deadlines?|due|dates?|schedule",
  "wann|welche[nmr]? tag|um wie viel uhr|termine?|frist|quand|quel jour|à quelle heure|date limite",
  "cuándo|qué día|a qué hora|fecha|plazo|quando|que dia|que horas|prazo|che giorno|a che ora|scadenza",
  "wanneer|hoe laat|kiedy|którego dnia|termin|när|ne zaman|hangi gün|saat kaçta|когда|срок|коли|πότε",
].join("|");
const ASKS = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${WHEN})(?![\p{L}\p{N}])|いつ|何時|何日|締め?切り?|언제|며칠|마감|什么时候|何时|几点|截止|متى|موعد`,
  "iu",
);

/** The text asks for a date or time. */
export function asksForTime(text: string): boolean {
  return ASKS.test(text);
}
