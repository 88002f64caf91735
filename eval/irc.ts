import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { GUILD } from "../test/support/archive.ts";

/** An annotated log: a message for each line. */
export interface Room {
  readonly name: string;
  readonly messages: readonly Message[];
  /** For each annotated line the lines that it answers; itself, if it begins a conversation. Other lines are context. */
  readonly answers: ReadonlyMap<number, readonly number[]>;
}

interface Line {
  readonly minute: number | null;
  readonly author: string | null;
  readonly text: string;
}

const EPOCH = 1_420_070_400_000;
const START = Date.parse("2024-01-01T00:00:00Z");
const DAY = 24 * 60;
/** `[12:34] <ada> hello`, and `[12:34]  * ada waves`. */
const SAID = /^\[(\d\d):(\d\d)\] (?:<([^>]*)>|\s*\* (\S+)) ?(.*)$/;

/** Every `*.ascii.txt` of the folder that has its `*.annotation.txt` beside it. */
export function readRooms(folder: string): Room[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ascii.txt"))
    .sort()
    .map((file) => {
      const lines = readFileSync(join(folder, file), "utf8").replace(/\n$/, "").split("\n").map(readLine);
      const notes = readFileSync(join(folder, file.replace(".ascii.", ".annotation.")), "utf8");
      return { name: file.replace(".ascii.txt", ""), messages: toMessages(lines), answers: readAnswers(notes) };
    });
}

function readLine(line: string): Line {
  const [, hour, minute, speaker, doer, text = ""] = SAID.exec(line) ?? [];
  if (hour === undefined) return { minute: null, author: null, text: line };
  return { minute: Number(hour) * 60 + Number(minute), author: speaker ?? doer ?? "", text };
}

function toMessages(lines: readonly Line[]): Message[] {
  const people = new Map<string, UserId>();
  let minutes = 0;
  return lines.map(({ minute, author, text }, index) => {
    // A clock that goes back by hours has passed midnight; one that goes back a little was only set.
    if (minute !== null) minutes += Math.max(0, signedDifference(minute, minutes % DAY));
    const time = START + minutes * 60_000;
    const name = author ?? "";
    const userId = people.get(name) ?? (String(100 + people.size) as UserId);
    people.set(name, userId);
    return {
      // The line's number keeps the order within a minute.
      message_id: String((BigInt(time - EPOCH) << 22n) + BigInt(index)) as MessageId,
      channel_id: "1" as ChannelId,
      guild_id: GUILD,
      thread_id: null,
      link: "",
      author: { id: userId, name, bot: false },
      ts: new Date(time).toISOString(),
      edited_ts: null,
      kind: author === null ? "system" : "text",
      content: text,
      parts: toTypedParts(text),
      reply_to: null,
      attachments: [],
    };
  });
}

/** In minutes, the short way around the clock. */
function signedDifference(later: number, earlier: number): number {
  return ((later - earlier + DAY + DAY / 2) % DAY) - DAY / 2;
}

function readAnswers(notes: string): Map<number, number[]> {
  const answers = new Map<number, number[]>();
  for (const note of notes.split("\n")) {
    const [first, second] = note.split(" ").map(Number);
    if (first === undefined || second === undefined || Number.isNaN(first + second)) continue;
    const [target, source] = [Math.min(first, second), Math.max(first, second)];
    const targets = answers.get(source) ?? [];
    if (!targets.includes(target)) targets.push(target);
    answers.set(source, targets);
  }
  return answers;
}
