import { randomUUID } from "node:crypto";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import type { OpenConsoleDeps } from "../src/transports/console/open-console.ts";
import { openConsole } from "../src/transports/console/open-console.ts";
import { toSandboxCommunity } from "../src/transports/console/to-sandbox-community.ts";
import { openHttp } from "../src/transports/http/open-http.ts";

/** The sample community with the console's page for it, in a process of its own: tells a link, then says as many things a second as it is told. As many messages as its argument says are there before. */
const refuse = () => {
  throw new Error("not asked for here");
};
const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
const http = await openHttp({ host: "127.0.0.1", port: 0 });
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const web = openConsole(
  { isEnabled: true, host: "127.0.0.1", url: http.url, version: "0" },
  {
    ...{ log: quiet, clock: { now: () => Date.now() }, mintId: () => randomUUID().replaceAll("-", "") },
    ...{ audit: { note() {} }, community: toSandboxCommunity(sandbox), traceAnswer: async () => null },
    ...{ settings: refuse, clientNames: refuse, reload: refuse, coverage: refuse, status: async () => refuse() },
    signIn: null,
    person: {} as OpenConsoleDeps["person"],
  },
);
http.serve({
  ...{ metrics: { render: refuse }, health: refuse, status: refuse, mayReadMetrics: () => false },
  ...{ handleUpgrade: (_request, socket) => void socket.destroy(), console: web },
});
const speaker = sandbox.as("mark");
for (let index = 0; index < Number(process.argv[2] ?? 0); index += 1)
  speaker.say("general", `message ${index}: ${"the tide table is on the board by the dock ".repeat(1 + (index % 4))}`);
process.on("message", (perSecond: number) => {
  const begin = performance.now();
  let said = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - begin) / 1_000) * perSecond);
    for (; said < due; said += 1) speaker.say("general", `message ${said}: the tide table is on the board by the dock`);
    process.send?.(said);
  }, 20);
});
process.send?.(web.mintLink());
