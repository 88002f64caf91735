import { isStopWord } from "../search/stop-words.ts";
import { toSpan } from "../time/time-span.ts";
import { isFunctionWord } from "./glossary/function-words.ts";
import type { Language, Wanted } from "./languages/language-words.ts";
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
  const elsewhere = question.replace(asks.here, " ");
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
    isLatest: asks.latestState?.test(question) ?? false,
    topic: toTopic(rest, context.language),
  };
}

/** Without words that only ask. In the order typed; empty when nothing is left. */
export function toTopic(text: string, { asks, marks, code }: Language): string {
  const isTelling = (word: string) => {
    const lower = word.toLowerCase();
    const bare = lower.replaceAll("'", "");
    return (
      !asks.ignored.has(lower) &&
      (code === "en" ? !isStopWord(bare) : !marks.has(lower) && !isFunctionWord(lower, code))
    );
  };
  return stripRequests(text, asks.requests)
    .flatMap((word) => (isTelling(word) ? [word] : []))
    .join(" ");
}

/** In scripts without spaces the words that ask are part of what is typed. */
function stripRequests(text: string, requests: RegExp | undefined): string[] {
  return wordsOf(requests ? text.replaceAll(requests, " ") : text);
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
    const [written] = pattern.exec(question) ?? [];
    if (written === undefined) continue;
    const words = english.replace("$&", written.replace(/^(?:in|over|during|within|for) /iu, ""));
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
