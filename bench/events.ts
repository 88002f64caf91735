import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, Events, GatewayIntentBits } from "discord.js";
import { WebSocket } from "ws";
import { openDiscord } from "../src/discord/open-discord.ts";
import { perSecond, printTable, type Row } from "../test/support/table.ts";

const COUNT = 60_000;
const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.MessageContent |
  GatewayIntentBits.GuildMembers;

interface Address {
  readonly api: string;
  readonly token: string;
}

/** A client that counts messages. */
interface Counter {
  onMessage: () => void;
  close(): Promise<unknown> | unknown;
}

async function earshot({ api, token }: Address): Promise<Counter> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const features = { members: true, messageContent: true, reactions: true, directMessages: true };
  const lastHeard = { load: async () => null, save: async () => {} };
  const discord = await openDiscord(
    { api, token, features },
    { clock: { now: () => Date.now() }, log: quiet, lastHeard },
  );
  const counter: Counter = { onMessage: () => {}, close: () => discord.close() };
  discord.listen((event) => {
    if (event.type === "message") counter.onMessage();
  });
  return counter;
}

async function discordJs({ api, token }: Address): Promise<Counter> {
  const client = new Client({ intents: INTENTS, rest: { api } });
  const counter: Counter = { onMessage: () => {}, close: () => client.destroy() };
  client.on(Events.MessageCreate, () => counter.onMessage());
  const ready = once(client, Events.ClientReady);
  await client.login(token);
  await ready;
  return counter;
}

/** The least a client can do: parse the frame and look at its type. */
async function bareSocket({ api, token }: Address): Promise<Counter> {
  const response = await fetch(`${api}/v10/gateway/bot`, { headers: { authorization: `Bot ${token}` } });
  const { url } = (await response.json()) as { url: string };
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const counter: Counter = { onMessage: () => {}, close: () => socket.close() };
  await new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data));
      if (frame.op === 10)
        socket.send(
          JSON.stringify({ op: 2, d: { token, intents: INTENTS, properties: { os: "", browser: "", device: "" } } }),
        );
      if (frame.t === "GUILD_CREATE") resolve();
      if (frame.t === "MESSAGE_CREATE") counter.onMessage();
    });
  });
  return counter;
}

async function measure(what: string, open: (address: Address) => Promise<Counter>, note = ""): Promise<Row> {
  const child: ChildProcess = fork(fileURLToPath(new URL("./flood.ts", import.meta.url)));
  try {
    const [address] = (await once(child, "message")) as [Address];
    const counter = await open(address);
    const flood = (count: number) =>
      new Promise<void>((resolve) => {
        let left = count;
        counter.onMessage = () => {
          left -= 1;
          if (left === 0) resolve();
        };
        child.send(count);
      });
    await flood(5_000);
    const cpu = process.cpuUsage();
    const start = performance.now();
    await flood(COUNT);
    const elapsed = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    await counter.close();
    const busy = (user + system) / 1000;
    return { what, figure: perSecond(COUNT, elapsed), note: `${perSecond(COUNT, busy)} of its own CPU time${note}` };
  } finally {
    child.kill();
  }
}

printTable(
  `Events from the sandbox's socket (in another process) to a message, ${COUNT.toLocaleString("en")} messages`,
  [
    await measure("Earshot, normalised and de-duplicated", earshot, "; goal: 20,000/s"),
    await measure("discord.js 14, messageCreate", discordJs),
    await measure("bare ws and JSON.parse", bareSocket, "; the limit of this machine and sandbox"),
  ],
);
process.exit(0);
