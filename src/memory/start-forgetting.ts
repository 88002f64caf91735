import type { DiscordEvent } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { forgetLeftGuilds, type LeftGuildsDeps } from "./forget-left-guilds.ts";
import type { HasMessage, Memory } from "./memory.ts";

export interface ForgettingDeps extends LeftGuildsDeps {
  readonly memory: Pick<Memory, "onEvent" | "sweep" | "forgetGuild">;
  readonly hasMessage: HasMessage;
  listen(listener: (event: DiscordEvent) => void): () => void;
  readonly log: Log;
}

/** How long an expired fact may stay on the disk; nobody hears it meanwhile. */
const SWEEP_MS = 10 * 60_000;

/**
 * From now on forgets what has expired, what rested on messages that are deleted, and what was shared in servers that the bot has left; returns the way
 * to stop.
 */
export function startForgetting(deps: ForgettingDeps): () => void {
  const { memory, hasMessage, listen, log } = deps;
  const report = (error: unknown) => log.error({ error: String(error) }, "facts that ended could not be erased yet");
  /** One look at the servers after the other: each goes by what the one before has noted. */
  let lastLook: Promise<void> = Promise.resolve();
  let isLookDue = false;
  const lookAtGuilds = () => {
    if (isLookDue) return;
    isLookDue = true;
    lastLook = lastLook
      .then(() => {
        isLookDue = false;
        return forgetLeftGuilds(deps);
      })
      .catch(report);
  };
  const stopListening = listen((event) => {
    void memory.onEvent(event, hasMessage).catch(report);
    if (event.type === "guild" || event.type === "guild_removed") lookAtGuilds();
  });
  const sweep = () => {
    void memory.sweep().catch(report);
    lookAtGuilds();
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweeping.unref();
  return () => {
    clearInterval(sweeping);
    stopListening();
  };
}
