import type { Channel } from "../../domain/guild.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Directory } from "../../ports/directory.ts";

/** Private threads about which one search asks who is in them. */
const MAX_LEARNED = 50;

/** Discord says only when asked who is in a private thread: asks it for those in these channels. False when some are left for the next time. */
export async function learnPrivateThreads(
  parents: readonly ChannelId[],
  actor: UserId,
  directory: Pick<Directory, "channel" | "channels" | "audience" | "learn">,
): Promise<boolean> {
  const guildIds = new Set(parents.flatMap((id) => directory.channel(id)?.guildId ?? []));
  const isUnknown = ({ id, kind, parentId }: Channel) =>
    kind === "private_thread" && parentId !== null && parents.includes(parentId) && !knowsMembers(id, directory);
  const unknown = [...guildIds].flatMap((id) => directory.channels(id)).filter(isUnknown);
  // One that cannot be asked about may be hidden from the person asking: it must not make a difference.
  await Promise.allSettled(unknown.slice(0, MAX_LEARNED).map(({ id }) => directory.learn(actor, id)));
  return unknown.length <= MAX_LEARNED;
}

/** False too where it is too long ago that Discord was asked: then the directory does not count on the list. */
function knowsMembers(threadId: ChannelId, directory: Pick<Directory, "audience">): boolean {
  const audience = directory.audience(threadId);
  return audience.kind !== "guild" || Boolean(audience.place.thread?.thread?.members);
}
