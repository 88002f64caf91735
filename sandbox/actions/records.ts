import { MessageLog } from "../world/message-log.ts";
import type { ChannelRecord, MessageRecord, ThreadRecord } from "../world/records.ts";

type Required = "id" | "guildId" | "type" | "name";

/** An empty channel. */
export function newChannel(
  given: Pick<ChannelRecord, Required> & Partial<Omit<ChannelRecord, Required>>,
): ChannelRecord {
  return {
    topic: null,
    position: 0,
    parentId: null,
    nsfw: false,
    flags: 0,
    slowmodeSeconds: 0,
    overwrites: new Map(),
    messages: new MessageLog(),
    lastMessageId: null,
    pins: new Map(),
    thread: null,
    tags: [],
    recipients: [],
    ...given,
  };
}

export function newThread(given: Pick<ThreadRecord, "ownerId" | "createdAt"> & Partial<ThreadRecord>): ThreadRecord {
  return {
    archived: false,
    archivedAt: given.createdAt,
    autoArchiveMinutes: 4320,
    locked: false,
    invitable: true,
    messageCount: 0,
    totalMessagesSent: 0,
    appliedTags: [],
    members: new Map(),
    ...given,
  };
}

/** Adds a message to its channel and updates the channel's counts. */
export function layMessage(channel: ChannelRecord, message: MessageRecord): void {
  channel.messages.add(message);
  channel.lastMessageId = message.id;
  if (!channel.thread || message.id === channel.id) return;
  channel.thread.messageCount += 1;
  channel.thread.totalMessagesSent += 1;
}
