import { fork, spawn } from "node:child_process";
import { once } from "node:events";
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
const FLOOD_MS = 10_000;
const MANY = 10_000;
const FRAME_MS = 1_000 / 60;
const CHROMIUM = "/usr/bin/chromium";
const root = fileURLToPath(new URL("..", import.meta.url));
const data = mkdtempSync(join(tmpdir(), "earshot-console-"));

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
  const ended = new Promise((resolve) => program.once("close", resolve));
  await until(program.stdout, /Stop with Ctrl-C/);
  program.stdout.resume();
  const stop = async () => {
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

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** Of the processor, in microseconds. */
  readonly tdur?: number;
}

/** Milliseconds of the processor that the longest task of the page takes meanwhile: other programs on this machine do not count. */
async function traceLongestTask(page: Page, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await work();
  const { traceEvents } = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith("RunTask") && mains.some((main) => main.pid === pid && main.tid === tid),
  );
  return Math.round(tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1_000);
}

/** Every page, the tour, and ten steps back in a channel. */
async function walkAround(page: Page): Promise<void> {
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
}

/** A sandbox with so many messages in #general, and the page that shows them to Grace. */
async function openTalk(browser: Browser, messages: number) {
  const child = fork(fileURLToPath(new URL("./console-flood.ts", import.meta.url)), [String(messages)]);
  closers.push(async () => void child.kill());
  const [link] = (await once(child, "message")) as [string];
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  await page.goto(link);
  await page.getByLabel("You are").selectOption({ label: "Grace" });
  await page.getByRole("article").last().waitFor();
  return { child, page };
}

/** Loads a long channel back to its start, then scrolls through all of it, a screen in each frame. */
async function scroll(browser: Browser) {
  const { child, page } = await openTalk(browser, MANY);
  const talk = page.getByRole("log");
  const loaded = await traceLongestTask(page, async () => {
    while (!(await page.getByText("This is the beginning.").isVisible()))
      await talk.evaluate((list) => list.scrollTo(0, 0));
  });
  let seen = { frames: 0, dropped: 0, nodes: 0 };
  const longest = await traceLongestTask(page, async () => {
    seen = await talk.evaluate(async (list, frameMs) => {
      const nextFrame = () =>
        new Promise<number>((resolve) => list.ownerDocument.defaultView?.requestAnimationFrame(resolve));
      let [frames, dropped, nodes] = [0, 0, 0];
      let before = await nextFrame();
      for (list.scrollTop = 0; list.scrollTop + list.clientHeight < list.scrollHeight - 1; frames += 1) {
        list.scrollTop += list.clientHeight;
        const now = await nextFrame();
        dropped += Math.round((now - before) / frameMs) - 1;
        nodes = Math.max(nodes, list.ownerDocument.querySelectorAll("*").length);
        before = now;
      }
      return { frames, dropped, nodes };
    }, FRAME_MS);
  });
  await page.close();
  child.kill();
  return { ...seen, loaded, longest };
}

/** In a sandbox where so much is said in #general. The page shows the number of each message, so that it is known how far behind it is. */
async function flood(browser: Browser) {
  const { child, page } = await openTalk(browser, 0);
  let said = 0;
  child.on("message", (count: number) => {
    said = count;
  });
  const begin = performance.now();
  const longest = await traceLongestTask(page, async () => {
    child.send(PER_SECOND);
    await sleep(FLOOD_MS);
  });
  const rate = Math.round(said / ((performance.now() - begin) / 1_000));
  const isSaid = await page.getByText("Much is being said here").isVisible();
  const [shown = "0"] = /(?<=message )\d+/.exec(await page.getByRole("article").last().innerText()) ?? [];
  return { rate, isSaid, longest, behindMs: Math.round(((said - Number(shown)) / Math.max(1, rate)) * 1_000) };
}

const closers: (() => Promise<void>)[] = [];
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
try {
  const [off, on] = [await residentMegabytes({ EARSHOT_CONSOLE: "off" }), await residentMegabytes({})];
  const { stop } = await start();
  closers.push(stop);
  const ready: number[] = [];
  for (let round = 0; round < RUNS; round += 1) {
    const page = await browser.newPage();
    const link = await mintLink();
    const begin = performance.now();
    await page.goto(link);
    await page.getByLabel("You are").getByRole("option", { name: "Grace" }).waitFor({ state: "attached" });
    ready.push(performance.now() - begin);
    await page.close();
  }
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  const walked = await traceLongestTask(page, async () => {
    await page.goto(await mintLink());
    await walkAround(page);
  });
  await page.close();
  await stop();
  const scrolled = await scroll(browser);
  const { rate, isSaid, longest, behindMs } = await flood(browser);
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
      note: "of the processor, on the sample community; at most 100 ms",
    },
    {
      what: `${MANY.toLocaleString("en")} messages, scrolled`,
      figure: `${scrolled.longest} ms`,
      note: `longest task, ${scrolled.loaded} ms while loading; ${scrolled.dropped} of ${scrolled.frames} frames dropped, at most ${scrolled.nodes.toLocaleString("en")} nodes`,
    },
    {
      what: "memory without a page open",
      figure: `${(on - off).toFixed(1)} MiB`,
      note: "beside EARSHOT_CONSOLE=off; at most 15 MiB",
    },
    {
      what: `community, at ${rate} messages/s`,
      figure: `${behindMs} ms`,
      note: `behind; longest task ${longest} ms; ${isSaid ? "says" : "does NOT say"} that it leaves some out`,
    },
  ]);
} finally {
  await browser.close();
  for (const close of closers) await close();
  rmSync(data, { recursive: true, force: true });
}
