import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMPILE_CACHE, startCommand } from "../support/program.ts";
import { textOf } from "./arrive.ts";
import { connectNew } from "./clients.ts";

const ASK = fileURLToPath(new URL("../../examples/ask.ts", import.meta.url));
const EARSHOT = fileURLToPath(new URL("../../bin/earshot.js", import.meta.url));
const run = promisify(execFile);

/** The sample community, and ways to ask in it over MCP: as the example does, and in one session of one person. */
async function arrive() {
  const cwd = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("EARSHOT_"));
  const ports = { EARSHOT_SANDBOX_PORT: "0", EARSHOT_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const running = startCommand(["start"], ports, cwd);
  await running.prints("Stop with Ctrl-C");
  const port = /127\.0\.0\.1:(\d+)\/api/.exec(running.out)?.[1] ?? "";
  const env = {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...COMPILE_CACHE,
    EARSHOT_SANDBOX_PORT: port,
  };
  return {
    byExample: (...args: string[]) => run(process.execPath, [ASK, ...args], { cwd, env }).then(({ stdout }) => stdout),
    async session(person: string) {
      const args = [EARSHOT, "mcp", "--as", person];
      const client = await connectNew(
        new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "ignore" }),
      );
      onTestFinished(client.close);
      return async (tool: string, fields: Record<string, unknown>) => textOf(await client.call(tool, fields));
    },
  };
}

describe("example questions about the sample community, asked over MCP", () => {
  it("are answered with the right messages", async () => {
    const { byExample, session } = await arrive();

    // What did I say about turtles earlier?
    const about = ["user_name=me", "query=turtles", "since=8 hours ago"];
    const turtles = await byExample("sarah", "search_user_messages", ...about);
    expect(turtles).toContain("Sarah: morning! You won't believe it: the loggerhead is back.");
    expect(turtles.match(/^m\d+ .*$/gm)?.filter((line) => !/^m\d+ (?:\[[^\]]+\] )?Sarah: /.test(line))).toEqual([]);

    // What has Sarah been talking about today?
    const ask = await session("mark");
    const today = await ask("search_user_messages", { user_name: "Sarah", since: "8 hours ago", limit: 5 });
    expect(today.match(/^m\d+ .*$/gm)?.filter((line) => /^m\d+ (?:\[[^\]]+\] )?Sarah: /.test(line))).toHaveLength(5);
    expect(today).toContain("More with cursor");

    // Find where we discussed the project deadline
    const deadline = await ask("search_messages", { query: "Find where we discussed the project deadline" });
    expect(deadline).toMatch(/^#tideboard$/m);
    // The one joke with the word "project" is not what was meant.
    expect(deadline.match(/^m\d+ .*$/m)?.[0]).toContain("deadline");
    expect(deadline).toContain("**Correction:** the demo and so the deadline is the **26th**, not the 25th");
    expect(deadline).toContain("**Decision on the deadline:** we move it from the 18th to the 25th.");

    // Catch me up on the tide board
    const week = await ask("get_channel_summary", { channel: "tideboard", timeframe: "past week", limit: 600 });
    expect(week).toContain("the demo and so the deadline is the 26th");
    expect(week).toMatch(/Rests on \d+ messages\./);

    // A newcomer is told nothing of the staff's rooms.
    expect(await ask("get_recent_messages", { channel: "harbour-office" })).toContain("Could not find channel");
  });
});
