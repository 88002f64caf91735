import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tools } from "../../src/tools/index.ts";
import { runCommand, runEarshot, startCommand } from "../support/program.ts";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("earshot tools", () => {
  it("lists every tool with its arguments, in at most 100 columns, without a running program", async () => {
    const { code, out } = await runCommand(["tools"], {}, await emptyFolder());
    expect(code).toBe(0);
    for (const { name } of tools) expect(out).toMatch(new RegExp(`^ {2}${name.replaceAll(".", "\\.")}$`, "m"));
    expect(out).toMatch(/^ +\[query=<text>\] \[channel=<text>\] \[limit=10\]/m);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("describes one tool in full, also by the name that MCP clients use", async () => {
    const { out } = await runCommand(["tools", "discord_channel_messages"], {}, await emptyFolder());
    expect(out).toMatch(/^discord\.channel\.messages$/m);
    expect(out).toMatch(/^ {4}channel +text, 1 to 200 characters; required/m);
    expect(out).toMatch(/^ {4}limit +number, 1 to \d+; default: 50/m);
    const json = await runCommand(["tools", "discord.guilds", "--json"], {}, await emptyFolder());
    expect(JSON.parse(json.out)).toMatchObject([{ name: "discord.guilds", scope: "directory:read" }]);
  });

  it("says which tools the configuration switches off", async () => {
    const env = { ENABLE_DISCORD_SEARCH_TOOLS: "false" };
    const { out } = await runCommand(["tools"], env, await emptyFolder());
    expect(out).toMatch(/^ {2}search_messages {2}\(switched off in the configuration\)$/m);
    expect(out).toMatch(/^ {2}discord\.guilds$/m);
  });

  it("names the tool that may have been meant", async () => {
    const { code, err } = await runCommand(["tools", "serach"], {}, await emptyFolder());
    expect(code).toBe(1);
    expect(err).toContain("did you mean `search_messages`?");
  });
});

describe("earshot call", () => {
  it("prints what every kind of tool answers in lines for a person, and JSON only when asked", async () => {
    const folder = await emptyFolder();
    const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
    const start = startCommand(["start"], ports, folder);
    await start.prints("Stop with Ctrl-C");
    const port = /127\.0\.0\.1:(\d+)\/api/.exec(start.out)?.[1] ?? "";
    const call = async (...args: string[]) => {
      const words = ["call", ...args, "--as", "sarah", "--in", "general"];
      const { code, out, err } = await runCommand(words, { EARSHOT_SANDBOX_PORT: port }, folder);
      expect(code, err).toBe(0);
      return out;
    };
    expect(await call("search_messages", "query=turtle", "limit=2")).toMatch(
      /^#general\n> \d{4}-\d\d-\d\d \d\d:\d\d \S+: .*turtle.*\n {4}\d{4}-/i,
    );
    expect(await call("search_messages", "query=123456789")).toMatch(/^No messages found matching '123456789'\n/);
    expect(await call("get_channel_summary", 'timeframe="2 days"')).toMatch(/^- .*\[1\]\[2\]\n[\s\S]*\n\[1\] https:/);
    expect(await call("discord.guilds")).toMatch(/^Harbourside \(id \d+\)\n$/);
    expect(await call("memory_read.get_user_facts", "user=sarah")).toMatch(/berth .*pontoon D, number 31\n/);
    expect(await call("rpc.ping")).toBe("pong: true\n");
    expect(await call("discord.send", "text=123")).toMatch(/^message_id: (\d+)\nts: \S+\nmessage_ids:\n {2}- \1\n$/);
    expect(JSON.parse(await call("discord.guilds", "--json"))).toMatchObject({ guilds: [{ name: "Harbourside" }] });
  });

  it("tail ends quietly when the reader of its output has left", async () => {
    const folder = await emptyFolder();
    const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
    const start = startCommand(["start"], ports, folder);
    await start.prints("Stop with Ctrl-C");
    const port = /127\.0\.0\.1:(\d+)\/api/.exec(start.out)?.[1] ?? "";
    const env = { EARSHOT_SANDBOX_PORT: port };
    const tail = runEarshot(["tail"], env, folder);
    await tail.prints("Listening");
    tail.process.stdout?.destroy();
    await runCommand(["say", "--as", "sarah", "--in", "general", "hello"], env, folder);
    expect(await tail.ended).toBe(0);
    expect(tail.err).toBe("");
  });
});
