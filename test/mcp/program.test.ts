import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand, runEarshot, startCommand, toProcess } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { textOf } from "./arrive.ts";
import { connectNew, connectOld, type TestClient } from "./clients.ts";

const QUIET = { EARSHOT_SANDBOX_TALK_SECONDS: "0", EARSHOT_LOG_LEVEL: "debug" };

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

interface Start {
  readonly folder: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
}

/** As a host starts it. */
function toChild({ folder, args, env = {} }: Start) {
  const [all, options] = toProcess(["mcp", ...args], { ...QUIET, ...env }, folder);
  return { command: process.execPath, args: [...all], ...options, stderr: "pipe" as const };
}

const startNew = (start: Start) => connectNew(new StdioClientTransport(toChild(start)));
const startOld = (start: Start) => connectOld(new OldStdioTransport(toChild(start)) as never);

/** Whether a client reads what was said about turtles in the sample community. */
async function findTurtles({ call }: TestClient): Promise<string> {
  const { structuredContent: shared } = await call("discord_guilds", {});
  const { guilds } = shared as { guilds: { guild_id: string }[] };
  const { structuredContent: there } = await call("discord_guild_channels", { guild_id: guilds[0]?.guild_id });
  const { channels } = there as { channels: { name: string; channel_id: string }[] };
  const general = channels.find(({ name }) => name === "general");
  return textOf(await call("discord_search_window", { channel_id: general?.channel_id, query: "loggerhead" }));
}

/** As a host of either specification would, once the program runs. */
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

const HANDSHAKE = { capabilities: {}, clientInfo: { name: "pipe", version: "1" } };

describe("earshot mcp", () => {
  it("serves a host on its own when no Earshot is running, and ends with the host", async () => {
    const folder = await emptyFolder();
    const env = { EARSHOT_SANDBOX_PORT: "0" };
    const client = await startNew({ folder, env, args: ["--as", "sarah", "--toolsets", "discord"] });
    expect(client.version).toBe("2026-07-28");
    expect(await findTurtles(client)).toMatch(/Sarah.*loggerhead/i);
    const names = (await client.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("discord_send");
    expect(names).not.toContain("get_message_context");
    await client.close();
    expect((await runCommand(["tail"], {}, folder)).code).toBe(1);
  });

  it("writes only the protocol to standard output, and ends when its input does", async () => {
    const program = runEarshot(["mcp", "--as", "sarah"], { ...QUIET, EARSHOT_SANDBOX_PORT: "0" }, await emptyFolder());
    program.process.stdin?.write(PING);
    await program.prints('"id":1');
    program.process.stdin?.end();
    expect(await program.ended).toBe(0);
    expect(JSON.parse(program.out)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("answers every request that was piped in before its input ended, and says first which data folder it uses", async () => {
    const env = { ...QUIET, EARSHOT_SANDBOX_PORT: "0" };
    const folder = await emptyFolder();
    const program = runEarshot(["mcp", "--as", "sarah"], env, folder);
    const search = { name: "search_messages", arguments: { query: "turtle" } };
    const asked = [
      { id: 1, method: "initialize", params: { ...HANDSHAKE, protocolVersion: "2025-11-25" } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: search },
    ];
    program.process.stdin?.end(asked.map((frame) => `${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`).join(""));
    expect(await program.ended).toBe(0);
    const answers = program.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; error?: unknown });
    expect(answers.map(({ id, error }) => [id, error])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    const lines = program.err.split("\n");
    const told = lines.findIndex((line) => line.includes("starting a sample community"));
    expect(lines[told]).toContain(join(folder, ".earshot"));
    expect(lines.findIndex((line) => line.includes("connecting to the gateway"))).toBeGreaterThan(told);
  });

  it("uses the Earshot that is running, together with other hosts, and continues on its own when that one ends", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    sandbox.as("mark").say("general", "the crane is blue");
    const folder = await emptyFolder();
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api };
    const running = startCommand(["start"], { ...env, EARSHOT_PORT: "0" }, folder);
    await running.prints("Stop with Ctrl-C");
    const start = { folder, env, args: ["--as", sandbox.as("sarah").id] };
    const clients = await Promise.all([startNew(start), startOld(start)]);
    const channel_id = sandbox.community.channels.get("general");
    const read = async ({ call }: TestClient) => textOf(await call("discord_channel_messages", { channel_id }));
    for (const client of clients) expect(await read(client)).toContain("the crane is blue");
    running.stop();
    expect(await running.ended).toBe(0);
    for (const client of clients) expect(await read(client)).toContain("the crane is blue");
  });

  it("acts for the person who is called so on a real server, however the name is written", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    sandbox.as("mark").say("general", "the crane is blue");
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api };
    const folder = await emptyFolder();
    const client = await startNew({ folder, env, args: ["--as", "@SÁRAH"] });
    const found = await client.call("search_user_messages", { user_name: "mark", query: "crane" });
    expect(textOf(found)).toContain("the crane is blue");
    await client.close();
  });

  it("serves a host on its own where what a killed Earshot left in the folder leads to another one", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api };
    const [other, folder] = [await emptyFolder(), await emptyFolder()];
    await startCommand(["start"], { ...env, EARSHOT_PORT: "0" }, other).prints("Stop with Ctrl-C");
    const left = JSON.parse(await readFile(join(other, ".earshot/operator-access.json"), "utf8"));
    await mkdir(join(folder, ".earshot"), { mode: 0o700 });
    await writeFile(
      join(folder, ".earshot/operator-access.json"),
      JSON.stringify({ ...left, token: "of the killed one" }),
    );
    const client = await startNew({ folder, env, args: ["--as", "sarah"] });
    expect((await client.client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  it("is refused without a token where EARSHOT_REQUIRE_TOKEN asks for one, and announces no sample community", async () => {
    const env = { ...QUIET, EARSHOT_REQUIRE_TOKEN: "1" };
    const { code, out, err } = await runCommand(["mcp", "--as", "sarah"], env, await emptyFolder());
    expect([code, out, err]).toEqual([
      64,
      "",
      expect.stringMatching(/^There is no bot token, and EARSHOT_REQUIRE_TOKEN .*\n$/),
    ]);
  });

  it("serves hosts that start at the same moment", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api };
    const start = { folder: await emptyFolder(), env, args: ["--as", sandbox.as("sarah").id] };
    const clients = await Promise.all([startOld(start), startOld(start)]);
    for (const { client } of clients) expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  });

  it.each([
    [[], "Name the person to act for"],
    [["--as", "nobody-of-that-name"], "No person called"],
    [["--as", "80351110224678912"], "No person with the id 80351110224678912 is in a server of the bot."],
  ])("refuses the arguments %j with an error of one line", async (args, message) => {
    const env = { EARSHOT_LOG_LEVEL: "silent", EARSHOT_SANDBOX_PORT: "0" };
    const { code, out, err } = await runCommand(["mcp", ...args], env, await emptyFolder());
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
