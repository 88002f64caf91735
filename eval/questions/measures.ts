import { type Figure, type RoomTally, toFigure } from "../figures.ts";
import type { RoomQuestion } from "./question-file.ts";

/** What became of one question. */
export interface Asked {
  readonly question: RoomQuestion;
  /** Ids found, the best first, by where it was asked from. */
  readonly found: Readonly<Record<Place, readonly string[]>>;
  readonly gold: readonly string[];
  readonly distractor: string | undefined;
  /** Passages, without what stands beside them. */
  readonly cited: readonly string[];
  readonly voice: "sure" | "unsure" | "none";
  readonly text: string;
}

type Place = "room" | "elsewhere" | "nowhere";
const PLACES: readonly Place[] = ["room", "elsewhere", "nowhere"];

type Measure = (asked: Asked) => boolean | null;

const isAnswerable = ({ gold }: Asked) => gold.length > 0;
const isGoldWithin =
  (place: Place, top: number): Measure =>
  (asked) =>
    isAnswerable(asked) ? asked.found[place].slice(0, top).some((id) => asked.gold.includes(id)) : null;
const isCited: Measure = (asked) => (isAnswerable(asked) ? asked.cited.some((id) => asked.gold.includes(id)) : null);
const isSaid: Measure = (asked) => {
  if (!isAnswerable(asked)) return null;
  return isCited(asked) === true && asked.question.accept.some((words) => plain(asked.text).includes(plain(words)));
};

/** The first quotation is from a gold message and holds what answers. */
const isRight = (asked: Asked) => asked.gold.includes(asked.cited[0] ?? "") && isSaid(asked) === true;

/** Null: it does not count. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  ...Object.fromEntries(
    PLACES.flatMap((place) =>
      [1, 5, 10].map((top) => [`search from ${place}, gold in the first ${top}`, isGoldWithin(place, top)] as const),
    ),
  ),
  "follow-ups, gold in the first 5": (asked) =>
    asked.question.kind === "follow-up" ? isGoldWithin("room", 5)(asked) : null,
  "paraphrases, gold in the first 5": (asked) =>
    asked.question.style === "paraphrase" ? isGoldWithin("room", 5)(asked) : null,
  "outdated message first": ({ distractor, found }) => (distractor === undefined ? null : found.room[0] === distractor),
  "agent cites gold": isCited,
  "agent cites gold and says the answer": isSaid,
  "follow-ups, agent cites gold": (asked) => (asked.question.kind === "follow-up" ? isCited(asked) : null),
  "answerable, sure": (asked) => (isAnswerable(asked) ? asked.voice === "sure" : null),
  "right when sure": (asked) => (asked.voice === "sure" ? isRight(asked) : null),
  "misled: sure, and not right": (asked) => asked.voice === "sure" && !isRight(asked),
  "unanswerable, claims nothing": (asked) => (isAnswerable(asked) ? null : asked.voice !== "sure"),
  "answerable, nothing found": (asked) => (isAnswerable(asked) ? asked.voice === "none" : null),
};

export function share(all: readonly Asked[], measure: Measure): RoomTally {
  const counted = all.flatMap((asked) => measure(asked) ?? []);
  return { right: counted.filter(Boolean).length, of: counted.length };
}

/** Questions of one room are alike. */
export function figureOf(all: readonly Asked[], measure: Measure): Figure {
  const rooms = [...Map.groupBy(all, ({ question }) => question.room).values()];
  return toFigure(rooms.map((some) => share(some, measure)));
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[“”„]/g, '"').replaceAll(/[‘’]/g, "'").replaceAll(/\s+/g, "");
}
