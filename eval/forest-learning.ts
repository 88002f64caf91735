import type { Network } from "../src/domain/forest/network.ts";
import { takeLessons } from "./forest-lessons.ts";
import { train } from "./forest-training.ts";
import { chanceFrom } from "./forest-variants.ts";
import { varyDiscord, varyIrc } from "./forest-variations.ts";
import type { Room } from "./irc.ts";

const COURSE = { units: 20, epochs: 6, rate: 0.008 };
const FIRST_COURSE = { ...COURSE, epochs: 2 };

export interface Taught {
  readonly irc: readonly Room[];
  readonly discord: readonly Room[];
}

/** Twice: what the first network finds in a room is what the second one has to go by. */
export function learnNetwork({ irc, discord }: Taught, seed: number): Network {
  const chance = chanceFrom(seed);
  const variants = [
    ...irc.flatMap((room, index) => [...varyIrc(room, index, chance)]),
    ...discord.flatMap((room) => [...varyDiscord(room, chance)]),
  ];
  const course = (one: typeof COURSE, before: Network | null): Network => {
    const lessons = variants.flatMap(([room, weight]) => takeLessons(room, weight, before));
    console.log(`${lessons.length} lessons`);
    return train(lessons, one, chance);
  };
  return course(COURSE, course(FIRST_COURSE, null));
}
