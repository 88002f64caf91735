import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openSandbox, type Sandbox } from "../sandbox/index.ts";
import { tools } from "../src/tools/index.ts";
import { toToolSchema } from "../src/tools/tool-schema.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { printMcpQuestions } from "./mcp-questions.ts";
import { openProduct, type Product } from "./product.ts";

/** What somebody asks, and what one would do without Earshot: fetch the last messages of a channel and keep those that fit. */
interface Asked {
  readonly as: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly naive: { readonly channel: string; readonly limit?: number; readonly fits?: (raw: RawMessage) => boolean };
}

interface RawMessage {
  readonly id: string;
  readonly content: string;
  readonly author: { readonly id: string };
}

interface Cost {
  readonly what: string;
  readonly cold: number;
  readonly warm: number;
  readonly tokens: number;
  /** Lines with a handle: hits and what stands around them alike. */
  readonly messages: number;
  /** Null where the tool does not search. */
  readonly hits: number | null;
  /** On how many messages a summary rests. */
  readonly basis: number | null;
}

/** Today must have begun a while ago, whenever this runs: in this world it is three in the afternoon. */
const HOUR = 3_600_000;
const ahead = 15 * HOUR - (Date.now() % (24 * HOUR));
const clock = { now: () => Date.now() + ahead };

let requests = 0;
// Discord lists all members of a server once in 30 seconds, and each question has a program of its own.
const sandbox = await openSandbox({
  clock,
  rateLimits: false,
  onResponse() {
    requests += 1;
  },
});

function questions(): Asked[] {
  const sarah = sandbox.as("sarah").id;
  const says = (word: string) => (raw: RawMessage) => raw.content.toLowerCase().includes(word);
  const decision = linkTo("tideboard", "**Correction:**");
  return [
    {
      as: "sarah",
      tool: "search_user_messages",
      args: { user_name: "me", query: "turtles", since: "today" },
      naive: { channel: "general", fits: (raw) => raw.author.id === sarah && says("turtle")(raw) },
    },
    {
      as: "mark",
      tool: "search_user_messages",
      args: { user_name: "Sarah", since: "today" },
      naive: { channel: "general", fits: (raw) => raw.author.id === sarah },
    },
    {
      as: "mark",
      tool: "search_messages",
      args: { query: "Find where we discussed the project deadline" },
      naive: { channel: "tideboard", fits: says("deadline") },
    },
    {
      as: "mark",
      tool: "get_channel_summary",
      args: { channel: "tideboard", timeframe: "past week" },
      naive: { channel: "tideboard" },
    },
    {
      as: "mark",
      tool: "get_recent_messages",
      args: { channel: "tideboard" },
      naive: { channel: "tideboard", limit: 15 },
    },
    {
      as: "mark",
      tool: "get_message_context",
      args: { message_id: decision },
      naive: { channel: "tideboard", limit: 11 },
    },
  ];
}

/** A link to it. */
function linkTo(channel: string, text: string): string {
  const { messages = [] } = sandbox.world.channels.get(idOf(sandbox, channel)) ?? {};
  const found = [...messages].findLast(({ content }) => content.includes(text));
  if (!found) throw new Error(`nobody has said ${text}`);
  return `https://discord.com/channels/${sandbox.community.guild.id}/${idOf(sandbox, channel)}/${found.id}`;
}

function idOf({ community }: Sandbox, channel: string): string {
  return community.channels.get(channel) ?? channel;
}

/** The first question of a program that has just started, and the same once more. */
async function measure({ as, tool, args }: Asked): Promise<Cost> {
  const product = await openProduct(sandbox, clock);
  const ask = async (of: Product) => {
    const before = requests;
    const question = { name: tool, args, actor: sandbox.as(as).id, channelId: idOf(sandbox, "general") };
    return { ...(await of.ask(question)), calls: requests - before };
  };
  const { text, value, calls: cold } = await ask(product);
  const { calls: warm } = await ask(product);
  await product.close();
  const { hits } = value as { hits?: readonly unknown[] };
  return {
    what: `${as}: ${tool} ${JSON.stringify({ ...args, ...("message_id" in args && { message_id: "…" }) })}`,
    cold,
    warm,
    tokens: encode(text ?? "").length,
    messages: text?.match(/^(?: {4}|>>> )?m\d+ \[/gm)?.length ?? 0,
    hits: hits?.length ?? null,
    basis: Number(text?.match(/^Rests on (?:the newest )?(\d+) /m)?.[1] ?? 0) || null,
  };
}

/** One request, and what it gives as it comes. */
async function measureNaive(what: string, { naive: { channel, limit = 100, fits = () => true } }: Asked): Promise<Row> {
  const address = `${sandbox.api}/v10/channels/${idOf(sandbox, channel)}/messages?limit=${limit}`;
  const answer = await fetch(address, { headers: { authorization: `Bot ${sandbox.token}` } });
  const all = (await answer.json()) as RawMessage[];
  const kept = all.filter(fits);
  const tokens = encode(JSON.stringify(kept)).length;
  return {
    what,
    figure: kept.length > 0 ? `${Math.round(tokens / kept.length)} tokens a message` : "nothing found",
    note: `${tokens.toLocaleString("en")} in all; ${kept.length} of the last ${all.length} of #${channel} fit`,
  };
}

function toRow({ what, tokens, messages, hits, basis }: Cost): Row {
  const perHit = hits ? `; ${hits} hits, ${(tokens / hits).toFixed(1)} a hit` : "";
  return {
    what,
    figure: `${(tokens / (basis ?? messages)).toFixed(1)} tokens a message`,
    note: `goal: 35; ${tokens.toLocaleString("en")} in all; ${basis === null ? messages : `rests on ${basis}`} messages${perHit}`,
  };
}

/** What a model is told of the tools with every request. */
function measureList(): Row {
  const known = tools
    .filter(({ isForPrograms }) => !isForPrograms)
    .map((tool) => toToolSchema(tool))
    .map(({ name, about, input }) => ({ name, description: about, inputSchema: input }));
  const tokens = encode(JSON.stringify(known)).length;
  return {
    what: `${known.length} tools, with names, descriptions and input schemas`,
    figure: `${tokens.toLocaleString("en")} tokens`,
    note: "goal: 2,500",
  };
}

const asked = questions();
const costs: Cost[] = [];
for (const each of asked) costs.push(await measure(each));
const naive = await Promise.all(asked.map((each, index) => measureNaive(costs[index]?.what ?? "", each)));

printTable(
  "REST calls of a question on the sample community, the first of a program and asked again; no rate limits",
  costs.map(({ what, cold, warm }) => ({ what, figure: `${cold}, then ${warm}` })),
);
printTable("The text for a model (o200k_base)", costs.map(toRow));
printTable("The naive way: one request, what fits given as Discord's JSON", naive);
printTable("The list of tools over MCP", [measureList()]);
await printMcpQuestions();
process.exit(0);
