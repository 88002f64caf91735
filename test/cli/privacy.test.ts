import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("earshot privacy", () => {
  it("leaves a person of the embedded sandbox out of searches, and includes them again", async () => {
    const folder = await emptyFolder();
    const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
    const running = startCommand(["start"], ports, folder);
    await running.prints("Stop with Ctrl-C");
    const port = /127\.0\.0\.1:(\d+)\/api/.exec(running.out)?.[1] ?? "";
    const run = (...args: string[]) => runCommand(args, { EARSHOT_SANDBOX_PORT: port }, folder);
    const state = async () => JSON.parse((await run("privacy", "show", "--as", "sarah", "--json")).out).state;
    const search = () =>
      run("call", "search_messages", "--as", "mark", "--in", "general", "--text", "query=loggerhead");
    expect(await state()).toBe("included");
    expect((await search()).out).toContain("Sarah: morning! You won't believe it");

    const left = await run("privacy", "leave-me-out", "--as", "sarah");
    expect(left).toMatchObject({ code: 0, err: "" });
    expect(left.out).toContain("Your messages are left out from now on");
    expect(await state()).toBe("left_out");
    expect((await search()).out).not.toContain("Sarah: morning!");

    const included = await run("privacy", "include-me", "--as", "sarah", "--json");
    expect(JSON.parse(included.out)).toMatchObject({ state: "included" });
    await run("privacy", "leave-me-out", "--as", "sarah");
    const refused = await run("privacy", "include-me", "--as", "sarah");
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("wait ten minutes");
  });

  it("shows a person's state on a real server, and says that only the person can change it", async () => {
    const sandbox = await openTestSandbox();
    const folder = await emptyFolder();
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
    const running = startCommand(["start"], env, folder);
    await running.prints("Stop with Ctrl-C");
    const { id } = sandbox.as("sarah");
    const shown = await runCommand(["privacy", "show", "--as", id], env, folder);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/^Your messages are used\./);
    const change = await runCommand(["privacy", "leave-me-out", "--as", id], env, folder);
    expect(change.code).toBe(1);
    expect(change.err).toBe("Only the person can do that, in Discord itself: /privacy leave-me-out\n");
  });
});
