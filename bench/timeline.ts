import { generateCommunity } from "../sandbox/index.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import type { Directory } from "../src/ports/directory.ts";
import type { DiscordEvent, HistoryPage } from "../src/ports/discord.ts";
import type { MessageIndex } from "../src/ports/message-index.ts";
import { openMessageIndex } from "../src/stores/sqlite/message-index.ts";
import { perSecond, printTable, type Row } from "../test/support/table.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "../test/support/timelines-and-search.ts";

const COUNT = 100_000;
const CHANNEL = "1000" as ChannelId;
const GUILD = "999" as GuildId;
const EPOCH = 1_420_070_400_000;

/** A generated room, oldest first. */
function generate(): Message[] {
  const messages: Message[] = [];
  for (const post of generateCommunity({ seed: 3, messages: COUNT, channels: 1 }).posts) {
    const time = Math.floor(Date.now() - post.minutesAgo * 60_000);
    const id = String((BigInt(time - EPOCH) << 22n) | BigInt(messages.length % 4096)) as MessageId;
    messages.push({
      message_id: id,
      channel_id: CHANNEL,
      guild_id: GUILD,
      thread_id: null,
      link: `https://discord.com/channels/${GUILD}/${CHANNEL}/${id}`,
      author: { id: "123456789012345678" as UserId, name: `Person ${post.by}`, bot: false },
      ts: new Date(time).toISOString(),
      edited_ts: null,
      kind: "text",
      content: "text" in post ? (post.text ?? "") : "",
      parts: toTypedParts("text" in post ? (post.text ?? "") : ""),
      reply_to: null,
      attachments: [],
    });
  }
  return messages;
}

/** Discord without a network: what is measured is the timeline. */
function open(messages: readonly Message[]) {
  const newestFirst = [...messages].reverse();
  const positions = new Map(newestFirst.map(({ message_id }, position) => [message_id, position]));
  let requests = 0;
  let emit: (event: DiscordEvent) => void = () => {};
  const channel = { guildId: GUILD, kind: "text", parentId: null };
  const directory = { channel: () => channel, guilds: () => [], canRead: () => true } as unknown as Directory;
  const discord = {
    botId: "1" as UserId,
    directory,
    listen(listener: (event: DiscordEvent) => void) {
      emit = listener;
      return () => {};
    },
    lastHeardAt: () => Date.now(),
    async history(_: ChannelId, { before, limit }: HistoryPage) {
      requests += 1;
      const start =
        before === undefined ? 0 : (positions.get(String(BigInt(before)) as MessageId) ?? positionOf(before)) + 1;
      const messages = newestFirst.slice(start, start + limit);
      return { messages, isFull: messages.length >= limit };
    },
  };
  /** Reads go on below the oldest message known, whose own position comes before. */
  const positionOf = (id: MessageId) => newestFirst.findIndex(({ message_id }) => BigInt(message_id) < BigInt(id)) - 1;
  const opened: MessageIndex[] = [];
  const openIndex = (file: string | null) => {
    const index = openMessageIndex(file);
    opened.push(index);
    return index;
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const timelines = openTimelinesAndSearch(
    { messagesPerChannel: COUNT * 2, totalBytes: 1024 ** 3 },
    { discord, openIndex, clock: { now: () => Date.now() }, log },
  );
  return {
    timelines,
    requests: () => requests,
    hear: (message: Message) => emit({ type: "message", message, addressed: false }),
    bytes: () => opened.reduce((sum, index) => sum + index.bytes(), 0),
  };
}

function percentiles(times: readonly number[]): { p50: string; p95: string; max: string } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2)} ms`;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

async function measure(runs: number, work: (run: number) => unknown): Promise<ReturnType<typeof percentiles>> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work(run);
    times.push(performance.now() - start);
  }
  return percentiles(times);
}

/** The way without a timeline: everything in an array, and a look at each message. */
function filter(messages: readonly Message[], query: string, limit: number): Message[] {
  const words = query.toLowerCase().split(" ");
  const found: Message[] = [];
  for (let position = messages.length - 1; position >= 0 && found.length < limit; position -= 1) {
    const message = messages[position];
    const text = message?.content.toLowerCase() ?? "";
    if (message && words.every((word) => text.includes(word))) found.push(message);
  }
  return found;
}

/** Words as they occur, common and rare, one and two at a time, and every tenth one that occurs nowhere. */
function queriesFrom(messages: readonly Message[], count: number): string[] {
  return Array.from({ length: count }, (_, run) => {
    const words = (messages[(run * 7919) % messages.length]?.content ?? "").split(" ");
    const word = words[run % words.length] ?? "a";
    if (run % 10 === 9) return `${word}zqx`;
    return run % 3 === 0 ? `${word} ${words[(run + 1) % words.length] ?? ""}` : word;
  });
}

async function restCalls(messages: readonly Message[]): Promise<Row> {
  const { timelines, requests, hear } = open(messages.slice(0, -50));
  let naive = 0;
  for (const message of messages.slice(-50)) {
    hear(message);
    await timelines.recent(CHANNEL, { limit: 20 });
    naive += 1;
  }
  for (const query of queriesFrom(messages, 5)) {
    const { coverage } = await timelines.contains(CHANNEL, query, { limit: 100, scan: 1_000 });
    naive += Math.ceil(coverage.scanned / 100);
  }
  await timelines.close();
  return {
    what: "REST calls for 50 windows of a live channel and 5 searches of 1,000 messages",
    figure: String(requests()),
    note: `asking for each: ${naive}`,
  };
}

async function fill(timelines: TimelinesAndSearch): Promise<number> {
  const start = performance.now();
  await timelines.contains(CHANNEL, "occurs nowhere at all", { limit: 1, scan: COUNT * 2 });
  return performance.now() - start;
}

const messages = generate();
const { timelines, bytes } = open(messages);
const filling = await fill(timelines);
const perMessage = bytes() / messages.length + 12;

const live = open([]);
const liveStart = performance.now();
for (const message of messages.slice(0, 20_000)) live.hear(message);
const hearing = performance.now() - liveStart;
await live.timelines.close();

const recent = await measure(500, () => timelines.recent(CHANNEL, { limit: 100 }));
const copied = await measure(500, () => messages.slice(-100).reverse());
const queries = queriesFrom(messages, 500);
const scan = COUNT * 2;
const search = await measure(500, (run) => timelines.contains(CHANNEL, queries[run] ?? "", { limit: 20, scan }));
const naive = await measure(500, (run) => filter(messages, queries[run] ?? "", 20));
const short = await measure(20, () => timelines.contains(CHANNEL, "q7", { limit: 20, scan }));

printTable(`TimelinesAndSearch, ${messages.length.toLocaleString("en")} messages of one channel, in memory`, [
  { what: "messages taken in from pages of 100", figure: perSecond(messages.length, filling) },
  { what: "messages taken in one by one, as heard", figure: perSecond(20_000, hearing) },
  {
    what: "a message, with everything by which it is found",
    figure: `${Math.round(perMessage)} B`,
    note: `mean text ${Math.round(messages.reduce((sum, { content }) => sum + content.length, 0) / messages.length)} B; goal: 1,024 B`,
  },
  {
    what: "recent(100)",
    figure: recent.p95,
    note: `p95; p50 ${recent.p50}; goal: p95 5 ms; copying from an array ${copied.p95}`,
  },
  {
    what: "keyword search of all, 20 results",
    figure: search.p95,
    note: `p95; p50 ${search.p50}, max ${search.max}; goal: p95 5 ms; filtering an array p50 ${naive.p50}, p95 ${naive.p95}`,
  },
  {
    what: "search for two letters that occur nowhere",
    figure: short.p95,
    note: "p95; reads every message, a thousand at a time",
  },
  await restCalls(messages),
]);
process.exit(0);
