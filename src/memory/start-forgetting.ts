import type { DiscordEvent } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { Memory } from "./memory.ts";

/** How long an expired fact may stay on the disk; nobody hears it meanwhile. */
const SWEEP_MS = 10 * 60_000;

/** From now on forgets what has expired, and what rested on messages that are deleted; returns the way to stop. */
export function startForgetting(
  memory: Pick<Memory, "onEvent" | "sweep">,
  { listen, log }: { listen(listener: (event: DiscordEvent) => void): () => void; readonly log: Log },
): () => void {
  const report = (error: unknown) => log.error({ error: String(error) }, "facts that ended could not be erased yet");
  const stopListening = listen((event) => void memory.onEvent(event).catch(report));
  const sweep = () => void memory.sweep().catch(report);
  sweep();
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweeping.unref();
  return () => {
    clearInterval(sweeping);
    stopListening();
  };
}
