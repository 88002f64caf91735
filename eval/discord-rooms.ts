import { readFileSync } from "node:fs";
import { z } from "zod";
import type { AttachmentId, ChannelId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { GUILD } from "../test/support/archive.ts";
import type { Room } from "./irc.ts";

const roomSchema = z.object({
  room: z.string().regex(/^room-\d+$/),
  messages: z.array(
    z.object({
      id: z.string(),
      author_id: z.string(),
      author: z.string(),
      text: z.string(),
      reply_to: z.string().nullable(),
      files: z.int().min(0),
    }),
  ),
});

const EPOCH = 1_420_070_400_000;
/** Rooms by their number modulo 4: 3 is only for measuring, 0 is for tuning and learned from in the end, 1 and 2 are learned from. */
const PARTS = 4;
const HELD_OUT = 3;
const VALIDATION = 0;

export interface DiscordRooms {
  readonly training: readonly Room[];
  /** Part of `training` unless one tunes. */
  readonly validation: readonly Room[];
  readonly heldOut: readonly Room[];
}

/** One room a line. `answers` has each reply whose original is in the room; what other messages answer is not known. */
export function readDiscordRooms(file: string): DiscordRooms {
  const rooms = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => toRoom(roomSchema.parse(JSON.parse(line))));
  const inPart = (part: number) => rooms.filter(({ name }) => Number(name.replace(/\D/g, "")) % PARTS === part);
  return {
    training: rooms.filter((room) => !inPart(HELD_OUT).includes(room)),
    validation: inPart(VALIDATION),
    heldOut: inPart(HELD_OUT),
  };
}

/** The room as if the authors had not replied: these replies look like any other message, and are to be guessed. */
export function hideReplies(room: Room, isHidden: (index: number) => boolean = () => true): Room {
  const messages = room.messages.map(
    (message, index): Message => (isHidden(index) ? { ...message, kind: "text", reply_to: null } : message),
  );
  return { ...room, messages, answers: new Map([...room.answers].filter(([index]) => isHidden(index))) };
}

function toRoom({ room, messages }: z.infer<typeof roomSchema>): Room {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const answers = new Map<number, number[]>();
  for (const [index, { reply_to }] of messages.entries()) {
    const target = reply_to === null ? undefined : places.get(reply_to);
    if (target !== undefined && target < index) answers.set(index, [target]);
  }
  return { name: room, messages: messages.map(toMessage), answers };
}

function toMessage({
  id,
  author_id,
  author,
  text,
  reply_to,
  files,
}: z.infer<typeof roomSchema>["messages"][0]): Message {
  return {
    message_id: id as MessageId,
    channel_id: "1" as ChannelId,
    guild_id: GUILD,
    thread_id: null,
    link: "",
    author: { id: author_id as UserId, name: author, bot: false },
    ts: new Date(Number(BigInt(id) >> 22n) + EPOCH).toISOString(),
    edited_ts: null,
    kind: reply_to === null ? "text" : "reply",
    content: text,
    parts: toTypedParts(text),
    reply_to: reply_to === null ? null : { message_id: reply_to as MessageId, state: "known" },
    attachments: Array.from({ length: files }, (_, index) => ({
      ...{ id: String(index + 1) as AttachmentId, url: "", filename: "file", content_type: null },
      ...{ size: 0, width: null, height: null },
    })),
  };
}
