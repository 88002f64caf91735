import type { RoomQuestion } from "./question-file.ts";

/** What became of one question. */
export interface Asked {
  readonly question: RoomQuestion;
  /** Ids found, the best first, by where it was asked from. */
  readonly found: Readonly<Record<Place, readonly string[]>>;
  readonly gold: readonly string[];
  readonly distractor: string | undefined;
  readonly cited: readonly string[];
  readonly text: string;
}

type Place = "room" | "elsewhere" | "nowhere";
const PLACES: readonly Place[] = ["room", "elsewhere", "nowhere"];

export interface Share {
  readonly right: number;
  readonly of: number;
}

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
  "bold value is right": (asked) => {
    const value = /\*\*([^*]+)\*\*/.exec(asked.text)?.[1];
    return value === undefined ? null : asked.question.accept.some((words) => plain(value).includes(plain(words)));
  },
  "unanswerable, claims nothing": (asked) => (isAnswerable(asked) ? null : asked.cited.length === 0),
  "answerable, nothing found": (asked) => (isAnswerable(asked) ? asked.cited.length === 0 : null),
};

export function share(all: readonly Asked[], measure: Measure): Share {
  const counted = all.flatMap((asked) => measure(asked) ?? []);
  return { right: counted.filter(Boolean).length, of: counted.length };
}

const RESAMPLES = 1_000;

/** The middle 90 % of what comes out when rooms are drawn again and again: questions of one room are alike. */
export function interval(all: readonly Asked[], measure: Measure): readonly [low: number, high: number] | null {
  const rooms = [...Map.groupBy(all, ({ question }) => question.room).values()].map((some) => share(some, measure));
  const counted = rooms.filter(({ of }) => of > 0);
  if (counted.length < 2) return null;
  const random = seeded(1);
  const drawn = Array.from({ length: RESAMPLES }, () => {
    let [right, of] = [0, 0];
    for (let count = 0; count < counted.length; count += 1) {
      const one = counted[Math.floor(random() * counted.length)];
      right += one?.right ?? 0;
      of += one?.of ?? 0;
    }
    return right / of;
  }).sort((a, b) => a - b);
  return [drawn[Math.floor(RESAMPLES * 0.05)] ?? 0, drawn[Math.floor(RESAMPLES * 0.95)] ?? 1];
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[“”„]/g, '"').replaceAll(/[‘’]/g, "'").replaceAll(/\s+/g, "");
}

/** The same numbers at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
