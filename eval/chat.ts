import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ChannelId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { parseQuery, toQuery } from "../src/domain/search/query.ts";
import { isStopWord } from "../src/domain/search/stop-words.ts";
import { GUILD, openArchive } from "../test/support/archive.ts";
import { printTable } from "../test/support/table.ts";
import type { TimelinesAndSearch } from "../test/support/timelines-and-search.ts";
import { openFts5, type Search } from "./baselines.ts";
import { embedderCalled } from "./embedders.ts";
import { type RoomTally, toFigure, writeFigures } from "./figures.ts";

/**
 * Does search find its way in busy chat between real people, where many talk at once? Annotated IRC logs: each file is a channel, each line a
 * message; an annotation `a b -` says that message b answers message a. No one wrote questions for it, so they are made from the messages.
 */
interface Room {
  readonly channelId: ChannelId;
  readonly messages: ReadonlyMap<number, Message>;
  readonly answers: readonly { readonly asked: number; readonly answered: number }[];
}

interface Task {
  readonly query: string;
  readonly wanted: MessageId;
  /** Finding this is no achievement. */
  readonly given?: MessageId;
}

const EPOCH = 1_420_070_400_000;
const START = Date.parse("2024-01-01T00:00:00Z");
const LINE = /^\[(\d\d):(\d\d)\] <([^>]+)> (.*)$/;
const TASKS_PER_ROOM = 12;
const SCAN = 100_000;
/** An answer in which the embedder had no say would measure nothing. */
const PATIENCE_MS = 600_000;

function readRoom(folder: string, file: string, index: number): Room {
  const channelId = String(2_000 + index) as ChannelId;
  const messages = new Map<number, Message>();
  const people = new Map<string, UserId>();
  for (const [number, line] of readFileSync(join(folder, file), "utf8").split("\n").entries()) {
    const [, hour, minute, name, content] = LINE.exec(line) ?? [];
    if (name === undefined || content === undefined) continue;
    const time = START + (Number(hour) * 60 + Number(minute)) * 60_000;
    const userId = people.get(name) ?? (String(100 + people.size) as UserId);
    people.set(name, userId);
    // The line's number keeps the order within a minute, and over midnight.
    const id = String(
      (BigInt(Math.max(time, lastTime(messages)) - EPOCH) << 22n) + BigInt(number * 64 + index),
    ) as MessageId;
    messages.set(number, toMessage({ id, channelId, name, userId, content }));
  }
  const notes = readFileSync(join(folder, file.replace("ascii", "annotation")), "utf8").split("\n");
  const answers = notes
    .map((note) => note.split(" ").map(Number))
    .map(([asked = 0, answered = 0]) => ({ asked, answered }))
    .filter(({ asked, answered }) => asked !== answered && messages.has(asked) && messages.has(answered));
  return { channelId, messages, answers };
}

function lastTime(messages: ReadonlyMap<number, Message>): number {
  const last = [...messages.values()].at(-1);
  return last ? Date.parse(last.ts) : 0;
}

function toMessage(said: {
  id: MessageId;
  channelId: ChannelId;
  name: string;
  userId: UserId;
  content: string;
}): Message {
  return {
    message_id: said.id,
    channel_id: said.channelId,
    guild_id: GUILD,
    thread_id: null,
    link: "",
    author: { id: said.userId, name: said.name, bot: false },
    ts: new Date(Number(BigInt(said.id) >> 22n) + EPOCH).toISOString(),
    edited_ts: null,
    kind: "text",
    content: said.content,
    parts: toTypedParts(said.content),
    reply_to: null,
    attachments: [],
  };
}

/** Words that say something, each once. */
function tellingWords({ content }: Message): string[] {
  const words = content.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return [...new Set(words)].filter((word) => !isStopWord(word));
}

/** Two neighbouring letters in the middle change places. */
function mistype(word: string): string {
  const middle = word.length >> 1;
  return `${word.slice(0, middle - 1)}${word[middle]}${word[middle - 1]}${word.slice(middle + 1)}`;
}

const TASKS: Readonly<Record<string, (room: Room) => Task[]>> = {
  "three words of a message": (room) => remember(room, (words) => words.slice(0, 3).join(" ")),
  "the same as a question": (room) =>
    remember(room, (words, { author }) => `what did ${author.name} say about ${words.slice(0, 3).join(" and ")}?`),
  "two words, both mistyped": (room) =>
    remember(room, (words) => {
      const long = words.filter((word) => word.length >= 6);
      return long.length < 2 ? null : long.slice(0, 2).map(mistype).join(" ");
    }),
  "the answer, by words of what it answers": ({ messages, answers }) =>
    answers.flatMap(({ asked, answered }) => {
      const [question, answer] = [messages.get(asked), messages.get(answered)];
      const words = question ? tellingWords(question) : [];
      if (!question || !answer || words.length < 3) return [];
      return [{ query: words.slice(0, 4).join(" "), wanted: answer.message_id, given: question.message_id }];
    }),
};

function remember({ messages }: Room, ask: (words: readonly string[], message: Message) => string | null): Task[] {
  return [...messages.values()].flatMap((message) => {
    const words = tellingWords(message);
    const query = words.length < 4 ? null : ask(words, message);
    return query === null ? [] : [{ query, wanted: message.message_id }];
  });
}

/** So many, from all over the room. */
function sample(tasks: readonly Task[]): Task[] {
  const step = Math.max(1, Math.floor(tasks.length / TASKS_PER_ROOM));
  return tasks.filter((_, index) => index % step === 0).slice(0, TASKS_PER_ROOM);
}

function openEarshot(timelines: TimelinesAndSearch, { channelId }: Room) {
  return async (query: string, limit: number) => {
    const { hits } = await timelines.find({
      channelIds: [channelId],
      query: toQuery(parseQuery(query)),
      limit,
      scan: SCAN,
    });
    return hits.map(({ message }) => message.message_id as string);
  };
}

function openBaseline({ messages }: Room): Search {
  const fts5 = openFts5();
  for (const { message_id, author, content } of messages.values()) fts5.add(message_id, `${author.name}: ${content}`);
  return fts5.best;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    embedder: { type: "string" },
    json: { type: "boolean", default: false },
    figures: { type: "string" },
  },
});
if (values.data === undefined) {
  console.error("Say which chat logs to search: --data FOLDER.");
  process.exit(1);
}
const folder = values.data;
const files = readdirSync(folder).filter((file) => file.endsWith(".ascii.txt"));
const rooms = files.slice(0, 40).map((file, index) => readRoom(folder, file, index));
const channels = new Map(rooms.map(({ channelId, messages }) => [channelId, [...messages.values()]]));
const { timelines } = openArchive(channels, {
  messagesPerChannel: SCAN,
  totalBytes: 1024 ** 3,
  embedder: await embedderCalled(values.embedder),
  embedderWaitMs: PATIENCE_MS,
});
const found: Record<string, { tasks: number; earshot1: number; earshot5: number; fts1: number; fts5: number }> = {};
const byRoom: Record<string, RoomTally[]> = {};
for (const room of rooms) {
  const ways = { earshot: openEarshot(timelines, room), fts: openBaseline(room) };
  for (const [name, toTasks] of Object.entries(TASKS)) {
    const tally = found[name] ?? { tasks: 0, earshot1: 0, earshot5: 0, fts1: 0, fts5: 0 };
    found[name] = tally;
    const before = { ...tally };
    for (const { query, wanted, given } of sample(toTasks(room))) {
      const places = { earshot: await ways.earshot(query, 6), fts: ways.fts(query, 6) };
      const placeOf = (ids: readonly string[]) =>
        ids
          .filter((id) => id !== given)
          .slice(0, 5)
          .indexOf(wanted);
      tally.tasks += 1;
      tally.earshot1 += Number(placeOf(places.earshot) === 0);
      tally.earshot5 += Number(placeOf(places.earshot) >= 0);
      tally.fts1 += Number(placeOf(places.fts) === 0);
      tally.fts5 += Number(placeOf(places.fts) >= 0);
    }
    const of = tally.tasks - before.tasks;
    for (const [at, right] of [
      ["first", tally.earshot1 - before.earshot1],
      ["in the first 5", tally.earshot5 - before.earshot5],
    ] as const) {
      const what = `${name}, ${at}`;
      byRoom[what] = [...(byRoom[what] ?? []), { right, of }];
    }
  }
}
writeFigures(values.figures, Object.fromEntries(Object.entries(byRoom).map(([what, some]) => [what, toFigure(some)])));
const percent = (part: number, whole: number) => ((100 * part) / whole).toFixed(1);
if (values.json) console.log(JSON.stringify(found, null, 2));
else
  printTable(
    `Found in ${rooms.length} busy rooms, first / among the first 5, in percent`,
    Object.entries(found).map(([what, { tasks, earshot1, earshot5, fts1, fts5 }]) => ({
      what,
      figure: `${percent(earshot1, tasks)} / ${percent(earshot5, tasks)}`,
      note: `FTS5 ${percent(fts1, tasks)} / ${percent(fts5, tasks)}; ${tasks} tries`,
    })),
  );
await timelines.close();
