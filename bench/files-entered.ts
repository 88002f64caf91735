import { type ChildProcess, fork } from "node:child_process";
import { on, once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { printTable, type Row } from "../test/support/table.ts";
import { measureJourneys } from "./app-journeys.ts";

/** What a reader has to go through to follow one call: files and functions of `src/` that it enters once everything is warm. `--list` prints them. */
const WARM_UPS = 5;
const CALLS = [
  { method: "rpc.ping", args: {}, goal: "" },
  { method: "get_recent_messages", args: {}, goal: "goal: 40 files" },
  { method: "search_messages", args: { query: "engine" }, goal: "goal: 65 files" },
];

const child: ChildProcess = fork(fileURLToPath(new URL("./rpc-server.ts", import.meta.url)));
const [{ port, actor, channel }] = (await once(child, "message")) as [{ port: number; actor: string; channel: string }];
const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers: { authorization: "Bearer bench" } });
await once(socket, "message");

async function call(method: string, args: object, operation_id?: string): Promise<{ operation_id: string }> {
  const frame = { id: "bench", op: "rpc/call", payload: { method, args, ...(operation_id && { operation_id }) } };
  socket.send(JSON.stringify(frame));
  // Two frames can come at once.
  for await (const [data] of on(socket, "message")) {
    const { op, payload } = JSON.parse(String(data));
    if (op !== "rpc/ret") continue;
    if (!payload.ok) throw new Error(JSON.stringify(payload));
    return payload.value;
  }
  throw new Error("the connection was closed");
}

async function cover(order: "cover" | "covered"): Promise<Record<string, string[]>> {
  const answer = once(child, "message");
  child.send(order);
  const [counts] = (await answer) as [Record<string, string[]>];
  return counts;
}

const { operation_id } = await call("operation.open", { actor, channel_id: channel });
const rows: Row[] = [];
for (const { method, args, goal } of CALLS) {
  for (let count = 0; count < WARM_UPS; count += 1) await call(method, args, operation_id);
  await cover("cover");
  await call(method, args, operation_id);
  rows.push(toRow({ what: method, goal, counts: await cover("covered") }));
}
printTable("Files of src/ that one warm call over RPC enters", rows);
child.kill();
const journeys: Row[] = [];
for await (const journey of measureJourneys()) journeys.push(toRow(journey));
printTable("Files of src/ that a step enters in the whole program", journeys);
process.exit(0);

function toRow({ what, goal, counts }: { what: string; goal: string; counts: Record<string, string[]> }): Row {
  const entered = Object.entries(counts).filter(([, names]) => names.length > 0);
  const functions = entered.reduce((sum, [, names]) => sum + names.length, 0);
  if (process.argv.includes("--list"))
    for (const [file, names] of entered.sort()) console.log(`${what}  ${file}  ${names.join(", ")}`);
  return { what, figure: `${entered.length} files`, note: `${functions} functions${goal && `; ${goal}`}` };
}
