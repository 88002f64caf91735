import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openSandbox } from "../sandbox/index.ts";
import { openDiscord } from "../src/discord/open-discord.ts";
import { printTable } from "../test/support/table.ts";
import { openTcpProxy } from "../test/support/tcp-proxy.ts";
import { onInterrupt } from "./on-interrupt.ts";

/** The gateway is out of reach for minutes, in real time, while people go on talking: the session is resumed and no event is lost. */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1" },
    seconds: { type: "string", default: "120" },
    seed: { type: "string" },
  },
});
const [runs, outageMs] = [Number(values.runs), Number(values.seconds) * 1_000];
const TALK_INTERVAL_MS = 250;
/** The last attempt may have been made right before the end, and the back-off is at most 30 seconds; a silent peer costs ten more. */
const MAX_RECOVERY_MS = 60_000;

let port = 0;
const proxy = await openTcpProxy(() => port);
const sandbox = await openSandbox({
  advertise: { gateway: (url) => url.replace(/:\d+/, `:${proxy.port}`) },
  rateLimits: false,
});
port = Number(new URL(sandbox.url).port);
const attempts: string[] = [];
const note = (_: object, text: string) => {
  if (text.includes("trying again")) attempts.push(text);
};
const discord = await openDiscord(
  {
    api: sandbox.api,
    token: sandbox.token,
    features: { members: true, messageContent: true, reactions: true, directMessages: true },
    countBots: false,
  },
  {
    clock: { now: () => Date.now() },
    log: { debug() {}, info: note, warn: note, error: note },
    lastHeard: { load: async () => null, save: async () => {} },
  },
);
const heard: string[] = [];
let gaps = 0;
discord.listen((event) => {
  if (event.type === "message" && event.message.content.startsWith("outage ")) heard.push(event.message.content);
  if (event.type === "gap") gaps += 1;
});

const said: string[] = [];
const say = () => {
  said.push(`outage ${said.length}`);
  sandbox.as("sarah").say("general", said.at(-1) ?? "");
};

const recoveries: number[] = [];
onInterrupt(printTally);
for (let run = 1; run <= runs; run += 1)
  for (const [name, begin, end] of [
    ["refuses connections", () => proxy.cut(), () => proxy.restore()],
    ["is silent", async () => sandbox.faults.goSilent(), async () => sandbox.faults.clear()],
  ] as const) {
    say();
    await begin();
    const startedAt = performance.now();
    while (performance.now() - startedAt < outageMs) {
      say();
      await sleep(TALK_INTERVAL_MS);
    }
    await end();
    const endedAt = performance.now();
    while (heard.length < said.length && performance.now() - endedAt < MAX_RECOVERY_MS) await sleep(50);
    recoveries.push(performance.now() - endedAt);
    if (gaps > 0 || heard.join() !== said.join()) {
      console.error(
        `Run ${run}: after a gateway that ${name}, ${said.length - heard.length} events are missing, ${gaps} gaps.`,
      );
      process.exit(1);
    }
    console.log(`  run ${run}: the gateway ${name} for ${values.seconds} s; ${heard.length} events, none lost`);
  }
await discord.close();
await sandbox.close();
proxy.close();
printTally();

function printTally(): void {
  printTable("A gateway out of reach loses nothing", [
    { what: "events heard, once and in order", figure: heard.length.toLocaleString("en") },
    { what: "gaps", figure: String(gaps) },
    { what: "attempts with back-off", figure: String(attempts.length) },
    { what: "longest wait after it was back", figure: `${(Math.max(0, ...recoveries) / 1_000).toFixed(1)} s` },
  ]);
}
