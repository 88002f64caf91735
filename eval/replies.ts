import { parseArgs } from "node:util";
import { type ChannelId, idTime } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import { parseQuery, toQuery } from "../src/domain/search/query.ts";
import { openArchive } from "../test/support/archive.ts";
import { printTable } from "../test/support/table.ts";
import type { TimelinesAndSearch } from "../test/support/timelines-and-search.ts";
import { openFts5 } from "./baselines.ts";
import { toFigure, writeFigures } from "./figures.ts";
import { readRoomFile, toRoomMessage } from "./room-file.ts";

/**
 * Does search find its way in Discord rooms of many people? Each message that answers another with Discord's reply is a query, and what it answers
 * is looked for among the last messages of the room before it. No one wrote these texts to be searched with, so many cannot be found by words.
 */
interface Room {
  readonly channelId: ChannelId;
  readonly messages: readonly Message[];
  /** Never tuned on. */
  readonly isHeldOut: boolean;
}

interface Task {
  readonly reply: Message;
  /** Its place in the room. */
  readonly at: number;
  /** The first of the last messages before it. */
  readonly from: number;
  readonly wanted: string;
}

interface Tally {
  tasks: number;
  readonly at1: Record<string, number>;
  readonly at5: Record<string, number>;
  /** By room, what Earshot found. */
  readonly rooms: { readonly tasks: number; readonly at1: number; readonly at5: number }[];
}

const WINDOW = 500;
const LIMIT = 5;

/** Every second room is held out. */
function readRooms(file: string): Room[] {
  return readRoomFile(file).map((room, index) => {
    const channelId = String(3_000 + index) as ChannelId;
    // What the files are called is not known.
    const messages = room.messages.map((said) => ({ ...toRoomMessage(said, channelId), attachments: [] }));
    return { channelId, messages, isHeldOut: index % 2 === 1 };
  });
}

function toTasks({ messages }: Room): Task[] {
  return messages.flatMap((reply, at) => {
    const from = Math.max(0, at - WINDOW);
    const wanted = messages.slice(from, at).find(({ message_id }) => message_id === reply.reply_to?.message_id);
    return wanted && /\p{L}/u.test(reply.content) ? [{ reply, at, from, wanted: wanted.message_id }] : [];
  });
}

/** As it was when the reply was written. */
async function askEarshot(timelines: TimelinesAndSearch, { messages }: Room, { reply, at, from }: Task) {
  const [since, until] = [messages[from], messages[at - 1]].map((each) => idTime(each?.message_id ?? reply.message_id));
  const query = toQuery({ ...parseQuery(""), text: reply.content }, { since: since ?? null, until: until ?? null });
  const { hits } = await timelines.find({ channelIds: [reply.channel_id], query, limit: LIMIT, scan: 100_000 });
  return hits.map(({ message }) => message.message_id as string);
}

async function score(rooms: readonly Room[], timelines: TimelinesAndSearch): Promise<Tally> {
  const tally: Tally = { tasks: 0, at1: {}, at5: {}, rooms: [] };
  for (const room of rooms) {
    const before = { tasks: tally.tasks, at1: tally.at1.earshot ?? 0, at5: tally.at5.earshot ?? 0 };
    const fts5 = openFts5();
    let [added, removed] = [0, 0];
    for (const task of toTasks(room)) {
      const note = (way: string, ids: readonly string[]) => {
        tally.at1[way] = (tally.at1[way] ?? 0) + Number(ids[0] === task.wanted);
        tally.at5[way] = (tally.at5[way] ?? 0) + Number(ids.includes(task.wanted));
      };
      tally.tasks += 1;
      note("earshot", await askEarshot(timelines, room, task));
      if (values.quick) continue;
      for (const { message_id, author, content } of room.messages.slice(added, task.at))
        fts5.add(message_id, `${author.name}: ${content}`);
      added = task.at;
      for (; removed < task.from; removed += 1) fts5.removeOldest();
      note("fts5", fts5.best(task.reply.content, LIMIT));
      note("fts5 with neighbours", fts5.bestWithNeighbours(task.reply.content, LIMIT));
    }
    const [at1, at5] = [(tally.at1.earshot ?? 0) - before.at1, (tally.at5.earshot ?? 0) - before.at5];
    tally.rooms.push({ tasks: tally.tasks - before.tasks, at1, at5 });
  }
  return tally;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    json: { type: "boolean", default: false },
    /** Only Earshot, on the rooms that may be tuned on. */
    quick: { type: "boolean", default: false },
    figures: { type: "string" },
  },
});
if (values.data === undefined) {
  console.error("Say which rooms to search: --data FILE, for example ../shared/data/discord-replies/rooms.jsonl.");
  process.exit(1);
}
const rooms = readRooms(values.data);
const { timelines } = openArchive(new Map(rooms.map(({ channelId, messages }) => [channelId, messages])), {
  messagesPerChannel: 100_000,
  totalBytes: 1024 ** 3,
});
const tallies: Record<string, Tally> = {};
for (const isHeldOut of values.quick ? [false] : [false, true])
  tallies[isHeldOut ? "held out" : "dev"] = await score(
    rooms.filter((room) => room.isHeldOut === isHeldOut),
    timelines,
  );
const found = tallies.dev?.rooms ?? [];
writeFigures(values.figures, {
  "what a reply answers, first": toFigure(found.map(({ tasks, at1 }) => ({ right: at1, of: tasks }))),
  "what a reply answers, in the first 5": toFigure(found.map(({ tasks, at5 }) => ({ right: at5, of: tasks }))),
});
if (values.json) console.log(JSON.stringify({ eval: "replies", tallies }, null, 2));
else
  for (const [half, { tasks, at1, at5 }] of Object.entries(tallies))
    printTable(
      `What a reply answers, found by its words among the last ${WINDOW} messages, first / among the first ${LIMIT}, in percent; ${half}: ${tasks} replies`,
      Object.keys(at1).map((way) => ({
        what: way,
        figure: [at1, at5].map((at) => ((100 * (at[way] ?? 0)) / tasks).toFixed(1)).join(" / "),
      })),
    );
await timelines.close();
