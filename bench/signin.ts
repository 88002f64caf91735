import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { printTable, type Row } from "../test/support/table.ts";
import type { SignInServer } from "./signin-server.ts";

/** CPU time of the server for a call with the token of a signed-in program, against one with the token of a configured client. */
const TOKENS = ["static", "signed-in"] as const;
const WARM_UP = 4;
const ROUNDS = 30;
const AT_ONCE = 8;

const server = fork(fileURLToPath(new URL("./signin-server.ts", import.meta.url)), {
  execArgv: [...process.execArgv, "--expose-gc"],
});
const [{ port, actor, channel }] = (await once(server, "message")) as [SignInServer];

async function cpuMicroseconds(order: "collect" | "tell"): Promise<number> {
  const told = once(server, "message");
  server.send(order);
  const [{ user, system }] = (await told) as [NodeJS.CpuUsage];
  return user + system;
}

type Call = () => Promise<void>;

async function openRpc(token: string): Promise<Call> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers });
  const waiting = new Map<string, (frame: { payload: { ok: boolean; value: { operation_id: string } } }) => void>();
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data));
    waiting.get(frame.reply_to)?.(frame);
    waiting.delete(frame.reply_to);
  });
  await once(socket, "message");
  let count = 0;
  const ask = async (payload: object) => {
    count += 1;
    const id = String(count);
    const answer = new Promise<Parameters<Parameters<typeof waiting.set>[1]>[0]>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, op: "rpc/call", payload }));
    const { payload: told } = await answer;
    if (!told.ok) throw new Error(JSON.stringify(told));
    return told.value;
  };
  const { operation_id } = await ask({ method: "operation.open", args: { actor, channel_id: channel } });
  return async () => void (await ask({ method: "discord.channel.info", args: { channel_id: channel }, operation_id }));
}

function openMcp(token: string): Call {
  const name = "discord_channel_info";
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    ...{ authorization: `Bearer ${token}`, "mcp-protocol-version": "2026-07-28" },
    ...{ "mcp-method": "tools/call", "mcp-name": name },
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name, arguments: { channel }, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status !== 200 || text.includes('"isError":true')) throw new Error(text);
  };
}

async function cpuPerCall(call: Call, calls: number): Promise<number> {
  const before = await cpuMicroseconds("collect");
  const repeat = async () => {
    for (let count = 0; count < calls / AT_ONCE; count += 1) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, repeat));
  return ((await cpuMicroseconds("tell")) - before) / calls;
}

/** In turns, each first in half of the rounds: whatever else the machine does falls on both alike. */
async function compare(what: string, [first, second]: readonly [Call, Call], calls: number): Promise<Row> {
  const ratios: number[] = [];
  let [base, own] = [0, 0];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const isSwapped = round % 2 === 1;
    const one = await cpuPerCall(isSwapped ? second : first, calls);
    const other = await cpuPerCall(isSwapped ? first : second, calls);
    if (round < WARM_UP) continue;
    const [statics, signedIn] = isSwapped ? [other, one] : [one, other];
    base += statics / ROUNDS;
    own += signedIn / ROUNDS;
    ratios.push(Math.log(signedIn / statics));
  }
  const mean = ratios.reduce((sum, one) => sum + one, 0) / ROUNDS;
  const variance = ratios.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (ROUNDS - 1);
  // Student's t for 29 degrees of freedom.
  const margin = 2.045 * Math.sqrt(variance / ROUNDS);
  const [low, middle, high] = [mean - margin, mean, mean + margin].map((log) => ((Math.exp(log) - 1) * 100).toFixed(1));
  const note = `95 % interval ${low} % to ${high} % (goal: 5 % at most); ${base.toFixed(1)} µs static, ${own.toFixed(1)} µs signed in`;
  return { what, figure: `${middle} %`, note };
}

const [rpcStatic, rpcSignedIn] = (await Promise.all(TOKENS.map(openRpc))) as [Call, Call];
const [mcpStatic, mcpSignedIn] = TOKENS.map(openMcp) as [Call, Call];
printTable(`More CPU time of the server for a call with a signed-in token, ${ROUNDS} rounds in turns`, [
  await compare("RPC: discord.channel.info", [rpcStatic, rpcSignedIn], 2_000),
  await compare("MCP: discord_channel_info", [mcpStatic, mcpSignedIn], 400),
]);
server.kill();
process.exit(0);
