import type { Channel } from "../../domain/guild.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";

interface Learning {
  readonly actor: UserId;
  readonly directory: Pick<Directory, "audience" | "learn">;
  /** About how many Discord is asked; others are left for the next time. */
  readonly maxLearned: number;
}

/** About how many one search, or one name, has Discord asked. */
export const MAX_THREADS_LEARNED = 50;
const MAX_AT_ONCE = 50;

/** Discord says only when asked who is in a private thread: asks it for those among these channels. False when some are left. */
export async function learnPrivateThreads(
  channels: readonly Channel[],
  { actor, directory, maxLearned }: Learning,
): Promise<boolean> {
  const unknown = channels.filter((channel) => isUnknownThread(channel, directory));
  const wanted = unknown.slice(0, maxLearned);
  // One that cannot be asked about may be hidden from the person asking: it must not make a difference.
  for (let from = 0; from < wanted.length; from += MAX_AT_ONCE)
    await Promise.allSettled(wanted.slice(from, from + MAX_AT_ONCE).map(({ id }) => directory.learn(actor, id)));
  return wanted.length === unknown.length;
}

/** A private thread with unknown members. */
export function isUnknownThread({ id, kind }: Channel, directory: Pick<Directory, "audience">): boolean {
  return kind === "private_thread" && !knowsMembers(id, directory);
}

/** Threads of all kinds. */
export function threadsIn(
  parents: readonly ChannelId[],
  directory: Pick<Directory, "channel" | "channels">,
): readonly Channel[] {
  const guildIds = new Set(parents.flatMap((id) => directory.channel(id)?.guildId ?? []));
  const all = [...guildIds].flatMap((id) => directory.channels(id));
  return all.filter(({ parentId }) => parentId !== null && parents.includes(parentId));
}

/** False too where it is too long ago that Discord was asked: then the directory does not count on the list. */
function knowsMembers(threadId: ChannelId, directory: Pick<Directory, "audience">): boolean {
  const audience = directory.audience(threadId);
  return audience.kind !== "guild" || Boolean(audience.place.thread?.thread?.members);
}
