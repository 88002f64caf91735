import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { perSecond, printTable, type Row } from "../test/support/table.ts";

const CLIENTS = 50;
const LISTENERS = 100;
const ROUNDS = 3;
const ROUND_MS = 1_500;
const EVENTS = 100;
const WARM_UP = 30;

interface Address {
  readonly port: number;
  readonly actor: string;
  readonly channel: string;
}

interface Samples {
  calls: number;
  milliseconds: number;
  latencies: number[];
}

const child: ChildProcess = fork(fileURLToPath(new URL("./rpc-server.ts", import.meta.url)));
const [{ port, actor, channel }] = (await once(child, "message")) as [Address];

type Path = "/rpc" | "/echo" | "/bulk";

async function open(path: Path): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { authorization: "Bearer bench" } });
  await once(socket, path === "/rpc" ? "message" : "open");
  return socket;
}

async function ask(socket: WebSocket, frame: string): Promise<string> {
  const answer = once(socket, "message");
  socket.send(frame);
  const [data] = await answer;
  return String(data);
}

/** As fast as 50 clients can ask, each waiting for its answer. */
async function storm(sockets: readonly WebSocket[], frame: string, ok: string): Promise<Samples> {
  const latencies: number[] = [];
  const start = performance.now();
  const ask = (socket: WebSocket) =>
    new Promise<void>((resolve, reject) => {
      let sentAt = performance.now();
      const send = () => {
        sentAt = performance.now();
        socket.send(frame);
      };
      socket.on("message", (data) => {
        const now = performance.now();
        // Heartbeats and progress may come in between.
        if (String(data).includes('"op":"event/')) return;
        if (!String(data).includes(ok)) reject(new Error(String(data).slice(0, 300)));
        latencies.push(now - sentAt);
        if (now - start < ROUND_MS) return send();
        socket.removeAllListeners("message");
        resolve();
      });
      send();
    });
  await Promise.all(sockets.map(ask));
  return { calls: latencies.length, milliseconds: performance.now() - start, latencies };
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

const latency = (values: readonly number[]) =>
  `p50 ${percentile(values, 0.5).toFixed(2)} ms, p95 ${percentile(values, 0.95).toFixed(2)} ms`;

async function openAll(path: Path, count: number): Promise<WebSocket[]> {
  return Promise.all(Array.from({ length: count }, () => open(path)));
}

async function openOperation(socket: WebSocket): Promise<string> {
  const payload = { method: "operation.open", args: { actor, channel_id: channel } };
  return JSON.parse(await ask(socket, JSON.stringify({ id: "open", op: "rpc/call", payload }))).payload.value
    .operation_id;
}

async function measureCalls(): Promise<Row[]> {
  const echo = await openAll("/echo", CLIENTS);
  const rpc = await openAll("/rpc", CLIENTS);
  const bulk = await openAll("/bulk", CLIENTS);
  const [first] = rpc;
  if (!first) return [];
  const operation_id = await openOperation(first);
  const call = (method: string, args: object) =>
    JSON.stringify({ id: "bench", op: "rpc/call", payload: { method, args, operation_id } });
  const read = (limit: number) => call("discord.channel.messages", { channel_id: channel, limit });
  const gated = { sockets: rpc, ok: '"ok":true', goal: 20 };
  const info = call("discord.channel.info", { channel_id: channel });
  const kinds = [
    { what: "bare ws echo of the same frame", sockets: echo, frame: call("rpc.ping", {}), ok: "rpc.ping", goal: 0 },
    { what: "rpc.ping", sockets: rpc, frame: call("rpc.ping", {}), ok: '"ok":true', goal: 60 },
    { what: "gated: discord.channel.info", frame: info, ...gated },
    { what: "gated: discord.channel.messages, limit 1", frame: read(1), ...gated },
    { what: "gated: discord.channel.messages, limit 10 (5 KB)", frame: read(10), ...gated },
    { what: "gated: discord.channel.messages, limit 50 (24 KB)", frame: read(50), ...gated },
    { what: "bare ws that answers with the same 24 KB", sockets: bulk, frame: read(50), ok: '"ok":true', goal: 0 },
  ].map((kind) => ({ ...kind, total: { calls: 0, milliseconds: 0, latencies: [] as number[] } }));
  // In turns, so that whatever else the machine does falls on all alike.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { sockets, frame, ok, total } of kinds) {
      const samples = await storm(sockets, frame, ok);
      if (round === 0) continue;
      total.calls += samples.calls;
      total.milliseconds += samples.milliseconds;
      total.latencies = total.latencies.concat(samples.latencies);
    }
  }
  for (const socket of [...echo, ...rpc, ...bulk]) socket.terminate();
  const rate = ({ calls, milliseconds }: Samples) => calls / milliseconds;
  const base = kinds[0] ? rate(kinds[0].total) : 1;
  return kinds.map(({ what, total, goal }) => {
    const share = `${Math.round((rate(total) / base) * 100)} %`;
    const note = `${share} of echo${goal > 0 ? ` (goal: ${goal} %)` : ""}; ${latency(total.latencies)}`;
    return { what, figure: perSecond(total.calls, total.milliseconds), note };
  });
}

/** From the moment the server has heard of an event until each client, and the last of them, has it. */
async function measureFanOut(what: string, path: Path, order: "say" | "broadcast"): Promise<Row> {
  const sockets = await openAll(path, LISTENERS);
  const arrivals = new Map<string, number[]>();
  for (const socket of sockets) {
    socket.on("message", (data) => {
      const now = performance.timeOrigin + performance.now();
      const { content } = JSON.parse(String(data)).payload;
      if (content) arrivals.set(content, [...(arrivals.get(content) ?? []), now]);
    });
  }
  for (let count = 0; count < WARM_UP + EVENTS; count += 1) {
    child.send(order);
    await sleep(20);
  }
  await sleep(500);
  const answer = once(child, "message");
  child.send("heard");
  const [heard] = (await answer) as [Record<string, number>];
  for (const socket of sockets) socket.terminate();
  const measured = [...arrivals].slice(WARM_UP);
  const each = measured.flatMap(([content, times]) => times.map((time) => time - (heard[content] ?? 0)));
  const last = measured.map(([content, times]) => Math.max(...times) - (heard[content] ?? 0));
  if (each.length !== EVENTS * LISTENERS) throw new Error(`only ${each.length} events arrived`);
  return {
    what,
    figure: `${percentile(each, 0.5).toFixed(2)} ms`,
    note: `to one client (p50); to the last: ${latency(last)}`,
  };
}

printTable(`RPC: ${CLIENTS} clients, each waiting for its answer; the server in another process`, await measureCalls());
printTable(`RPC: one event to ${LISTENERS} clients`, [
  await measureFanOut("bare ws broadcast", "/echo", "broadcast"),
  await measureFanOut("Earshot, judged for each client", "/rpc", "say"),
]);
child.kill();
process.exit(0);
