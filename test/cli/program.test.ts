import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runEarshot } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const CANARY = "the heron keeps the spare key";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("earshot", () => {
  it("explains itself", async () => {
    const help = runEarshot(["--help"]);
    expect(await help.ended).toBe(0);
    for (const command of ["start", "tail", "say", "doctor", "sandbox"])
      expect(help.out).toMatch(new RegExp(`^ {2}${command} +\\S`, "m"));
    expect(help.out).toContain("EARSHOT_DISCORD_TOKEN");
    const tail = runEarshot(["tail", "--help"]);
    expect(await tail.ended).toBe(0);
    expect(tail.out).toContain("--json");
  });

  it.each([
    [["fly"], "There is no command"],
    [["tail", "--loud"], "Usage: earshot tail"],
    [["tail", "--last", "x"], "--last must be"],
    [["tail", "--last", "5"], "--last needs --in"],
    [["say", "hello"], "Say who, where and what"],
    [["sandbox", "--messages", "-4"], "Usage: earshot sandbox"],
    [["sandbox", "--messages", "2e9"], "--messages must be"],
  ])("refuses %j in one line", async (args, message) => {
    const program = runEarshot(args, { EARSHOT_SANDBOX_PORT: "1" });
    expect(await program.ended).toBe(1);
    expect(program.err).toContain(message);
    expect(program.err.trim().split("\n")).toHaveLength(1);
    expect(program.out).toBe("");
  });

  it("says which port is taken", async () => {
    const sandbox = await openTestSandbox();
    const port = new URL(sandbox.url).port;
    const program = runEarshot(["start"], { EARSHOT_SANDBOX_PORT: port });
    expect(await program.ended).toBe(1);
    expect(program.err).toContain(`Port ${port} is taken`);
    expect(program.err.trim().split("\n")).toHaveLength(1);
  });

  it("runs on its own sandbox, where people can be watched and spoken for", async () => {
    const folder = await emptyFolder();
    const start = runEarshot(["start"], { EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" }, folder);
    await start.prints("Stop with Ctrl-C");
    const port = /127\.0\.0\.1:(\d+)/.exec(start.out)?.[1] ?? "";
    const here = { EARSHOT_SANDBOX_PORT: port };
    const tail = runEarshot(["tail", "--in", "general", "--last", "3"], here, folder);
    await tail.prints("Listening in #general");
    expect(
      tail.out.split("\n").filter((line) => line.includes("#general") && !line.startsWith("Listening")),
    ).toHaveLength(3);
    const say = runEarshot(["say", "--as", "sarah", "--in", "general", "hello\u001b[2J there"], here, folder);
    expect(await say.ended).toBe(0);
    await tail.prints("#general Sarah: hello[2J there");
    expect(tail.out).not.toContain("\u001b");
    const denied = runEarshot(["say", "--as", "sarah", "--in", "humans-only", "hi"], here, folder);
    const doctor = runEarshot(["doctor"], here, folder);
    expect(await doctor.ended).toBe(0);
    expect(doctor.out).toContain("✓ server Harbourside");
    expect(doctor.out).toMatch(/permissions=\d+/);
    expect(await denied.ended).toBe(0);
    tail.process.kill("SIGINT");
    start.process.kill("SIGTERM");
    expect([await tail.ended, await start.ended]).toEqual([0, 0]);
  });

  it("logs neither tokens nor what is said, even at its most talkative, and stores nothing of it", async () => {
    const sandbox = await openTestSandbox();
    const folder = await emptyFolder();
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_LOG_LEVEL: "debug" };
    const start = runEarshot(["start"], env, folder);
    await start.prints("Stop with Ctrl-C");
    sandbox.as("sarah").say("general", CANARY);
    sandbox.faults.cutSocket();
    await start.prints("Resumed and replayed");
    start.process.kill("SIGTERM");
    expect(await start.ended).toBe(0);
    const stored = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = await Promise.all(
      stored.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")),
    );
    expect(files.length).toBe(1);
    for (const text of [start.out, start.err, ...files]) {
      expect(text).not.toContain(sandbox.token);
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain("Skipper");
    }
  });

  it("reports after a sudden death and a restart the whole time in which it was deaf", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const folder = await emptyFolder();
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api };
    const first = runEarshot(["start"], env, folder);
    await first.prints("Stop with Ctrl-C");
    expect(first.err).not.toContain("may have been missed");
    first.process.kill("SIGKILL");
    await first.ended;
    const missed = sandbox.as("sarah").say("general", "anyone?");
    const second = runEarshot(["start"], env, folder);
    await second.prints("Stop with Ctrl-C");
    const line = second.err.split("\n").find((one) => one.includes("may have been missed"));
    const gap = JSON.parse(line ?? "{}") as { reason?: string; from?: string; to?: string };
    expect(gap.reason).toBe("restart");
    expect(Date.parse(gap.from ?? "")).toBeLessThanOrEqual(missed.timestamp);
    expect(Date.parse(gap.to ?? "")).toBeGreaterThanOrEqual(missed.timestamp);
  });

  it("tells what to do when the token is refused or nobody answers", async () => {
    const sandbox = await openTestSandbox();
    const wrong = runEarshot(["doctor"], { EARSHOT_DISCORD_TOKEN: "wrong", EARSHOT_DISCORD_API: sandbox.api });
    expect(await wrong.ended).toBe(1);
    expect(wrong.out).toContain("✗ connection: Discord does not accept the bot token");
    expect(wrong.out).toContain("Reset Token");
    const nobody = runEarshot(["doctor"], {
      EARSHOT_DISCORD_TOKEN: "x",
      EARSHOT_DISCORD_API: "http://127.0.0.1:1/api",
    });
    expect(await nobody.ended).toBe(1);
    expect(nobody.out).toContain("cannot be reached");
    const start = runEarshot(["start"], { EARSHOT_DISCORD_TOKEN: "wrong", EARSHOT_DISCORD_API: sandbox.api });
    expect(await start.ended).toBe(1);
    expect(start.err.trim().split("\n")).toHaveLength(1);
  });

  it("tells which permissions are missing where", async () => {
    const sandbox = await openTestSandbox();
    sandbox.admin.setPrivileged("earshot", { messageContent: false });
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
    const doctor = runEarshot(["doctor"], { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api });
    expect(await doctor.ended).toBe(0);
    expect(doctor.out).toContain("! #general: cannot be read; missing Read Message History");
    expect(doctor.out).toContain("! intent MESSAGE_CONTENT is switched off in the developer portal");
    expect(doctor.out).toMatch(/1 channels? (is|are) hidden/);
    expect(doctor.out).not.toContain("staff-room");
  });

  it("says all that is wrong with the configuration", async () => {
    const program = runEarshot(["start"], { EARSHOT_SANDBOX_PORT: "http", EARSHOT_MEMBERS: "some" });
    expect(await program.ended).toBe(1);
    expect(program.err.trim().split("\n")).toHaveLength(3);
  });
});
