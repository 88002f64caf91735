import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hideReplies, readDiscordRooms } from "../../eval/discord-rooms.ts";
import { guessLinks } from "../../eval/forest-data.ts";
import { chanceFrom, shufflePieces } from "../../eval/forest-variants.ts";
import { isAskedOnly } from "../../eval/questions/question-file.ts";

const DATA = "../shared/data/discord-replies/rooms.jsonl";
const folder = mkdtempSync(join(tmpdir(), "rooms-"));
afterAll(() => rmSync(folder, { recursive: true }));

const HOUR = 3_600_000;
const idAt = (time: number) => String(BigInt(time) << 22n);

/** A room in which every third message replies to the one two before it, with an hour of silence before every fifth. */
function toLine(number: number, count = 40): string {
  const times = Array.from({ length: count }, (_, index) => index * 60_000 + Math.floor(index / 5) * HOUR);
  const messages = times.map((time, index) => ({
    id: idAt(time),
    author_id: String(100 + (index % 3)),
    author: `Person ${index % 3}`,
    text: `word${index} and word${index % 4}`,
    reply_to: index % 3 === 2 ? idAt(times[index - 2] ?? 0) : null,
    files: index % 2,
  }));
  return JSON.stringify({ room: `room-${String(number).padStart(3, "0")}`, messages });
}

function readLines(lines: readonly string[]) {
  const file = join(folder, "rooms.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return readDiscordRooms(file);
}

describe("readDiscordRooms", () => {
  it("keeps half of the rooms that may be tuned on out of training, by number and not by place in the file", () => {
    const { training, validation, heldOut } = readLines([6, 4, 2, 8, 0].map((number) => toLine(number, 3)));
    expect(heldOut.map(({ name }) => name)).toEqual(["room-006", "room-004"]);
    expect(validation.map(({ name }) => name)).toEqual(["room-008", "room-000"]);
    expect(training.map(({ name }) => name)).toEqual(["room-002", "room-008", "room-000"]);
  });

  it("reads no room that questions are only asked about", () => {
    const numbers = Array.from({ length: 16 }, (_, number) => number);
    const { training, validation, heldOut } = readLines(numbers.map((number) => toLine(number, 3)));
    const read = [...training, ...validation, ...heldOut];
    expect(read.filter(({ name }) => isAskedOnly(name))).toEqual([]);
  });

  it("reads who answers whom from replies whose original is in the room", () => {
    const [room] = readLines([toLine(0, 6)]).training;
    expect([...(room?.answers ?? [])]).toEqual([
      [2, [0]],
      [5, [3]],
    ]);
  });
});

describe("hideReplies", () => {
  const [room] = readLines([toLine(0)]).training;
  if (!room) throw new Error("There is one room.");

  it("leaves no trace of a hidden reply: the forest finds the same whatever was replied to", () => {
    const other = {
      ...room,
      messages: room.messages.map((message, index) => {
        const original = room.messages[Math.max(0, index - 7)];
        return { ...message, reply_to: original ? { message_id: original.message_id, state: "known" as const } : null };
      }),
    };
    expect(hideReplies(other).messages).toEqual(hideReplies(room).messages);
    expect(guessLinks(hideReplies(other).messages)).toEqual(guessLinks(hideReplies(room).messages));
  });

  it("keeps the replies that are not hidden as links, and asks only for the hidden ones", () => {
    const part = hideReplies(room, (index) => index % 2 === 0);
    const links = guessLinks(part.messages);
    for (const [index, targets] of room.answers) {
      expect(part.answers.has(index)).toBe(index % 2 === 0);
      if (index % 2 !== 0) expect(links[index]).toEqual({ to: targets[0], kind: "explicit", certainty: 1 });
    }
  });
});

describe("shufflePieces", () => {
  it("keeps all messages and silences, and knows only beginnings of pieces that follow another piece than before", () => {
    const [room] = readLines([toLine(0)]).training;
    if (!room) throw new Error("There is one room.");
    const { messages, answers } = shufflePieces(room, HOUR, chanceFrom(3));
    expect(messages.map(({ message_id }) => message_id).sort()).toEqual(
      room.messages.map(({ message_id }) => message_id).sort(),
    );
    expect(answers.size).toBeGreaterThan(0);
    const place = new Map(room.messages.map(({ message_id }, index) => [message_id, index]));
    for (const [index, targets] of answers) {
      expect(targets).toEqual([index]);
      const [start, before] = [messages[index], messages[index - 1]].map((one) => one && place.get(one.message_id));
      expect((start ?? 1) % 5).toBe(0);
      expect(before).not.toBe((start ?? 0) - 1);
      const silence =
        Date.parse(messages[index]?.ts ?? "") - Date.parse(messages[index - 1]?.ts ?? "1970-01-01T00:00:00Z");
      expect(silence).toBeGreaterThanOrEqual(HOUR);
    }
    for (const { reply_to } of messages) expect(reply_to).toBeNull();
  });
});

describe.skipIf(!existsSync(DATA))("the rooms in ../shared/data (skipped where the data is absent)", () => {
  it("are 70 without those only asked about; 34 with 1,099 replies are only for measuring", () => {
    const { training, heldOut } = readDiscordRooms(DATA);
    expect([training.length, heldOut.length]).toEqual([36, 34]);
    expect(heldOut.reduce((sum, { answers }) => sum + answers.size, 0)).toBe(1_099);
  });
});
