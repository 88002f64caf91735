import type { Language, Wanted } from "../../language/language.ts";
import { foldWord } from "../../language/language-file.ts";
import { toSpan } from "../time/time-span.ts";
import { wordsOf } from "./question-text.ts";

/** The parts of a question that a call is made from. */
export interface Slots {
  readonly wanted: Wanted;
  /** In the words of the tools. */
  readonly time: string | null;
  /** A channel as it was named; `here` for where the question was asked. */
  readonly place: string | null;
  readonly isHere: boolean;
  /** Speaks of what was said a short while ago. */
  readonly isRecent: boolean;
  /** Asks for what holds now, or was decided in the end. */
  readonly isLatest: boolean;
  /** What is left of the question: the words to look for. */
  readonly topic: string;
}

export interface SlotContext {
  readonly language: Language;
  readonly now: number;
  readonly zone: string;
}

export function toSlots(question: string, context: SlotContext): Slots {
  const { asks } = context.language;
  const time = findTime(question, context);
  // "In this channel" names none.
  const elsewhere = asks.here.takenOut(question, " ");
  const place = findPlace(elsewhere);
  const rest = [time?.written, place?.written].reduce<string>(
    (text, part) => (part ? text.replace(part, " ") : text),
    elsewhere,
  );
  return {
    wanted: asks.wanted.find(([pattern]) => pattern.test(question))?.[1] ?? "said",
    time: time?.words ?? null,
    place: place?.name ?? null,
    isHere: asks.here.test(question),
    isRecent: asks.recent.test(question),
    isLatest: asks.latestState.test(question),
    topic: toTopic(asks.openings.readings(rest.trim()).at(-1) ?? "", context.language),
  };
}

/** Without words that only ask. In the order typed; empty when nothing is left. */
export function toTopic(text: string, { asks, small }: Language): string {
  // In scripts without spaces the words that ask are part of what is typed.
  const spaced = asks.particles ? text.replaceAll(asks.particles, " ") : text;
  const isSmall = (word: string) =>
    small.has(word.replaceAll("'", "")) || word.split("'").every((part) => small.has(part));
  return wordsOf(spaced)
    .filter((word) => !asks.askingWords.has(word.toLowerCase()) && !isSmall(foldWord(word)))
    .join(" ");
}

interface Found {
  readonly written: string;
}

/** Only times that the tools understand. */
export function findTime(
  question: string,
  { language, now, zone }: SlotContext,
): (Found & { readonly words: string }) | null {
  for (const [pattern, english] of language.asks.times) {
    const found = pattern.exec(question);
    if (!found) continue;
    const { 0: written, groups = {} } = found;
    const words = english.replaceAll(/\{(\w+)\}/gu, (_, hole: string) => {
      const typed = (groups[hole] ?? "").toLowerCase();
      return language.counted.get(typed) ?? typed;
    });
    if (toSpan(words, { now, zone })) return { written, words };
  }
  return null;
}

const CHANNEL = /(?:\b(?:in|from|on|at|dans|en|em|aus|im) )?(<#\d{1,20}>|#[\p{L}\p{N}_-]{2,})/iu;
const NAMED_CHANNEL = /\b(?:in|from|on) (?:the )?([\p{L}\p{N}_-]{2,}(?: [\p{L}\p{N}_-]+)?) channel\b/iu;

/** A channel that is named as one: `#general`, a mention, "in the general channel". */
export function findPlace(question: string): (Found & { readonly name: string }) | null {
  const [written, name] = CHANNEL.exec(question) ?? NAMED_CHANNEL.exec(question) ?? [];
  return written === undefined || name === undefined ? null : { written, name };
}
