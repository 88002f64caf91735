import { DiscordError } from "./actions/errors.ts";
import type { LiveLine } from "./community/sample/live-talk.ts";

/** A sandbox whose people can send messages. */
interface Stage {
  as(name: string): { say(channel: string, text: string): unknown };
}

const HOUR_MS = 3_600_000;

/** Posts the next line at every interval, in rounds: a line is not repeated before `roundMs` are over. Returns a function that stops it. */
export function startLiveTalk(
  stage: Stage,
  lines: readonly LiveLine[],
  { everyMs, roundMs = HOUR_MS }: { readonly everyMs: number; readonly roundMs?: number },
): () => void {
  const round = Math.max(lines.length, Math.ceil(roundMs / everyMs));
  let next = 0;
  const timer = setInterval(() => {
    const line = lines[next % round];
    next += 1;
    if (line) speak(stage, line);
  }, everyMs);
  return () => clearInterval(timer);
}

/** Skips people who may no longer send or have left. */
function speak(stage: Stage, { by, in: channel, text }: LiveLine): void {
  try {
    stage.as(by).say(channel, text);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
  }
}
