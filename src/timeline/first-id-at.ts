import { idTime, type MessageId } from "../domain/ids.ts";
import { NEWEST, OLDEST } from "../domain/intervals.ts";

const EPOCH = idTime("0" as MessageId);

/** The smallest id that can have been minted at the time (milliseconds) or later. */
export function firstIdAt(time: number): bigint {
  const elapsed = Math.ceil(time - EPOCH);
  if (!(elapsed > 0)) return OLDEST;
  if (elapsed >= 2 ** 42) return NEWEST;
  return BigInt(elapsed) << 22n;
}
