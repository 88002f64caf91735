import type { MessageType } from "discord-api-types/v10";
import type { MessageExtras, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { Place } from "./access.ts";
import { announceMessage } from "./announce.ts";
import { layMessage } from "./records.ts";

export interface Notice {
  readonly type: MessageType;
  readonly authorId: string;
  readonly content?: string;
  readonly reference?: NonNullable<MessageExtras["reference"]>;
  readonly embeds?: NonNullable<MessageExtras["embeds"]>;
}

/** Posts a system message: a member joined, a message was pinned, a thread was opened. */
export function postNotice(world: World, place: Place, notice: Notice): MessageRecord {
  const { reference, embeds } = notice;
  const message: MessageRecord = {
    id: world.mintId(),
    channelId: place.channel.id,
    authorId: notice.authorId,
    type: notice.type,
    content: notice.content ?? "",
    timestamp: world.clock.now(),
    editedAt: null,
    flags: 0,
    more: reference || embeds ? { ...(reference && { reference }), ...(embeds && { embeds }) } : null,
  };
  layMessage(place.channel, message);
  announceMessage(world, "MESSAGE_CREATE", message);
  return message;
}
