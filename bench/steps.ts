import { setImmediate } from "node:timers/promises";
import { buildThreadForest } from "../src/domain/forest/build-thread-forest.ts";
import type { ChannelId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { parseQuery, toQuery } from "../src/domain/search/query.ts";
import { type OpenPace, Pace, type Steps } from "../src/domain/steps/pace.ts";
import { extractSummary } from "../src/domain/summary/extract-summary.ts";
import { buildWindow } from "../src/domain/window/build-window.ts";
import { openArchive } from "../test/support/archive.ts";
import { median, printTable, type Row } from "../test/support/table.ts";
import { someNames } from "../test/support/talk.ts";
import { makeChatter } from "./chatter.ts";

/** A pace that notes how long each of its steps holds the event loop: from one rest to the next. */
class MeasuredPace extends Pace {
  override async rest(): Promise<void> {
    endStep();
    await super.rest();
    beginStep();
  }
}

let stepBegan = { wall: 0, cpu: process.threadCpuUsage() };

function beginStep(): void {
  stepBegan = { wall: performance.now(), cpu: process.threadCpuUsage() };
}

function endStep(): void {
  const { user, system } = process.threadCpuUsage(stepBegan.cpu);
  holds.push({ wall: performance.now() - stepBegan.wall, cpu: (user + system) / 1_000 });
}

/** Milliseconds by the clock, and of the main thread: on a busy machine the clock also counts what others do. */
const holds: { readonly wall: number; readonly cpu: number }[] = [];
const longestStep = (by: "wall" | "cpu") => holds.reduce((most, hold) => Math.max(most, hold[by]), 0);
const openPace: OpenPace = (check) => new MeasuredPace({ pause: () => setImmediate(), check });
const LIMIT = 10;
const ROUNDS = 10;

async function measure(what: string, work: (round: number) => Promise<unknown>): Promise<Row> {
  // The first calls of a program are slower, until its code has been compiled.
  for (let round = 0; round < 5; round += 1) await work(100 + round);
  holds.length = 0;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await setImmediate();
    const start = performance.now();
    beginStep();
    await work(round);
    endStep();
    times.push(performance.now() - start);
  }
  return toRow(what, { whole: median(times), rounds: ROUNDS });
}

function toRow(what: string, { whole, rounds }: { whole: number; rounds: number }): Row {
  const steps = Math.round(holds.length / rounds);
  return {
    what,
    figure: `${longestStep("cpu").toFixed(1)} ms`,
    note: `goal: 20 ms; by the clock ${longestStep("wall").toFixed(1)} ms; ${steps} steps, ${whole.toFixed(1)} ms in all (median)`,
  };
}

const chatter = makeChatter({ messages: 200_000, channels: 100 });
const channelIds = [...chatter.channels.keys()];
const bounds = { messagesPerChannel: 5_000, totalBytes: 64 * 1024 ** 3, openPace };
const reading = { readsAhead: true, backgroundIntervalMs: 0 };
const { timelines, readAhead } = openArchive(chatter.channels, { ...bounds, ...reading });
const isWanted = ({ author }: Message) => !author.bot;
const find = (text: string) =>
  timelines.find({ channelIds, query: toQuery(parseQuery(text)), limit: LIMIT, scan: 0, isWanted });
/** Rare words, each with two letters swapped. */
const mistyped = (rank: number) => {
  const right = chatter.word(rank);
  return `${right.slice(0, 3)}${right[4] ?? ""}${right[3] ?? ""}${right.slice(5)}`;
};
const rareWords = (round: number) =>
  Array.from({ length: 90 }, (_, index) => mistyped(20_000 + round * 977 + index * 131))
    .join(" ")
    .slice(0, 500);
const commonWords = (round: number) =>
  Array.from({ length: 5 }, (_, at) => chatter.word(((round * 13 + at * 29) % 150) + 1)).join(" ");
const rows: Row[] = [];
// What has to be fetched is fetched first: that is not work, and it pauses by itself.
await readAhead();
holds.length = 0;
const start = performance.now();
beginStep();
await find("first");
rows.push(toRow("building the index of 200,000 messages", { whole: performance.now() - start, rounds: 1 }));
rows.push(
  await measure("search: two rare words", (round) =>
    find(`${chatter.word(2_000 + round * 131)} ${chatter.word(9_000 + round * 57)}`),
  ),
);
rows.push(await measure("search: five common words", (round) => find(commonWords(round))));
rows.push(await measure("search: 500 characters of mistyped words", (round) => find(rareWords(round))));
rows.push(await measure("search: one-letter words", () => find("q w e r t z u o p k l j h g f d s y x c v b n m")));
rows.push(
  await measure("search: a phrase, read for", (round) =>
    find(`"${chatter.word(round + 3)} ${chatter.word(round + 5)}"`),
  ),
);
const [one = "0" as ChannelId] = channelIds;
const search = (text: string) => timelines.contains(one, text, { limit: 100, scan: 5_000 });
rows.push(await measure("keywords: one that can be looked up", (round) => search(chatter.word(3_000 + round))));
rows.push(await measure("keywords: one letter", () => search("0")));

/** Runs work of the domain by itself. */
const run = <Result>(work: (pace: Pace) => Steps<Result>): Promise<Result> => {
  const pace = openPace(() => {});
  return pace.run(work(pace));
};
const [room = []] = makeChatter({ messages: 1_000, channels: 1 }).channels.values();
const now = Date.parse(room.at(-1)?.ts ?? "");
const long = room.slice(-600).map((message) => {
  const content = `${message.content}. `.repeat(40).slice(0, 4_000);
  return { ...message, content, parts: toTypedParts(content) };
});
const summarise = (messages: readonly Message[]) =>
  run((pace) => extractSummary({ messages, ...someNames(), now, maxTokens: 1_500 }, pace));
rows.push(await measure("a summary of 600 messages", () => summarise(room.slice(-600))));
rows.push(await measure("a summary of 600 long messages", () => summarise(long)));
rows.push(await measure("a forest of 1,000 messages", () => run((pace) => buildThreadForest(room, pace))));
const window = {
  ...{ given: room.slice(-3), maxTokens: 2_000, tokensPerThread: 20 },
  tokensOf: ({ content }: Message) => content.length / 4,
};
rows.push(
  await measure("a window of 1,000 messages", () => run((pace) => buildWindow({ ...window, messages: room }, pace))),
);
printTable("How long one step holds the event loop", rows);
process.exit(0);
