import { createRequire } from "node:module";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openSandbox, type Sandbox } from "../sandbox/index.ts";
import { canReadHistory, canView } from "../sandbox/world/permissions.ts";
import type { ChannelRecord } from "../sandbox/world/records.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { type McpResult, type McpServer, openEarshot, openMcpDiscord } from "./mcp-hosts.ts";

const require = createRequire(import.meta.url);
const { version: earshotVersion } = require("../package.json") as { version: string };
const { version: otherVersion } = require("mcp-discord/package.json") as { version: string };

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** A question whose answer is known. */
interface Question {
  readonly as: string;
  readonly text: string;
  /** Words of the message that answers it. */
  readonly answer: string;
  /** Not everybody who reads along may know the answer. */
  readonly isPrivate?: boolean;
  readonly earshot: readonly Call[];
  /** What a host would call that knows where the answer stands. */
  readonly mcpDiscord: readonly Call[];
}

/** Where everything is asked, and where the answers will be read. */
const ASKED_IN = "general";

/** How many characters of a message are compared: long messages are cut in the middle for a model. */
const MAX_COMPARED = 60;
const MIN_COMPARED = 20;

/** What came of a question. */
interface Outcome {
  readonly isFound: boolean;
  readonly requests: number;
  /** Of the text. */
  readonly tokens: number;
  /** Of the structured content beside it. */
  readonly structuredTokens: number;
  /** Messages in the text or the structured content that somebody who asks or reads along cannot read. */
  readonly leaked: number;
  readonly calls: string;
}

/** Asks Earshot and mcp-discord the same over MCP, one after the other on the same sandbox, and prints what came of it. */
export async function printMcpQuestions(): Promise<void> {
  let requests = 0;
  const sandbox = await openSandbox({
    rateLimits: false,
    onResponse() {
      requests += 1;
    },
  });
  const questions = listQuestions(sandbox);
  const deps = { sandbox, count: () => requests };
  const earshot = await askEarshot(questions, deps);
  const mcpDiscord = await askMcpDiscord(questions, deps);
  await sandbox.close();
  const rows = questions.flatMap((question, index) => [
    toRow(`${question.as}: ${question.text}${question.isPrivate ? " (private)" : ""}`, earshot.outcomes[index]),
    toRow("    mcp-discord", mcpDiscord.outcomes[index]),
  ]);
  const title = `The same questions over MCP, asked in #${ASKED_IN}: Earshot ${earshotVersion}, and below it mcp-discord ${otherVersion}`;
  printTable(`${title} (o200k_base)`, [
    ...rows,
    toSum("all: Earshot", questions, earshot.outcomes),
    toSum("    mcp-discord", questions, mcpDiscord.outcomes),
    { what: "list of tools: Earshot", ...toTools(earshot.tools) },
    { what: "    mcp-discord", ...toTools(mcpDiscord.tools) },
    {
      what: "before the first question: Earshot",
      figure: toCalls(earshot.startRequests),
      note: "history is read ahead",
    },
    {
      what: "    mcp-discord",
      figure: `${toCalls(mcpDiscord.startRequests)}, ${format(countTokens(mcpDiscord.channels))} tokens`,
      note: "discord_get_server_info, for the ids of channels",
    },
  ]);
}

interface Deps {
  readonly sandbox: Sandbox;
  /** REST calls so far. */
  readonly count: () => number;
}

async function askEarshot(questions: readonly Question[], deps: Deps) {
  const { sandbox, count } = deps;
  const before = count();
  const program = await openEarshot(sandbox, count);
  const startRequests = count() - before;
  const outcomes: Outcome[] = [];
  let tools: readonly unknown[] = [];
  for (const question of questions) {
    const actor = sandbox.as(question.as).id;
    const server = await program.connect({ actor, channelId: idOf(sandbox, ASKED_IN) });
    tools = await server.tools();
    outcomes.push(await ask({ question, calls: question.earshot, server }, deps));
    await server.close();
  }
  await program.close();
  return { outcomes, tools, startRequests };
}

async function askMcpDiscord(questions: readonly Question[], deps: Deps) {
  const { sandbox, count } = deps;
  const before = count();
  const { server, channels } = await openMcpDiscord(sandbox);
  const startRequests = count() - before;
  const tools = await server.tools();
  const outcomes: Outcome[] = [];
  for (const question of questions) outcomes.push(await ask({ question, calls: question.mcpDiscord, server }, deps));
  await server.close();
  return { outcomes, tools, startRequests, channels };
}

interface Asking {
  readonly question: Question;
  readonly calls: readonly Call[];
  readonly server: McpServer;
}

async function ask({ question, calls, server }: Asking, { sandbox, count }: Deps): Promise<Outcome> {
  const before = count();
  const results: McpResult[] = [];
  for (const [tool, args] of calls) results.push(await server.call(tool, args));
  const text = results.map((result) => result.text).join("\n");
  const structured = results.map((result) => result.structured).join("\n");
  const words = toWords(`${text}\n${structured}`);
  return {
    isFound: toWords(text).includes(toWords(question.answer)),
    requests: count() - before,
    tokens: countTokens(text),
    structuredTokens: countTokens(structured.trim()),
    leaked: listPrivateTexts(sandbox, question.as).filter((one) => words.includes(one)).length,
    calls: calls.map((call) => describeCall(sandbox, call)).join(", "),
  };
}

function toRow(what: string, outcome: Outcome | undefined): Row {
  if (!outcome) throw new Error(`${what} was not asked`);
  const { isFound, requests, tokens, leaked, calls } = outcome;
  const figures = [isFound ? "found" : "not found", toCalls(requests), `${format(tokens)} tokens`, `${leaked} private`];
  return { what, figure: figures.join(", "), note: calls };
}

function toSum(what: string, questions: readonly Question[], outcomes: readonly Outcome[]): Row {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((all, one) => all + of(one), 0);
  const allowed = outcomes.filter((_, index) => !questions[index]?.isPrivate);
  const found = `${allowed.filter(({ isFound }) => isFound).length} of ${allowed.length} found`;
  const calls = toCalls(sum(({ requests }) => requests));
  const tokens = `${format(sum((one) => one.tokens))} tokens`;
  const structured = sum(({ structuredTokens }) => structuredTokens);
  return {
    what,
    figure: [found, calls, tokens, `${sum(({ leaked }) => leaked)} private`].join(", "),
    note: structured ? `structured content for programs: ${format(structured)} tokens more` : "no structured content",
  };
}

function toTools(tools: readonly unknown[]): Pick<Row, "figure"> {
  return { figure: `${tools.length} tools, ${format(countTokens(JSON.stringify(tools)))} tokens` };
}

function toCalls(requests: number): string {
  return `${requests} ${requests === 1 ? "call" : "calls"}`;
}

function format(count: number): string {
  return count.toLocaleString("en");
}

function countTokens(text: string): number {
  return encode(text).length;
}

/** With names for ids. */
function describeCall({ world }: Sandbox, [tool, args]: Call): string {
  const nameOf = (id: string) => world.channels.get(id)?.name ?? world.guilds.get(id)?.name;
  const shown = Object.entries(args).map(([field, value]) => `${field}="${nameOf(String(value)) ?? value}"`);
  return [tool, ...shown].join(" ");
}

/**
 * The first words of all messages that the person asking, or somebody who reads the answer, cannot read, by the sandbox's own permissions.
 * Those that also stand where all of them can read are left out, and those too short to be recognised.
 */
function listPrivateTexts({ world, community, as }: Sandbox, person: string): string[] {
  const guild = world.guilds.get(community.guild.id);
  const here = world.channels.get(community.channels.get(ASKED_IN) ?? "");
  if (!guild || !here) throw new Error(`there is no #${ASKED_IN}`);
  const people = [...guild.members.keys()].filter((id) => !world.users.get(id)?.bot);
  const readers = [as(person).id, ...people.filter((id) => canView(guild, here, id))];
  const isOpen = (channel: ChannelRecord) =>
    world.guildOf(channel) === guild && readers.every((id) => canReadHistory(guild, channel, id));
  const textsIn = (channels: readonly ChannelRecord[]) =>
    channels.flatMap(({ messages }) => [...messages].map(({ content }) => toWords(content)));
  const { open = [], closed = [] } = Object.groupBy(world.channels.values(), (one) =>
    isOpen(one) ? "open" : "closed",
  );
  const known = textsIn(open).join("\n");
  return textsIn(closed)
    .map((words) => words.slice(0, MAX_COMPARED))
    .filter((words) => words.length >= MIN_COMPARED && !known.includes(words));
}

/** Letters and digits only, so that quoting and escaping make no difference. */
function toWords(text: string): string {
  const plain = text.replaceAll(/<[@#][!&]?\d+>/g, " ").replaceAll("\\n", " ");
  return (
    plain
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? ""
  );
}

function idOf({ community }: Sandbox, channel: string): string {
  const id = community.channels.get(channel);
  if (id === undefined) throw new Error(`there is no channel ${channel}`);
  return id;
}

function listQuestions(sandbox: Sandbox): Question[] {
  const search = (query: string): Call[] => [["search_messages", { query }]];
  const read = (channel: string): Call => ["discord_read_messages", { channelId: idOf(sandbox, channel), limit: 100 }];
  return [
    {
      as: "mark",
      text: "Find where we discussed the project deadline",
      answer: "the deadline is the **26th**, not the 25th",
      earshot: search("Find where we discussed the project deadline"),
      mcpDiscord: [read("tideboard")],
    },
    {
      as: "oskar",
      text: "What is the name of hull no. 7?",
      answer: "Hull no. 7 is **One Good Tern**",
      earshot: search("What is the name of hull no. 7?"),
      mcpDiscord: [read("boat-naming")],
    },
    {
      as: "mark",
      text: "What has Sarah been talking about today?",
      answer: "put me down for the sensor demo",
      earshot: [["search_user_messages", { user_name: "Sarah", since: "8 hours ago" }]],
      mcpDiscord: [read("general")],
    },
    {
      as: "sarah",
      text: "What did I say about turtles earlier?",
      answer: "the loggerhead is back",
      earshot: [["search_user_messages", { user_name: "me", query: "turtles", since: "8 hours ago" }]],
      mcpDiscord: [read("general")],
    },
    {
      as: "quinn",
      text: "What was wrong with the dust extractor?",
      answer: "Extractor fixed. It was a sock",
      earshot: search("What was wrong with the dust extractor?"),
      mcpDiscord: [read("general")],
    },
    {
      as: "wren",
      text: "How do I get a waxy film off cured epoxy?",
      answer: "Wash first: warm water, a drop of soap",
      earshot: [...search("How do I get a waxy film off cured epoxy?"), ["get_message_context", { message_id: "m1" }]],
      // It lists forums, and no posts in them.
      mcpDiscord: [["discord_get_forum_channels", { guildId: sandbox.community.guild.id }], read("help")],
    },
    {
      as: "mark",
      text: "When was sighting no. 2? (with a link to the thread)",
      answer: "17:40, slack water",
      earshot: [["get_recent_messages", { channel: idOf(sandbox, "turtle-log"), limit: 100 }]],
      mcpDiscord: [read("turtle-log")],
    },
    {
      as: "sarah",
      text: "What do two whistles mean at the launch?",
      answer: "one whistle slack, two whistles stop",
      isPrivate: true,
      earshot: search("What do two whistles mean at the launch?"),
      mcpDiscord: [read("launch-crew")],
    },
    {
      as: "grace",
      text: "When is the launch date?",
      answer: "then it's the **30th, 11:20**",
      isPrivate: true,
      earshot: search("When is the launch date?"),
      mcpDiscord: [read("staff-room")],
    },
  ];
}
