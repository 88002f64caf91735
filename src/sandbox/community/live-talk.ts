import { DiscordError } from "../actions/errors.ts";
import type { Sandbox } from "../server.ts";
import type { LiveLine } from "./sample/live-talk.ts";

/** Posts the next line every so often, and begins again at the end. Returns the way to stop. */
export function startLiveTalk(sandbox: Pick<Sandbox, "as">, lines: readonly LiveLine[], everyMs: number): () => void {
  let next = 0;
  const timer = setInterval(() => {
    const line = lines[next % lines.length];
    next += 1;
    if (line) speak(sandbox, line);
  }, everyMs);
  return () => clearInterval(timer);
}

/** Who may no longer speak, or is gone, stays silent: the others talk on. */
function speak(sandbox: Pick<Sandbox, "as">, { by, in: channel, text }: LiveLine): void {
  try {
    sandbox.as(by).say(channel, text);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
  }
}
