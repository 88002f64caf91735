import { type OpenPace, Pace, type PaceDeps } from "../../src/domain/steps/pace.ts";

/** What was counted of the work of one or several calls. */
export interface CountedPace {
  readonly openPace: OpenPace;
  /** How much was spent in all. */
  total(): number;
  pauses(): number;
  /** The most that was spent in one step, and at once. */
  maxStep(): number;
  maxAtOnce(): number;
}

interface CountedPaceOptions {
  readonly unitsPerStep?: number;
  /** Called during each pause, with its number from 1 on. */
  onPause?(pause: number): void;
}

/** A pace that counts, and in whose pauses something can happen. */
export function countPace({ unitsPerStep, onPause = () => {} }: CountedPaceOptions = {}): CountedPace {
  let [total, pauses, step, maxStep, maxAtOnce] = [0, 0, 0, 0, 0];
  class Counted extends Pace {
    override spend(units: number): boolean {
      total += units;
      step += units;
      maxStep = Math.max(maxStep, step);
      maxAtOnce = Math.max(maxAtOnce, units);
      return super.spend(units);
    }
  }
  const pause: PaceDeps["pause"] = async () => {
    pauses += 1;
    step = 0;
    onPause(pauses);
  };
  return {
    openPace: (check) => new Counted({ pause, check, ...(unitsPerStep !== undefined && { unitsPerStep }) }),
    total: () => total,
    pauses: () => pauses,
    maxStep: () => maxStep,
    maxAtOnce: () => maxAtOnce,
  };
}
