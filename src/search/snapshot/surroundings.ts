import { type Frame, follow } from "../index/frame.ts";
import { SILENCE_SECONDS } from "../rank/nearby.ts";

/** So many messages before and after a hit are shown with it. */
const BESIDE = 2;
const MAX_ANSWERS = 3;

/** The places of messages that make one understandable: what it answers, its first answers, its neighbours in the conversation. */
export function placesAround(frame: Frame, place: number): number[] {
  const around = new Set<number>();
  for (const target of follow(frame.targets, place)) around.add(target);
  for (const answer of follow(frame.answers, place).subarray(0, MAX_ANSWERS)) around.add(answer);
  for (const step of [-1, 1]) {
    for (let distance = 1; distance <= BESIDE; distance += 1) {
      const near = place + distance * step;
      const silence = Math.abs((frame.times[near] ?? 0) - (frame.times[near - step] ?? 0));
      if (near < 0 || near >= frame.size || silence > SILENCE_SECONDS) break;
      around.add(near);
    }
  }
  around.delete(place);
  return [...around].sort((a, b) => a - b);
}
