import { asLive, flows } from "../../domain/audience.ts";
import { type ChannelId, toId } from "../../domain/ids.ts";
import type { Kind, Limit, SourceWorld } from "./kind.ts";
import { toLimit } from "./limits.ts";

/** A channel of which something was disclosed. Its name is known to everybody who can view it. Once it is deleted, that may not be repeated. */
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

/** A channel that was searched: through its whole history. When it is deleted, its last audience counts. */
export const searched: Kind<"searched"> = {
  key: ({ channelId }) => channelId,
  limits: ({ channelId }, world) => limitsOf(channelId, "whole", world),
  isOwn: ({ channelId }, teller) => teller.isTellable(channelId),
};

/** Of a channel that the bot can no longer see, nobody can say who may know it. */
function limitsOf(id: ChannelId, part: "live" | "whole", world: SourceWorld): readonly Limit[] | null {
  const { directory, watch } = world;
  if (directory.canRead(watch.botId, id)) return limitsOfTalk(id, part, world);
  const last = directory.lastAudience(id);
  return last ? [toLimit(`last:${id}`, last)] : null;
}

/** Who may know what is said in a channel that the bot reads. `live`: only what is being said there now. Hundreds of messages share one, which is looked at once. */
export function limitsOfTalk(
  id: ChannelId,
  part: "live" | "whole",
  { directory }: Pick<SourceWorld, "directory">,
): readonly Limit[] {
  const audience = () => (part === "live" ? asLive(directory.audience(id)) : directory.audience(id));
  return [{ key: `${part}:${id}`, allows: (readers) => flows(audience(), readers) }];
}
