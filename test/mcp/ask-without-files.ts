import { closeSync, openSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createMcpOnDemand } from "../../src/transports/mcp/mcp-on-demand.ts";
import type { McpDeps } from "../../src/transports/mcp/mcp-transport.ts";

/** Prints the status of a request while no file can be opened, and of one after that. To be run with a low limit of open files. */
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const deps: Partial<McpDeps> = { log: quiet, clock: { now: () => 0 }, isLocal: true, authenticate: () => null };
const mcp = createMcpOnDemand({ ...deps, gate: { tools: [] } } as unknown as McpDeps);
const outgoing = { writableLength: 0, destroyed: false, destroy() {}, once() {} };
const ask = async () => {
  const request = new Request("http://localhost/mcp", { method: "POST", headers: { host: "localhost" }, body: "{}" });
  return (await mcp.fetch(request, outgoing)).status;
};

const open: number[] = [];
function fill(): void {
  try {
    for (;;) open.push(openSync(import.meta.filename, "r"));
  } catch {
    // Full.
  }
}
// What was being read is closed in a later turn, however many those are on a busy machine: each is filled again.
let isFull = true;
const filling = (async () => {
  for (; isFull; await setImmediate()) fill();
})();
for (let turn = 0; turn < 20; turn += 1) await setImmediate();
const before = await ask();
isFull = false;
await filling;
for (const file of open) closeSync(file);
process.stdout.write(JSON.stringify([before, await ask()]));
await mcp.close();
