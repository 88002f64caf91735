import type { UserId } from "../../domain/ids.ts";
import type { Repeat } from "../kit/repeat.ts";
import type { SandboxCommunity, SeenChange } from "./sandbox-community.ts";
import { streamLines } from "./stream-lines.ts";

/** Often enough that a page notices a dead stream, and a sandbox that was reset. */
const LOOK_INTERVAL_MS = 10_000;

/** `missed`: the reader was too slow for some changes, and has to load again what it shows. */
export type CommunityLine = SeenChange | { readonly kind: "missed" };

interface StreamCommunityDeps {
  readonly community: SandboxCommunity;
  readonly repeat: Repeat;
}

/** The view of one person in the sandbox, and each change of it. */
export function streamCommunity(
  actor: UserId,
  signal: AbortSignal,
  { community, repeat }: StreamCommunityDeps,
): Response {
  return streamLines<CommunityLine>(signal, (write) => {
    let hasMissed = false;
    const tell = (change: SeenChange) => {
      if (hasMissed && write({ kind: "missed" })) hasMissed = false;
      if (hasMissed || !write(change)) hasMissed = true;
    };
    let stop = community.follow(actor, tell);
    const stopLooking = repeat(() => {
      stop();
      stop = community.follow(actor, tell);
    }, LOOK_INTERVAL_MS);
    return [stopLooking, () => stop()];
  });
}
