import type { IndexedLink } from "../src/domain/forest/infer-links.ts";
import type { Room } from "./irc.ts";

/** How many of some guesses were right. */
export interface Share {
  readonly right: number;
  readonly all: number;
}

/** A room and, by message, which earlier one it was found to answer. */
export interface Guessed {
  readonly room: Room;
  readonly links: readonly (Pick<IndexedLink, "to" | "certainty"> | undefined)[];
}

/** Of the messages whose answer is known, how many were linked to it: all of them, and by case. */
export function measureReplies(guesses: readonly Guessed[]): ReadonlyMap<string, Share> {
  const shares = new Map<string, Share>([["all", { right: 0, all: 0 }]]);
  for (const { room, links } of guesses)
    for (const [index, targets] of room.answers) {
      const link = links[index];
      const isRight = link !== undefined && targets.includes(link.to);
      for (const name of ["all", ...casesOf(room, index, Math.max(...targets))]) count(shares, name, isRight);
    }
  return shares;
}

/** Of the messages that answer none of the others (`answers` names the message itself), how many were linked: all of them, and by the silence before. */
export function measureOverlinking(guesses: readonly Guessed[]): ReadonlyMap<string, Share> {
  const shares = new Map<string, Share>([["all", { right: 0, all: 0 }]]);
  for (const { room, links } of guesses)
    for (const [index, targets] of room.answers) {
      if (index === 0 || !targets.includes(index) || room.messages[index]?.kind === "system") continue;
      const silence = timeOf(room, index) - timeOf(room, index - 1);
      for (const name of ["all", spanOf(silence)]) count(shares, name, links[index] === undefined);
    }
  return shares;
}

/** A tenth of stated certainty, and how often such links were right. */
export interface Calibration extends Share {
  /** The mean of what was stated. */
  readonly stated: number;
}

const BINS = 10;

/** By tenths of stated certainty, where there are any. */
export function measureCertainty(guesses: readonly Guessed[]): Calibration[] {
  const bins = Array.from({ length: BINS }, () => ({ right: 0, all: 0, sum: 0 }));
  for (const { room, links } of guesses)
    for (const [index, targets] of room.answers) {
      const link = links[index];
      const bin = link && bins[Math.min(BINS - 1, Math.floor(link.certainty * BINS))];
      if (!bin) continue;
      bin.all += 1;
      bin.sum += link.certainty;
      bin.right += Number(targets.includes(link.to));
    }
  return bins.filter(({ all }) => all > 0).map(({ right, all, sum }) => ({ right, all, stated: sum / all }));
}

/** By how much stated and actual differ, in points, weighted by how often it is stated. */
export function calibrationError(bins: readonly Calibration[]): number {
  const all = bins.reduce((sum, bin) => sum + bin.all, 0);
  return (100 * bins.reduce((sum, bin) => sum + Math.abs(bin.stated * bin.all - bin.right), 0)) / all;
}

const MINUTE = 60_000;
/** Of time, with the longest that belongs to it. */
const SPANS: readonly (readonly [name: string, most: number])[] = [
  ["within 5 minutes", 5 * MINUTE],
  ["within the hour", 60 * MINUTE],
  ["within the day", 1_440 * MINUTE],
  ["older", Number.POSITIVE_INFINITY],
];
const DISTANCES: readonly (readonly [name: string, most: number])[] = [
  ["the previous message", 1],
  ["2 to 4 back", 4],
  ["5 to 8 back", 8],
  ["further back", Number.POSITIVE_INFINITY],
];

function casesOf(room: Room, index: number, target: number): string[] {
  const distance = DISTANCES.find(([, most]) => index - target <= most)?.[0] ?? "";
  return [distance, spanOf(timeOf(room, index) - timeOf(room, target))];
}

function spanOf(span: number): string {
  return SPANS.find(([, most]) => span <= most)?.[0] ?? "";
}

/** All names in the order in which they are shown. */
export const CASES: readonly string[] = ["all", ...[...DISTANCES, ...SPANS].map(([name]) => name)];

function count(shares: Map<string, Share>, name: string, isRight: boolean): void {
  const { right, all } = shares.get(name) ?? { right: 0, all: 0 };
  shares.set(name, { right: right + Number(isRight), all: all + 1 });
}

function timeOf({ messages }: Room, index: number): number {
  return Date.parse(messages[index]?.ts ?? "");
}
