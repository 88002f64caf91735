import type { Channel } from "../../domain/guild.ts";
import { compareIds } from "../../domain/ids.ts";

/** The order in which channels are looked through: by server, as Discord shows them, the newest threads first. */
export function compareChannels(a: Channel, b: Channel): number {
  return (
    compareIds(a.guildId ?? a.id, b.guildId ?? b.id) ||
    remoteness(a) - remoteness(b) ||
    a.position - b.position ||
    (a.thread ? compareIds(b.id, a.id) : compareIds(a.id, b.id))
  );
}

/** Channels come before threads, of which there may be thousands, and those before what is in the archives. */
function remoteness({ thread }: Channel): number {
  return thread === null ? 0 : thread.archived ? 2 : 1;
}
