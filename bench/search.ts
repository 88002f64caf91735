import type { Message } from "../src/domain/message.ts";
import { parseQuery, toQuery } from "../src/domain/search/query.ts";
import { openArchive } from "../test/support/archive.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { type Chatter, makeChatter } from "./chatter.ts";

const LIMIT = 10;
/** How many covered messages, in how many channels, and how long two rare words, a question of common ones and a mistyped one may take. */
const SIZES = [
  { messages: 10_000, channels: 10, goalsMs: [20, 60, 20] },
  { messages: 100_000, channels: 50, goalsMs: [20, 60, 20] },
  { messages: 1_000_000, channels: 500, goalsMs: [10, 30, 15] },
];

async function measure(runs: number, work: (run: number) => unknown): Promise<{ p50: string; p95: string }> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work(run);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(2)} ms`;
  return { p50: at(0.5), p95: at(0.95) };
}

/** Two words that are rare, as people search for a thing they remember. */
function selective({ word }: Chatter, run: number): string {
  return `${word(2_000 + run * 131)} ${word(9_000 + run * 57)}`;
}

/** A question of words that everybody uses all the time. */
function common({ word }: Chatter, run: number): string {
  const words = Array.from({ length: 5 }, (_, index) => word(((run * 13 + index * 29) % 150) + 1));
  return `what did you say about the ${words.join(" ")}?`;
}

/** A rare word with two letters swapped. */
function mistyped({ word }: Chatter, run: number): string {
  const right = word(20_000 + run * 131);
  return `${right.slice(0, 3)}${right[4] ?? ""}${right[3] ?? ""}${right.slice(5)}`;
}

/** Every message read, and each word of the query looked for in it. */
function scanAll(messages: readonly Message[], query: string): Message[] {
  const words = query.toLowerCase().split(" ");
  return messages
    .map((message) => ({ message, count: words.filter((word) => message.content.toLowerCase().includes(word)).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, LIMIT)
    .map(({ message }) => message);
}

async function measureSize(size: (typeof SIZES)[number]): Promise<void> {
  const chatter = makeChatter(size);
  const channelIds = [...chatter.channels.keys()];
  const all = [...chatter.channels.values()].flat();
  const bounds = { messagesPerChannel: size.messages, totalBytes: 64 * 1024 ** 3 };
  const reading = { readsAhead: true, backgroundIntervalMs: 0 };
  const { timelines, requests, readAhead } = openArchive(chatter.channels, { ...bounds, ...reading });
  const find = (text: string) =>
    timelines.find({ channelIds, query: toQuery(parseQuery(text)), limit: LIMIT, scan: 0 });
  await readAhead();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const start = performance.now();
  await find("first");
  const building = performance.now() - start;
  globalThis.gc?.();
  const after = process.memoryUsage();
  const perMessage = (after.heapUsed - heapUsed + after.arrayBuffers - arrayBuffers) / size.messages;
  const before = requests();
  const rows: Row[] = [];
  const kinds = [
    ["two rare words", selective],
    ["a question of common words", common],
    ["a mistyped word", mistyped],
  ] as const;
  for (const [index, [what, make]] of kinds.entries()) {
    // The first searches of a program are slower, until its code has been compiled.
    for (let run = 100; run < 130; run += 1) await find(make(chatter, run));
    const ours = await measure(100, (run) => find(make(chatter, run)));
    const linear = await measure(5, (run) => scanAll(all, make(chatter, run)));
    const naive = await measure(20, (run) => scanAll(all.slice(-100), make(chatter, run)));
    rows.push({
      what,
      figure: ours.p95,
      note: `p95; p50 ${ours.p50}; goal: p95 ${size.goalsMs[index]} ms; reading every message p50 ${linear.p50}; the last 100 alone ${naive.p50}`,
    });
  }
  const { coverage } = await find("first");
  printTable(`Search, ${coverage.scanned.toLocaleString("en")} covered messages in ${size.channels} channels`, [
    ...rows,
    {
      what: "what a message takes in the index",
      figure: `${Math.round(perMessage)} B`,
      note: "goal: 200 B",
    },
    {
      what: "building the index",
      figure: `${(building / 1000).toFixed(1)} s`,
      note: "when it is searched for the first time",
    },
    { what: "requests while searching", figure: String(requests() - before) },
  ]);
  await timelines.close();
}

for (const size of SIZES) await measureSize(size);
process.exit(0);
