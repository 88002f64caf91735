import { writeFileSync } from "node:fs";

/** What an evaluation found, in percent or points, with the middle 90 % of what comes out when rooms are drawn again and again. */
export interface Figure {
  readonly value: number;
  /** Null where there are too few rooms to tell. */
  readonly interval: readonly [low: number, high: number] | null;
}

export type Figures = Readonly<Record<string, Figure>>;

/** What was right in one room, log or conversation. */
export interface RoomTally {
  readonly right: number;
  readonly of: number;
}

const RESAMPLES = 1_000;

/** In percent of all rooms together. */
export function toFigure(rooms: readonly RoomTally[]): Figure {
  return measureFigure(
    rooms.filter(({ of }) => of > 0),
    (some) => {
      let [right, of] = [0, 0];
      for (const room of some) {
        right += room.right;
        of += room.of;
      }
      return of === 0 ? 0 : (100 * right) / of;
    },
  );
}

/** Draws as many rooms as there are, with replacement: what is said in one room is alike. */
export function measureFigure<Item>(rooms: readonly Item[], measure: (some: readonly Item[]) => number): Figure {
  if (rooms.length < 2) return { value: measure(rooms), interval: null };
  const random = seeded(1);
  const draw = () => rooms.flatMap(() => rooms[Math.floor(random() * rooms.length)] ?? []);
  const drawn = Array.from({ length: RESAMPLES }, () => measure(draw())).sort((a, b) => a - b);
  const at = (part: number) => drawn[Math.floor(RESAMPLES * part)] ?? 0;
  return { value: measure(rooms), interval: [at(0.05), at(0.95)] };
}

/** For `npm run eval -- all`. */
export function writeFigures(file: string | undefined, figures: Figures): void {
  if (file !== undefined) writeFileSync(file, JSON.stringify(figures));
}

export function formatFigure({ value, interval }: Figure): string {
  const span = interval ? ` (${interval.map((end) => end.toFixed(1)).join("–")})` : "";
  return `${value.toFixed(1)}${span}`;
}

/** The same numbers at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
