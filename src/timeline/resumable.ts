import type { MessageId } from "../domain/ids.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord } from "../ports/discord.ts";
import type { HeldChannel, MessageIndex } from "../ports/message-index.ts";
import type { TimelineOptions } from "./options.ts";

const MAX_READ_AT_ONCE = 1_000;

interface ResumeDeps {
  readonly discord: Pick<Discord, "botId" | "directory">;
  readonly consent: Pick<Consent, "isLeftOut">;
}

/**
 * The contents of an index on disk from before the start that may be kept. Drops channels that are no longer configured or readable, and
 * messages of people who opted out since. Throws as the index does.
 */
export function resumable(
  index: MessageIndex,
  { disk }: Pick<TimelineOptions, "disk">,
  { discord, consent }: ResumeDeps,
): HeldChannel[] {
  const named = new Set(disk?.channels);
  const resumed: HeldChannel[] = [];
  for (const held of index.held()) {
    if (!named.has(held.channelId) || isLost(held, discord)) index.forget(held.channelId);
    else resumed.push(withoutLeftOut(held, index, consent));
  }
  return resumed;
}

/**
 * The channel was deleted, or access to it lost, while Earshot was not running. An unreachable server is no proof of that, nor is an
 * unknown thread, which may be archived.
 */
function isLost(
  { channelId, guildId, isThread }: HeldChannel,
  { directory, botId }: Pick<Discord, "botId" | "directory">,
): boolean {
  if (guildId === null) return directory.channel(channelId) !== undefined && !directory.canRead(botId, channelId);
  const guild = directory.guild(guildId);
  if (!guild) return directory.hasLeft(guildId);
  if (!guild.available) return false;
  return directory.channel(channelId) === undefined ? !isThread : !directory.canRead(botId, channelId);
}

function withoutLeftOut(held: HeldChannel, index: MessageIndex, consent: ResumeDeps["consent"]): HeldChannel {
  const { channelId, messageIds } = held;
  const remove = new Set<MessageId>();
  for (let start = 0; start < messageIds.length; start += MAX_READ_AT_ONCE)
    for (const { message_id, author } of index.get(channelId, messageIds.slice(start, start + MAX_READ_AT_ONCE)))
      if (consent.isLeftOut(author.id)) remove.add(message_id);
  if (remove.size > 0) index.write(channelId, { remove: [...remove] });
  return { ...held, messageIds: messageIds.filter((id) => !remove.has(id)) };
}
