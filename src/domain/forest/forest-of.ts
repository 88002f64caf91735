import type { Message } from "../message.ts";
import { runAtOnce, UNPACED } from "../steps/pace.ts";
import { buildThreadForest, type ForestThread } from "./build-thread-forest.ts";

/** As `buildThreadForest`, in one go: for programs that have nothing else to do meanwhile. */
export function forestOf(messages: readonly Message[]): ForestThread[] {
  return runAtOnce(buildThreadForest(messages, UNPACED));
}
