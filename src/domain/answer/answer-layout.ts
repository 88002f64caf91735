import { cutPart } from "../text/split-text.ts";

/** A text in the messages that show it. */
export interface AnswerLayout {
  readonly parts: readonly string[];
  readonly text: string;
  /** Where the last part begins in the text. */
  readonly from: number;
  /** What opens the code block again in which the part before was cut. */
  readonly reopening: string;
  readonly isCut: boolean;
}

const MAX_PARTS = 3;
/** Less than Discord takes: defanging a link makes a text longer. */
const MAX_PART_CHARACTERS = 1_900;
const TOO_LONG = "\n-# This answer is longer than I can show here; ask for a part of it.";

export const EMPTY_LAYOUT: AnswerLayout = { parts: [], text: "", from: 0, reopening: "", isCut: false };

/** When a text continues the one before, nothing that was laid out moves: the last part grows, or ends where it ended and another begins. */
export function layOutAnswer(text: string, before: AnswerLayout = EMPTY_LAYOUT): AnswerLayout {
  if (!text.startsWith(before.text)) return layOutAnswer(text);
  if (before.isCut) return before;
  const parts = before.parts.slice(0, -1);
  let { from, reopening } = before;
  const end = before.text.length;
  while (parts.length < MAX_PARTS) {
    const open = (reopening + text.slice(from)).trim();
    if (open.length <= MAX_PART_CHARACTERS)
      return { parts: open === "" ? parts : [...parts, open], text, from, reopening, isCut: false };
    const cut = cutPart({ rest: text.slice(from), reopening }, MAX_PART_CHARACTERS);
    const cutAt = text.length - cut.rest.length;
    const isBeforeEnd = cutAt < end;
    parts.push(isBeforeEnd ? (reopening + text.slice(from, end)).trim() : cut.part.trim());
    from = isBeforeEnd ? end : cutAt;
    reopening = isBeforeEnd ? "" : cut.reopening;
  }
  if (text.slice(from).trim() === "") return { parts, text, from, reopening, isCut: false };
  return { parts: [...parts.slice(0, -1), parts.at(-1) + TOO_LONG], text, from, reopening, isCut: true };
}
