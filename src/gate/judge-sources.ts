import type { Audience } from "../domain/audience.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Label, MessageSource } from "../domain/label.ts";
import type { SourceState, SourceWatch } from "../policy/source-watch.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Timelines } from "../ports/timelines.ts";

export interface SourceDeps {
  readonly discord: Discord;
  readonly sources: SourceWatch;
}

/** The sources of a label, as they stand now. */
export interface JudgedSources {
  /** The audience of each. Sources with an unknown audience are left out, and then the state is not `standing`. */
  readonly audiences: readonly Audience[];
  readonly state: SourceState;
}

/** If more than this would have to be read again for one send, none is. */
const MAX_REFRESHED = 50;

/**
 * If a channel is deleted, what was returned from it may no longer be used. A channel that was only searched counts with its last audience.
 * A channel that the bot can no longer see has an unknown audience.
 */
export function judgeSources(label: Label, { discord, sources }: SourceDeps): JudgedSources {
  const { directory, botId } = discord;
  const audiences: Audience[] = [];
  let isDeleted = false;
  let isUnknown = [...label.guilds.keys()].some((id) => !directory.guild(id));
  for (const id of label.channels.keys()) {
    if (directory.canRead(botId, id)) {
      audiences.push(directory.audience(id));
      continue;
    }
    if (label.disclosed.has(id) && directory.isDeleted(id)) {
      isDeleted = true;
      continue;
    }
    const audience = directory.lastAudience(id);
    if (audience) audiences.push(audience);
    else isUnknown = true;
  }
  const state = isDeleted ? "deleted" : sources.state(label, guildOf(discord));
  return { audiences, state: state === "standing" && isUnknown ? "uncertain" : state };
}

/**
 * Reads again what may have been deleted or edited while events were missed, so that a gap does not block an operation for good. If that is too
 * much, or Discord does not answer, the sources stay uncertain.
 */
export async function refreshSources(
  label: Label,
  deps: SourceDeps & { readonly timelines: Pick<Timelines, "message">; readonly clock: Clock },
  signal?: AbortSignal,
): Promise<void> {
  const { discord, sources, timelines, clock } = deps;
  const doubtful = sources
    .doubtful(label, guildOf(discord))
    .filter(({ channelId }) => !discord.directory.isDeleted(channelId));
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

function guildOf({ directory }: Discord) {
  return (id: ChannelId) => directory.channel(id)?.guildId;
}
