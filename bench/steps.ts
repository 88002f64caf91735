import { setImmediate } from "node:timers/promises";
import { openArchive } from "../eval/archive.ts";
import { buildThreadForest } from "../src/domain/forest/build-thread-forest.ts";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import { parseQuery, toQuery } from "../src/domain/search/query.ts";
import { type OpenPace, Pace, type Steps } from "../src/domain/steps/pace.ts";
import { extractSummary } from "../src/domain/summary/extract-summary.ts";
import { buildWindow } from "../src/domain/window/build-window.ts";
import { NOBODY } from "../test/support/talk.ts";
import { makeChatter } from "./chatter.ts";
import { median, printTable, type Row } from "./table.ts";

/** A pace that measures how long each of its steps holds the event loop. */
class MeasuredPace extends Pace {
  override async run<Result>(steps: Steps<Result>): Promise<Result> {
    const measured: Steps<Result> = {
      ...steps,
      next: () => this.#measure(() => steps.next()),
      return: (value) => steps.return(value),
      throw: (error: unknown) => steps.throw(error),
      [Symbol.iterator]: () => measured,
      [Symbol.dispose]: () => {},
    } as Steps<Result>;
    return super.run(measured);
  }

  #measure<Result>(work: () => Result): Result {
    const start = performance.now();
    const result = work();
    holds.push(performance.now() - start);
    return result;
  }
}

const holds: number[] = [];
const openPace: OpenPace = (check) => new MeasuredPace({ pause: () => setImmediate(), check });
const LIMIT = 10;
const ROUNDS = 10;

/** How long the event loop does nothing else, however the work is cut. */
function watchLoop(): { longest: () => number; stop: () => void } {
  let [last, longest, isOn] = [performance.now(), 0, true];
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) globalThis.setImmediate(tick);
  };
  globalThis.setImmediate(tick);
  return {
    longest: () => longest,
    stop: () => {
      isOn = false;
    },
  };
}

async function measure(what: string, work: (round: number) => Promise<unknown>): Promise<Row> {
  // The first calls of a program are slower, until its code has been compiled.
  for (let round = 0; round < 5; round += 1) await work(100 + round);
  holds.length = 0;
  const times: number[] = [];
  const loop = watchLoop();
  for (let round = 0; round < ROUNDS; round += 1) {
    await setImmediate();
    const start = performance.now();
    await work(round);
    times.push(performance.now() - start);
  }
  loop.stop();
  const longest = holds.length > 0 ? Math.max(...holds) : 0;
  const steps = Math.round(holds.length / ROUNDS);
  return {
    what,
    figure: `${(longest || loop.longest()).toFixed(1)} ms`,
    note: `goal: 20 ms; in all ${median(times).toFixed(1)} ms (median), ${steps || "some"} steps; the loop was held ${loop.longest().toFixed(1)} ms at most`,
  };
}

const chatter = makeChatter({ messages: 200_000, channels: 100 });
const channelIds = [...chatter.channels.keys()];
const bounds = { messagesPerChannel: 5_000, totalBytes: 64 * 1024 ** 3, openPace };
const { timelines } = openArchive(chatter.channels, bounds);
const isWanted = ({ author }: Message) => !author.bot;
const find = (text: string) =>
  timelines.find({ channelIds, query: toQuery(parseQuery(text)), limit: LIMIT, scan: 250_000, isWanted });
const rareWords = (round: number) =>
  Array.from({ length: 90 }, (_, index) => `q${chatter.word(40_000 + round * 977 + index * 131)}`)
    .join(" ")
    .slice(0, 500);
const commonWords = (round: number) =>
  Array.from({ length: 5 }, (_, at) => chatter.word(((round * 13 + at * 29) % 150) + 1)).join(" ");
const rows: Row[] = [];
const start = performance.now();
await find("first");
rows.push({
  what: "building the index of 200,000 messages",
  figure: `${Math.max(...holds).toFixed(1)} ms`,
  note: `goal: 20 ms; in all ${((performance.now() - start) / 1000).toFixed(1)} s, ${holds.length} steps`,
});
rows.push(
  await measure("search: two rare words", (round) =>
    find(`${chatter.word(2_000 + round * 131)} ${chatter.word(9_000 + round * 57)}`),
  ),
);
rows.push(await measure("search: five common words", (round) => find(commonWords(round))));
rows.push(await measure("search: 500 characters of unknown words", (round) => find(rareWords(round))));
rows.push(await measure("search: one-letter words", () => find("q w e r t z u o p k l j h g f d s y x c v b n m")));
rows.push(
  await measure("search: a phrase, read for", (round) =>
    find(`"${chatter.word(round + 3)} ${chatter.word(round + 5)}"`),
  ),
);
const [one = "0" as ChannelId] = channelIds;
const search = (text: string) => timelines.search(one, text, { limit: 100, scan: 5_000 });
rows.push(await measure("keywords: one that can be looked up", (round) => search(chatter.word(3_000 + round))));
rows.push(await measure("keywords: one letter", () => search("0")));

/** Runs work of the domain by itself. */
const run = <Result>(work: (pace: Pace) => Steps<Result>): Promise<Result> => {
  const pace = openPace(() => {});
  return pace.run(work(pace));
};
const [room = []] = makeChatter({ messages: 1_000, channels: 1 }).channels.values();
const now = Date.parse(room.at(-1)?.ts ?? "");
const long = room
  .slice(-600)
  .map((message) => ({ ...message, content: `${message.content}. `.repeat(40).slice(0, 4_000) }));
const summarise = (messages: readonly Message[]) =>
  run((pace) => extractSummary({ messages, names: NOBODY, now, maxTokens: 1_500 }, pace));
rows.push(await measure("a summary of 600 messages", () => summarise(room.slice(-600))));
rows.push(await measure("a summary of 600 long messages", () => summarise(long)));
rows.push(await measure("a forest of 1,000 messages", () => run((pace) => buildThreadForest(room, pace))));
const window = {
  ...{ given: room.slice(-3), people: new Set(["700" as UserId]), now, maxTokens: 2_000, tokensPerThread: 20 },
  tokensOf: ({ content }: Message) => content.length / 4,
};
rows.push(
  await measure("a window of 1,000 messages", () => run((pace) => buildWindow({ ...window, messages: room }, pace))),
);
printTable("How long one step holds the event loop", rows);
process.exit(0);
