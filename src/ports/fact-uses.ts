import type { ChannelId } from "../domain/ids.ts";
import type { FactRef } from "../domain/memory/fact.ts";

/** From one time until before another, in milliseconds since 1970. */
interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

type UsesByPlace = ReadonlyMap<ChannelId | null, number>;

/** How often facts were used, as far as that is still known. */
export interface FactUses {
  /**
   * For each version of a fact, by its `ref`, in how many operations it was handed out, by the channel in which the answers were read; null stands for all that
   * were read by the person alone who asked, in direct messages too. Those that were not are left out. `isMinimum`: records of some reads of that time were
   * erased, so there may have been more. Throws `unavailable`.
   */
  count(
    facts: readonly FactRef[],
    time: TimeSpan,
  ): Promise<{ readonly times: ReadonlyMap<string, UsesByPlace>; readonly isMinimum: boolean }>;
}
