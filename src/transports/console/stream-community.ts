import type { UserId } from "../../domain/ids.ts";
import type { Repeat } from "../kit/repeat.ts";
import type { SandboxCommunity, SeenChange } from "./sandbox-community.ts";
import { streamLines } from "./stream-lines.ts";

/** Frequent enough to notice a dead stream, and a reset sandbox. */
const LOOK_INTERVAL_MS = 10_000;

/** `missed`: the reader was too slow for some changes, and must load its view again. */
export type CommunityLine = SeenChange | { readonly kind: "missed" };

interface StreamCommunityDeps {
  readonly community: SandboxCommunity;
  readonly repeat: Repeat;
}

/** The view of one person in the sandbox, and its changes. */
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
