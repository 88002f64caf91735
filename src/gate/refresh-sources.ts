import { EarshotError } from "../domain/errors.ts";
import type { Label, MessageSource } from "../domain/label.ts";
import type { SourceWatch } from "../policy/source-watch.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Timelines } from "../ports/timelines.ts";

export interface RefreshDeps {
  readonly discord: Discord;
  readonly sources: SourceWatch;
  readonly timelines: Pick<Timelines, "message">;
  readonly clock: Clock;
}

/** If more than this would have to be read again for one send, none is. */
const MAX_REFRESHED = 50;

/**
 * Reads again what may have been deleted or edited while events were missed, so that a gap does not block an operation for good. If that is too
 * much, or Discord does not answer, the sources stay uncertain.
 */
export async function refreshSources(label: Label, deps: RefreshDeps, signal?: AbortSignal): Promise<void> {
  const { discord, sources, timelines, clock } = deps;
  const { directory } = discord;
  const doubtful = sources.doubtful(label, directory).filter(({ channelId }) => !directory.isDeleted(channelId));
  if (doubtful.length > MAX_REFRESHED) return;
  // One after the other in a channel: a page that is fetched for one mostly holds the next.
  const refresh = async (inChannel: readonly MessageSource[]) => {
    for (const source of inChannel) {
      const at = clock.now();
      const message = await timelines.message(source.channelId, source.messageId, signal);
      if (!message) sources.noteDeleted(source.channelId, source.messageId);
      else if (sources.isUnchanged(source, message)) label.confirm(source.messageId, at);
    }
  };
  const byChannel = Map.groupBy(doubtful, ({ channelId }) => channelId);
  for (const outcome of await Promise.allSettled([...byChannel.values()].map(refresh)))
    if (outcome.status === "rejected" && !(outcome.reason instanceof EarshotError)) throw outcome.reason;
}
