import { setTimeout as sleep } from "node:timers/promises";
import type { Directory } from "./ports/directory.ts";

const INTERVAL_MS = 50;

/** Waits until the member lists that are being loaded are complete, or the time is over. True when none is being loaded any more. */
export async function awaitMembers(directory: Directory, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const isLoading = () => directory.guilds().some(({ id }) => directory.isMeetingPeople(id));
  for (let waited = 0; isLoading(); waited += INTERVAL_MS) {
    if (waited >= milliseconds || signal.aborted) return false;
    await sleep(INTERVAL_MS);
  }
  return true;
}
