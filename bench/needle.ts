import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { EarshotError } from "../src/domain/errors.ts";
import { DEFAULTS } from "../src/timeline/options.ts";
import { printTable, type Row } from "../test/support/table.ts";
import type { BigSandbox, Haystack, Order } from "./needle-sandbox.ts";
import { openProduct, type Product } from "./product.ts";

const SCAN = 100_000;
const MEGABYTE = 1024 * 1024;
const clock = { now: () => Date.now() };
const child = fork(fileURLToPath(new URL("./needle-sandbox.ts", import.meta.url)));
const [sandbox] = (await once(child, "message")) as [BigSandbox];
const { haystacks } = sandbox;
await (await openProduct(sandbox, clock)).close();
globalThis.gc?.();
const residentAtStart = process.memoryUsage().rss;

async function order(what: Order): Promise<number> {
  const answer = once(child, "message");
  child.send(what);
  return Number((await answer)[0]);
}

interface Search {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (events: number) => void;
}

/** What an answer says, as far as it is looked at here. */
interface Answer {
  readonly hits?: readonly { readonly message: { readonly content: string } }[];
  readonly messages?: readonly { readonly content: string }[];
  readonly coverage: { readonly scanned: number; readonly complete: boolean };
  readonly cursor: string | null;
  readonly older?: string;
}

/** The most that was taken while a search ran: by the timelines, and by the process beyond what it took before the first. */
interface Peak {
  held: number;
  resident: number;
}

interface Searched {
  readonly answer: Answer;
  readonly text: string;
  readonly requests: number;
  readonly milliseconds: number;
  readonly events: number;
  readonly peak: Peak;
}

async function search(product: Product, { tool, args, signal, onProgress }: Search): Promise<Searched> {
  const before = await order("requests");
  globalThis.gc?.();
  const peak = { held: 0, resident: 0 };
  const look = () => {
    peak.held = Math.max(peak.held, product.timelines.stats().bytes);
    peak.resident = Math.max(peak.resident, process.memoryUsage().rss - residentAtStart);
  };
  let events = 0;
  const watching = setInterval(look, 20);
  const start = performance.now();
  try {
    const { value, text } = await product.ask({
      name: tool,
      args,
      actor: sandbox.actor,
      channelId: sandbox.here,
      ...(signal && { signal }),
      onProgress() {
        events += 1;
        look();
        onProgress?.(events);
      },
    });
    const milliseconds = performance.now() - start;
    look();
    const requests = (await order("requests")) - before;
    return { answer: value as Answer, text: text ?? "", requests, milliseconds, events, peak };
  } finally {
    clearInterval(watching);
  }
}

function toRow(what: string, { word }: Haystack, searched: Searched): Row {
  const { answer, text, requests, milliseconds, events, peak } = searched;
  const found = [...(answer.hits ?? []).map(({ message }) => message), ...(answer.messages ?? [])];
  const isFound = found.some(({ content }) => content.includes(word));
  const { scanned, complete } = answer.coverage;
  return {
    what,
    figure: `${isFound ? "found" : "not found"}, ${requests.toLocaleString("en")} requests`,
    note: [
      `${(milliseconds / 1000).toFixed(1)} s`,
      `${encode(text).length} tokens`,
      `${scanned.toLocaleString("en")} messages looked at${complete ? ", all there are" : ""}`,
      ...(answer.older ? [`older: ${answer.older}`] : []),
      `told of progress ${events} times`,
      `held ${toMegabytes(peak.held)}, process ${toMegabytes(peak.resident)} above its start`,
    ].join("; "),
  };
}

function toMegabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

/** Each in a program that has just started. */
async function measure(what: string, haystack: Haystack, { tool, args }: Search): Promise<Row> {
  const product = await openProduct(sandbox, clock);
  try {
    return toRow(what, haystack, await search(product, { tool, args: { query: haystack.word, ...args } }));
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    return { what, figure: error.code, note: error.message };
  } finally {
    await product.close();
  }
}

/** Goes on from where the last answer ended, until it is found or there is no more. */
async function measurePages(haystack: Haystack): Promise<Row[]> {
  const product = await openProduct(sandbox, clock);
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const args = { channel_id: haystack.id, query: haystack.word, scan: SCAN, ...(cursor && { cursor }) };
    const searched = await search(product, { tool: "discord.search.window", args });
    rows.push(toRow(`discord.search.window there, call ${rows.length + 1}`, haystack, searched));
    cursor = searched.answer.cursor;
  } while (cursor !== null);
  await product.close();
  return rows;
}

/** Called off when it has told of progress so many times. */
async function measureCancelled(what: string, { tool, args }: Search, after: number): Promise<Row> {
  const product = await openProduct(sandbox, clock);
  const controller = new AbortController();
  const before = await order("requests");
  let calledOffAt = 0;
  const onProgress = (events: number) => {
    if (events !== after) return;
    calledOffAt = performance.now();
    controller.abort();
  };
  const outcome = await search(product, { tool, args, signal: controller.signal, onProgress }).then(
    () => "answered",
    (error: unknown) => (error instanceof EarshotError ? error.code : String(error)),
  );
  const milliseconds = performance.now() - calledOffAt;
  const atEnd = await order("requests");
  await sleep(1_000);
  const later = (await order("requests")) - atEnd;
  await product.close();
  return {
    what,
    figure: `${outcome} after ${milliseconds.toFixed(1)} ms`,
    note: `${atEnd - before} requests by then, ${later} in the second after`,
  };
}

const NAMES = ["quiet", "usual", "busy", "busiest"] as const;
const everywhere: Search = { tool: "search_messages", args: {} };
const deep = { scan: SCAN };
const nameOf = (name: (typeof NAMES)[number]) =>
  `${name} channel (${haystacks[name].messages.toLocaleString("en")} messages)`;

const rows: Row[] = [];
for (const name of NAMES) rows.push(await measure(nameOf(name), haystacks[name], everywhere));
rows.push(await measure("channel that the actor may not enter", haystacks.hidden, everywhere));
const bound = toMegabytes(DEFAULTS.totalBytes);
printTable(`The oldest of a million messages in 500 channels, by search_messages; at most ${bound} may be held`, rows);

await order("refuse search");
rows.length = 0;
for (const name of NAMES) {
  const { id } = haystacks[name];
  rows.push(
    await measure(nameOf(name), haystacks[name], { tool: "search_channel_messages", args: { channel: id, ...deep } }),
  );
}
rows.push(...(await measurePages(haystacks.busiest)));
printTable("The same on a server without a search, by search_channel_messages in that channel", rows);

rows.length = 0;
for (const name of NAMES) rows.push(await measure(nameOf(name), haystacks[name], { ...everywhere, args: deep }));
printTable(`The same in all channels, up to ${SCAN.toLocaleString("en")} messages looked at`, rows);

const { id: channel, word: query } = haystacks.busy;
printTable("Called off in the middle", [
  await measureCancelled("one channel", { tool: "search_channel_messages", args: { channel, query, ...deep } }, 30),
  await measureCancelled("all channels", { ...everywhere, args: { query, ...deep } }, 10),
]);
process.exit(0);
