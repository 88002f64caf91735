import { DiscordError } from "./actions/errors.ts";
import type { LiveLine } from "./community/sample/live-talk.ts";

/** Where there are people to speak. */
interface Stage {
  as(name: string): { say(channel: string, text: string): unknown };
}

/** Posts the next line every so often, and begins again at the end. Returns the way to stop. */
export function startLiveTalk(stage: Stage, lines: readonly LiveLine[], everyMs: number): () => void {
  let next = 0;
  const timer = setInterval(() => {
    const line = lines[next % lines.length];
    next += 1;
    if (line) speak(stage, line);
  }, everyMs);
  return () => clearInterval(timer);
}

/** Who may no longer speak, or is gone, stays silent: the others talk on. */
function speak(stage: Stage, { by, in: channel, text }: LiveLine): void {
  try {
    stage.as(by).say(channel, text);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
  }
}
