import { asLive, flows } from "../../domain/audience.ts";
import { type ChannelId, toId } from "../../domain/ids.ts";
import type { Kind, Limit, SourceWorld } from "./kind.ts";
import { toLimit } from "./limits.ts";

/** A channel whose name or content was disclosed. Its name is known to everyone who can view it, and may not be repeated once the
 * channel is deleted. */
export const told: Kind<"told"> = {
  key: ({ channelId }) => channelId,
  limits: ({ channelId }, world) => (isGone(channelId, world) ? [] : limitsOf(channelId, "live", world)),
  state: ({ channelId }, world) => (isGone(channelId, world) ? "deleted" : "standing"),
  isOwn: ({ channelId }, teller) => teller.isTellable(channelId),
  auditTypes: ["discord_channel", "discord_thread"],
  restore(ref) {
    const channelId = toId<ChannelId>(ref);
    return channelId && { kind: "told", channelId };
  },
};

function isGone(id: ChannelId, { directory, watch }: SourceWorld): boolean {
  return !directory.canRead(watch.botId, id) && directory.isDeleted(id);
}

/** A channel whose whole history was searched. Once it is deleted, its last audience counts. */
export const searched: Kind<"searched"> = {
  key: ({ channelId }) => channelId,
  limits: ({ channelId }, world) => limitsOf(channelId, "whole", world),
  isOwn: ({ channelId }, teller) => teller.isTellable(channelId),
};

/** Null for a channel that the bot can no longer see, because its audience is unknown. */
function limitsOf(id: ChannelId, part: "live" | "whole", world: SourceWorld): readonly Limit[] | null {
  const { directory, watch } = world;
  if (directory.canRead(watch.botId, id)) return limitsOfTalk(id, part, world);
  const last = directory.lastAudience(id);
  return last ? [toLimit(`last:${id}`, last)] : null;
}

/** The audience of messages in a channel that the bot reads. `live`: only of live messages. Hundreds of messages share one audience,
 * which is checked once. */
export function limitsOfTalk(
  id: ChannelId,
  part: "live" | "whole",
  { directory }: Pick<SourceWorld, "directory">,
): readonly Limit[] {
  const audience = () => (part === "live" ? asLive(directory.audience(id)) : directory.audience(id));
  return [{ key: `${part}:${id}`, allows: (readers) => flows(audience(), readers) }];
}
