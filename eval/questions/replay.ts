import type { Community } from "../../sandbox/index.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { idTime, type MessageId } from "../../src/domain/ids.ts";
import { type AnswerWorld, openAnswerWorld } from "../../test/support/answer-world.ts";
import type { RoomRecord } from "../room-file.ts";

/** Rooms that are lived through again: at each moment only what had been said by then is there. */
export interface Replay {
  readonly world: AnswerWorld;
  /** Goes on until everything is said that was said up to this message, in any room. */
  goTo(messageId: string): Promise<void>;
  /** The id that a message got here; undefined for one that was not said yet, or has no words. */
  idOf(messageId: string): string | undefined;
}

interface Said {
  readonly id: string;
  readonly room: string;
  readonly by: string;
  readonly text: string;
  readonly replyTo: string | null;
}

/** As many are on their way at a time. */
const BATCH = 500;
export const ASKER = "asker";

export async function openReplay(rooms: readonly RoomRecord[]): Promise<Replay> {
  const all = rooms.flatMap(toSaid).sort((a, b) => Number(idTime(a.id as MessageId) - idTime(b.id as MessageId)));
  const people = new Map(rooms.flatMap(({ messages }) => messages.map(({ author_id, author }) => [author_id, author])));
  let now = all[0] ? idTime(all[0].id as MessageId) - 1 : 0;
  const world = await openAnswerWorld(createBuiltinAnswerer(), toCommunity(rooms, people), { now: () => now });
  const ids = new Map<string, string>();
  let next = 0;
  function say({ id, room, by, text, replyTo }: Said): string {
    now = Math.max(now, idTime(id as MessageId));
    const messageId = replyTo === null ? undefined : ids.get(replyTo);
    const said = world.sandbox.as(by).say(room, { content: text, ...(messageId && { reference: { messageId } }) });
    ids.set(id, said.id);
    return said.id;
  }
  return {
    world,
    idOf: (id) => ids.get(id),
    async goTo(messageId) {
      const until = idTime(messageId as MessageId);
      let last: string | null = null;
      for (let message = all[next]; message && idTime(message.id as MessageId) <= until; message = all[next]) {
        last = say(message);
        next += 1;
        if (next % BATCH === 0) await world.heard(last);
      }
      if (last !== null) await world.heard(last);
      now = Math.max(now, until);
    },
  };
}

function toSaid({ room, messages }: RoomRecord): Said[] {
  const said = messages.filter(({ text }) => text.trim() !== "");
  const ids = new Set(said.map(({ id }) => id));
  return said.map(({ id, author_id, text, reply_to }) => {
    return { id, room, by: author_id, text, replyTo: reply_to !== null && ids.has(reply_to) ? reply_to : null };
  });
}

function toCommunity(rooms: readonly RoomRecord[], people: ReadonlyMap<string, string>): Community {
  return {
    guild: { name: "Rooms", owner: "earshot", everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages"] },
    people: [
      { key: "earshot", username: "earshot", displayName: "Earshot", bot: true },
      { key: ASKER, username: ASKER, displayName: "Robin" },
      ...[...people].map(([key, name]) => ({ key, username: `user_${key}`, displayName: name.slice(0, 32) })),
    ],
    roles: [],
    channels: rooms.map(({ room }) => ({ key: room, name: room, kind: "text" })),
    posts: [],
  };
}
