import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openSandbox, type Sandbox } from "../sandbox/index.ts";
import type { UserId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import { createDisplayNames } from "../src/domain/names/resolve-name.ts";
import { runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import { escapeName } from "../src/domain/text/escape.ts";
import { buildWindow } from "../src/domain/window/build-window.ts";
import { createMessageFormat } from "../src/domain/window/message-format.ts";
import { lineTokens, toTurns } from "../src/domain/window/to-turns.ts";
import type { ContextWindow } from "../src/transports/library/act-as.ts";
import { median, printTable, type Row } from "../test/support/table.ts";
import { makeChatter } from "./chatter.ts";
import { openProduct } from "./product.ts";

const DEPTH = 25;
const NONCE = "7f3ac0de";

/** A window of so many messages, as text, nothing kept from the last one. */
function tell(messages: readonly Message[]): string {
  const now = Date.parse(messages.at(-1)?.ts ?? "");
  const nobody = { user: () => undefined, channel: () => undefined, role: () => undefined };
  const actor = messages[0]?.author.id ?? ("1" as UserId);
  const displayNames = createDisplayNames({ agent: null, escape: (name) => escapeName(name, NONCE) });
  const format = createMessageFormat({
    actor,
    agent: { id: "1" as UserId, name: "Earshot" },
    displayNames,
    names: nobody,
    nonce: NONCE,
  });
  const window = runAtOnce(
    buildWindow(
      {
        messages,
        given: [],
        maxTokens: 2_000,
        tokensOf: (message) => lineTokens(message, format),
        tokensPerThread: 20,
      },
      UNPACED,
    ),
  );
  const telling = { window, starter: null, chain: { messages: [], end: "start" as const }, request: null };
  const place = { kind: "window of channel", name: "general" };
  return toTurns(telling, { format, nonce: NONCE, now, place })[0]?.text ?? "";
}

function measureTime(count: number): Row {
  const [messages = []] = makeChatter({ messages: count, channels: 1 }).channels.values();
  for (let warm = 0; warm < 100; warm += 1) tell(messages);
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now();
    tell(messages);
    return performance.now() - start;
  });
  return { what: `a window of ${count} messages, with its forest`, figure: `${median(times).toFixed(2)} ms` };
}

/** A chain of replies in lively talk. Gives back the message at its end, and where it stands. */
function layChain(sandbox: Sandbox): { id: string; channelId: string } {
  let last = sandbox.as("mark").say("general", "step 0");
  for (let step = 1; step <= DEPTH + 1; step += 1) {
    for (let other = 0; other < 4; other += 1) sandbox.as("sarah").say("general", `chatter ${step} ${other}`);
    last = sandbox.as(step % 2 ? "sarah" : "mark").reply(last, `step ${step}`);
  }
  return { id: last.id, channelId: sandbox.community.channels.get("general") ?? "" };
}

/** As one does it without pages: each message that is answered is fetched by itself. */
async function followOneByOne({ api, token }: Sandbox, { id, channelId }: { id: string; channelId: string }) {
  const headers = { authorization: `Bot ${token}` };
  let at: string | undefined = id;
  for (let depth = 0; depth <= DEPTH && at !== undefined; depth += 1) {
    const response = await fetch(`${api}/v10/channels/${channelId}/messages/${at}`, { headers });
    const raw = (await response.json()) as { message_reference?: { message_id?: string } };
    at = raw.message_reference?.message_id;
  }
}

async function measureRequests(): Promise<Row[]> {
  let requests = 0;
  const sandbox = await openSandbox({
    rateLimits: false,
    onResponse() {
      requests += 1;
    },
  });
  const counted = async (work: () => Promise<unknown>) => {
    const [before, start] = [requests, performance.now()];
    await work();
    return { requests: requests - before, ms: performance.now() - start };
  };
  const asked = layChain(sandbox);
  const product = await openProduct(sandbox, { now: () => Date.now() });
  const actor = sandbox.as("mark").id;
  const question = { name: "context.window", args: {}, actor, channelId: asked.channelId, messageId: asked.id };
  const told: ContextWindow[] = [];
  const look = async () => void told.push((await product.ask(question)).value as ContextWindow);
  // The message that asks is heard before it is answered.
  const heard = { name: "discord.channel.messages", args: { channel_id: asked.channelId, limit: 1 } };
  await product.ask({ ...question, ...heard });
  const cold = await counted(look);
  const warm = await counted(look);
  const naive = await counted(() => followOneByOne(sandbox, asked));
  const raw = await fetch(`${sandbox.api}/v10/channels/${asked.channelId}/messages?limit=100`, {
    headers: { authorization: `Bot ${sandbox.token}` },
  });
  const [first] = told;
  const shown = first?.threads.flatMap(({ messages }) => messages.map(({ message_id }) => message_id)) ?? [];
  const page = ((await raw.json()) as { id: string }[]).filter(({ id }) => (shown as string[]).includes(id));
  const window = first?.turns.find(({ kind }) => kind === "window")?.text ?? "";
  await product.close();
  await sandbox.close();
  const ms = (cost: { ms: number }) => `${cost.ms.toFixed(1)} ms`;
  return [
    {
      what: `requests for a reply ${first?.chain.messages.length} deep, cold`,
      figure: String(cold.requests),
      note: `goal: 2; ${ms(cold)}; one after the other: ${naive.requests}, ${ms(naive)}`,
    },
    { what: "the same, warm", figure: String(warm.requests), note: `goal: 0; ${ms(warm)}` },
    {
      what: `tokens of a window of ${shown.length} messages`,
      figure: String(encode(window).length),
      note: `the same ${page.length} as Discord's JSON: ${encode(JSON.stringify(page)).length}`,
    },
  ];
}

printTable("The context window", [...[100, 1_000].map(measureTime), ...(await measureRequests())]);
process.exit(0);
