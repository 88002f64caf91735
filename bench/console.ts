import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { median, printTable } from "../test/support/table.ts";

const RUNS = 5;
const PER_SECOND = 500;
const SECONDS = 10;
const BATCH_MS = 50;
const CHROMIUM = "/usr/bin/chromium";
const root = fileURLToPath(new URL("..", import.meta.url));
const data = mkdtempSync(join(tmpdir(), "earshot-console-"));
const url = "http://127.0.0.1:7991";

/** What is printed, as soon as it fits. */
async function until(output: Readable, pattern: RegExp): Promise<string> {
  let printed = "";
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const [found] = pattern.exec(printed) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`"${pattern.source}" was never printed`);
}

function run(command: string, more: Record<string, string> = {}) {
  return spawn(process.execPath, [join(root, "bin/earshot.js"), command], {
    env: {
      ...process.env,
      ...{ EARSHOT_DATA_DIR: data, EARSHOT_PORT: "7991", EARSHOT_SANDBOX_PORT: "7992" },
      ...{ EARSHOT_SANDBOX_TALK_SECONDS: "0", EARSHOT_LOG_LEVEL: "error", ...more },
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function start(more: Record<string, string> = {}) {
  const program = run("start", more);
  await until(program.stdout, /Stop with Ctrl-C/);
  program.stdout.resume();
  const stop = async () => {
    const ended = new Promise((resolve) => program.once("close", resolve));
    program.kill("SIGTERM");
    await ended;
  };
  return { stop, pid: program.pid };
}

const mintLink = () => until(run("console").stdout, /http:\S+#open=\S+/);

/** Once what a start leaves for later is done. */
async function residentMegabytes(more: Record<string, string>): Promise<number> {
  const { stop, pid } = await start(more);
  await sleep(12_000);
  const [, kilobytes = ""] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  await stop();
  return Number(kilobytes) / 1_024;
}

/** Blocks the page for longer than 50 ms; the longest since it was asked last, in milliseconds. */
const LONG_TASKS = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: "longtask", buffered: true });
`;

async function openTab(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  await page.addInitScript(LONG_TASKS);
  return page;
}

async function longestTask(page: Page): Promise<number> {
  const longest = await page.evaluate("globalThis.longest");
  await page.evaluate("globalThis.longest = 0");
  return Math.round(Number(longest));
}

/** Every page, the tour, and ten steps back in a channel. */
async function walkAround(page: Page): Promise<number> {
  await page.getByLabel("You are").selectOption({ label: "Grace" });
  await page.getByRole("heading", { name: "#general" }).waitFor();
  await page.getByRole("button", { name: "2. Ask in #harbour-office" }).click();
  await page.getByRole("article").filter({ hasText: "no model" }).last().waitFor();
  await page.getByRole("button", { name: "tideboard", exact: true }).click();
  for (let step = 0; step < 10; step += 1) await page.getByRole("log").press("PageUp");
  for (const name of ["Search", "My memory", "Live", "Settings", "Community"]) {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await sleep(500);
  }
  return longestTask(page);
}

/** The keys that a page of the operator's holds, for a sender that is no page. */
async function becomeSender(page: Page) {
  const [cookie] = await page.context().cookies(`${url}/console`);
  const key = String(await page.evaluate("sessionStorage.getItem('earshot-key')"));
  const headers = {
    "content-type": "application/json",
    ...{ origin: url, "sec-fetch-site": "same-origin", cookie: `${cookie?.name}=${cookie?.value}` },
  };
  const ask = async (path: string, body: object, secret: string) =>
    (
      await fetch(`${url}/console/${path}`, {
        method: "POST",
        headers: { ...headers, "x-earshot-key": secret },
        body: JSON.stringify(body),
      })
    ).json() as Promise<Record<string, unknown>>;
  const { people } = (await ask("sandbox/people", {}, key)) as { people: { id: string; name: string }[] };
  const mark = people.find(({ name }) => name.startsWith("Mark"));
  const { key: own } = (await ask("sandbox/become", { id: mark?.id }, key)) as { key: string };
  const { channels } = (await ask("me/places", {}, own)) as { channels: { channel_id: string; name: string }[] };
  const channelId = channels.find(({ name }) => name === "general")?.channel_id;
  return (text: string) => ask("community/act", { kind: "say", channelId, text }, own);
}

async function flood(page: Page, live: Page) {
  await page.getByRole("button", { name: "general", exact: true }).click();
  await page.getByRole("heading", { name: "#general" }).waitFor();
  const say = await becomeSender(page);
  await longestTask(page);
  await longestTask(live);
  const begin = performance.now();
  let sent = 0;
  const waiting: Promise<unknown>[] = [];
  while (sent < PER_SECOND * SECONDS) {
    const due = Math.min(PER_SECOND * SECONDS, Math.floor(((performance.now() - begin) / 1_000) * PER_SECOND));
    for (; sent < due; sent += 1) waiting.push(say(`message ${sent}`).catch(() => null));
    await sleep(BATCH_MS);
  }
  const said = page.getByText("Much is being said").waitFor({ timeout: 1_000 });
  const isSaid = await said.then(
    () => true,
    () => false,
  );
  await Promise.all(waiting);
  const done = performance.now();
  await say("the end of the flood");
  await page.getByText("the end of the flood").waitFor({ timeout: 120_000 });
  return {
    rate: sent / ((done - begin) / 1_000),
    lag: Math.round(performance.now() - done),
    tasks: [await longestTask(page), await longestTask(live)],
    isSaid,
  };
}

const closers: (() => Promise<void>)[] = [];
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
try {
  const [off, on] = [await residentMegabytes({ EARSHOT_CONSOLE: "off" }), await residentMegabytes({})];
  const { stop } = await start();
  closers.push(stop);
  const ready: number[] = [];
  for (let round = 0; round < RUNS; round += 1) {
    const page = await openTab(browser);
    const link = await mintLink();
    const begin = performance.now();
    await page.goto(link);
    await page.getByLabel("You are").getByRole("option", { name: "Grace" }).waitFor({ state: "attached" });
    ready.push(performance.now() - begin);
    await page.close();
  }
  const page = await openTab(browser);
  await page.goto(await mintLink());
  const walked = await walkAround(page);
  const live = await openTab(browser);
  await live.goto(await mintLink());
  await live.getByRole("link", { name: "Live" }).click();
  await live.getByRole("img").first().waitFor();
  const flooded = await flood(page, live);
  const pages = join(root, "dist", "web");
  const files = readdirSync(pages, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length);
  printTable("The console, in Chromium", [
    {
      what: "first page, until ready",
      figure: `${Math.round(median(ready))} ms`,
      note: `median of ${RUNS}; at most 1,000 ms`,
    },
    {
      what: "everything a page loads, compressed",
      figure: `${Math.round(bytes.reduce((sum, each) => sum + each, 0) / 1_000)} KB`,
      note: "at most 120 KB",
    },
    {
      what: "longest task, on all pages",
      figure: `${walked} ms`,
      note: "sample community; at most 100 ms; 0: none over 50 ms",
    },
    {
      what: "memory without a page open",
      figure: `${(on - off).toFixed(1)} MiB`,
      note: "beside EARSHOT_CONSOLE=off; at most 15 MiB",
    },
    {
      what: `community, at ${Math.round(flooded.rate)} messages/s`,
      figure: `${flooded.lag} ms`,
      note: `behind at the end; longest task ${flooded.tasks[0]} ms; ${flooded.isSaid ? "says" : "does NOT say"} that it leaves some out`,
    },
    { what: "live, meanwhile", figure: `${flooded.tasks[1]} ms`, note: "longest task; a sample every 5 s" },
  ]);
} finally {
  await browser.close();
  for (const close of closers) await close();
  rmSync(data, { recursive: true, force: true });
}
