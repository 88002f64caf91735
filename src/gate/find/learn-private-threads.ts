import type { Channel } from "../../domain/guild.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";

interface Learning {
  readonly actor: UserId;
  readonly directory: Pick<Directory, "audience" | "learn">;
  /** Maximum requests to Discord; other threads are left for the next time. */
  readonly maxLearned: number;
}

/** Per search or name. */
export const MAX_THREADS_LEARNED = 50;
const MAX_AT_ONCE = 50;

/** Loads the members of the private threads among these channels, which Discord returns only on request. False if some are left. */
export async function learnPrivateThreads(
  channels: readonly Channel[],
  { actor, directory, maxLearned }: Learning,
): Promise<boolean> {
  const unknown = channels.filter((channel) => isUnknownThread(channel, directory));
  const wanted = unknown.slice(0, maxLearned);
  // A thread without an answer may be hidden from the actor, so it must make no difference.
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

/** False also if the list is outdated: the directory ignores it then. */
function knowsMembers(threadId: ChannelId, directory: Pick<Directory, "audience">): boolean {
  const audience = directory.audience(threadId);
  return audience.kind !== "guild" || Boolean(audience.place.thread?.thread?.members);
}
