import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { printTable } from "../test/support/table.ts";
import type { FanoutOrder, FanoutReport } from "./fanout-server.ts";

/** A thousand clients: most hear only what addresses the agent; of those that hear all, some read slowly and some not at all. */
const READERS = 40;
const SLOW = 10;
const STALLED = 20;
const ADDRESSED = 930;
/** A slow client reads for a moment, then pauses. */
const SLOW_READS_MS = 100;
const SLOW_PAUSES_MS = 900;
const HEALTH_EVERY_MS = 50;

const flag = (name: string, otherwise: number) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
const order: FanoutOrder = { perSecond: flag("rate", 500), seconds: flag("seconds", 15), addressedEvery: 500 };

/** What one client has heard, and what it may have missed without being told of a gap. */
class Listener {
  readonly latencies: number[] = [];
  readonly #step: number;
  #last = 0;
  #isGapTold = false;
  lostUnsaid = 0;
  gaps = 0;
  frames = 0;
  /** The server ended the connection, which tells a client to come back and hear what it missed. */
  isClosed = false;

  /** `step`: every so many messages, one is for this client. */
  constructor(step: number) {
    this.#step = step;
  }

  get last(): number {
    return this.#last;
  }

  hear(frame: string): void {
    if (frame.includes('"op":"event/gap"')) {
      this.gaps += 1;
      this.#isGapTold = true;
      return;
    }
    const [, number, at] = /"content":"#(\d+) @([\d.]+) /.exec(frame) ?? [];
    if (number === undefined) return;
    this.frames += 1;
    this.latencies.push(performance.timeOrigin + performance.now() - Number(at));
    const missed = Number(number) / this.#step - this.#last / this.#step - 1;
    if (!this.#isGapTold) this.lostUnsaid += Math.abs(missed);
    this.#isGapTold = false;
    this.#last = Number(number);
  }
}

const child: ChildProcess = fork(fileURLToPath(new URL("./fanout-server.ts", import.meta.url)));
const [{ port }] = (await once(child, "message")) as [{ port: number }];

async function open(token: string, step: number): Promise<{ socket: WebSocket; listener: Listener }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers: { authorization: `Bearer ${token}` } });
  const listener = new Listener(step);
  socket.on("message", (data) => listener.hear(String(data)));
  socket.on("close", () => {
    listener.isClosed = true;
  });
  await once(socket, "open");
  return { socket, listener };
}

async function openMany(count: number, kind: string, step: number) {
  const opened = [];
  for (let number = 0; number < count; number += 1) opened.push(await open(`${kind}-${number}`, step));
  return opened;
}

function pauseNowAndThen(socket: WebSocket): NodeJS.Timeout {
  return setInterval(() => {
    socket.resume();
    setTimeout(() => socket.pause(), SLOW_READS_MS);
  }, SLOW_READS_MS + SLOW_PAUSES_MS);
}

async function watchHealth(latencies: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const start = performance.now();
    await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
    latencies.push(performance.now() - start);
    await sleep(HEALTH_EVERY_MS);
  }
}

function milliseconds(values: number[]): string {
  values.sort((a, b) => a - b);
  const at = (share: number) =>
    (values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}

const readers = await openMany(READERS, "all-reads", 1);
const slow = await openMany(SLOW, "all-slow", 1);
const stalled = await openMany(STALLED, "all-stalled", 1);
const addressed = await openMany(ADDRESSED, "addressed", order.addressedEvery);
for (const { socket } of [...slow, ...stalled]) socket.pause();
const pausing = slow.map(({ socket }) => pauseNowAndThen(socket));
const health: number[] = [];
const ending = new AbortController();
const watching = watchHealth(health, ending.signal);
const answer = once(child, "message");
child.send(order);
const [report] = (await answer) as [FanoutReport];
await sleep(1_000);
ending.abort();
await watching;
for (const timer of pausing) clearInterval(timer);
for (const { socket } of [...slow, ...stalled]) {
  await sleep(SLOW_READS_MS + 10);
  socket.resume();
}
const everyone = [...readers, ...slow, ...stalled, ...addressed].map(({ listener }) => listener);
const isBehind = ({ last, isClosed }: Listener) => last !== report.messages && !isClosed;
const isDone = () => !everyone.some(isBehind);
for (let waited = 0; !isDone() && waited < 300; waited += 1) await sleep(100);
const behind = everyone.filter(isBehind).length;
const sum = (pick: (listener: Listener) => number) => everyone.reduce((total, listener) => total + pick(listener), 0);
const all = (clients: typeof readers) => milliseconds(clients.flatMap(({ listener }) => listener.latencies));
printTable(
  `Fan-out: ${everyone.length} clients (${READERS} read all, ${SLOW} slowly, ${STALLED} stalled, ${ADDRESSED} addressed), ${order.perSecond} messages/s for ${order.seconds} s`,
  [
    { what: "to a client that hears all", figure: all(readers) },
    { what: "to a client that hears what is addressed", figure: all(addressed), note: `${report.addressed} messages` },
    { what: "/healthz meanwhile", figure: milliseconds(health) },
    { what: "longest block of the event loop", figure: `${report.maxBlockMs.toFixed(1)} ms` },
    { what: "server CPU per message", figure: `${(report.cpuMs / report.messages).toFixed(3)} ms` },
    { what: "server CPU in all", figure: `${((report.cpuMs / (order.seconds * 1000)) * 100).toFixed(0)} % of a core` },
    { what: "events delivered", figure: sum(({ frames }) => frames).toLocaleString("en") },
    { what: "connections ended", figure: String(sum(({ isClosed }) => Number(isClosed))), note: "no answer to a ping" },
    { what: "gaps told", figure: String(sum(({ gaps }) => gaps)) },
    { what: "events lost unsaid", figure: String(sum(({ lostUnsaid }) => lostUnsaid)), note: "goal: 0" },
    { what: "clients that never caught up", figure: String(behind), note: "goal: 0" },
  ],
);
child.disconnect();
process.exit(0);
