import type { ChannelId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import type { Room } from "./irc.ts";
import { isAskedOnly } from "./questions/question-file.ts";
import { type RoomRecord, readRoomFile, toRoomMessage } from "./room-file.ts";

/**
 * Rooms that questions are only asked about are not read at all. The others by their number modulo 8: 4 and 6 are only for measuring, 0 is for
 * tuning and learned from in the end, 2 is learned from.
 */
const PARTS = 8;
const FIRST_HELD_OUT = 4;
const VALIDATION = 0;
const CHANNEL = "1" as ChannelId;

export interface DiscordRooms {
  readonly training: readonly Room[];
  /** Part of `training` unless one tunes. */
  readonly validation: readonly Room[];
  readonly heldOut: readonly Room[];
}

/** `answers` has each reply whose original is in the room; what other messages answer is not known. */
export function readDiscordRooms(file: string): DiscordRooms {
  const rooms = readRoomFile(file)
    .filter(({ room }) => !isAskedOnly(room))
    .map(toRoom);
  const partOf = ({ name }: Room) => Number(name.replace(/\D/g, "")) % PARTS;
  return {
    training: rooms.filter((room) => partOf(room) < FIRST_HELD_OUT),
    validation: rooms.filter((room) => partOf(room) === VALIDATION),
    heldOut: rooms.filter((room) => partOf(room) >= FIRST_HELD_OUT),
  };
}

/** The room as if the authors had not replied: these replies look like any other message, and are to be guessed. */
export function hideReplies(room: Room, isHidden: (index: number) => boolean = () => true): Room {
  const messages = room.messages.map(
    (message, index): Message => (isHidden(index) ? { ...message, kind: "text", reply_to: null } : message),
  );
  return { ...room, messages, answers: new Map([...room.answers].filter(([index]) => isHidden(index))) };
}

function toRoom({ room, messages }: RoomRecord): Room {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const answers = new Map<number, number[]>();
  for (const [index, { reply_to }] of messages.entries()) {
    const target = reply_to === null ? undefined : places.get(reply_to);
    if (target !== undefined && target < index) answers.set(index, [target]);
  }
  return { name: room, messages: messages.map((said) => toRoomMessage(said, CHANNEL)), answers };
}
