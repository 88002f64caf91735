import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand, runEarshot, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";

const CANARY = "the heron keeps the spare key";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("earshot", () => {
  it("prints its usage", async () => {
    const help = runEarshot(["--help"]);
    expect(await help.ended).toBe(0);
    for (const command of [
      "start",
      "status",
      "tail",
      "ask",
      "call",
      "window",
      "say",
      "confirm",
      "privacy",
      "audit",
      "doctor",
      "token",
      "sandbox",
    ])
      expect(help.out).toMatch(new RegExp(`^ {2}${command} +\\S`, "m"));
    expect(help.out).toContain("EARSHOT_DISCORD_TOKEN");
    expect(await runCommand(["tail", "--help"])).toMatchObject({ code: 0, out: expect.stringContaining("--json") });
  });

  it("exits with 1 and writes one line to standard error when it refuses a command", async () => {
    const program = runEarshot(["tail"], { EARSHOT_SANDBOX_PORT: "1" }, await emptyFolder());
    expect(await program.ended).toBe(1);
    expect(program.err).toMatch(/^.*does not seem to run here.*\n$/);
    expect(program.out).toBe("");
  });

  it.each([
    [["fly"], "There is no command"],
    [["tail", "--loud"], "There is no option --loud. Usage: earshot tail"],
    [["tail", "--jsno"], "There is no option --jsno; did you mean --json?"],
    [["status", "more"], "earshot status takes no arguments besides its options."],
    [["sandbox", "--messages"], "An option lacks its value"],
    [["tail"], "does not seem to run here"],
    [["call"], "Which tool?"],
    [["call", "discord.guilds", "x"], "not of the form key=value"],
    [["call", "discord.guilds", "=x"], "not of the form key=value"],
    [["call", "discord.guilds", "a b=x"], "not of the form key=value"],
    [["window", "--as", "sarah"], "does not seem to run here"],
    [["ask", "--as", "sarah", "--in", "general"], "Give a question"],
    [["privacy", "show"], "Name the person: npx earshot privacy show --as <person>"],
    [["privacy", "leave-me-otu", "--as", "x"], "There is no action `leave-me-otu`; did you mean `leave-me-out`?"],
    [["memory", "list", "--as", "sarah"], 'No Earshot answers here that could know "sarah". Start it, or use the id'],
    [["privcay"], 'There is no command "privcay"; did you mean privacy?'],
    [["privacy", "show", "--sa", "x"], "There is no option --sa; did you mean --as?"],
    [["privacy", "show", "--as", "x"], "does not seem to run here"],
    [["token"], "Give the client a name"],
    [["say", "hello"], "Name the person, the channel and the text"],
    [["sandbox", "--messages", "-4"], "Usage: earshot sandbox"],
    [["sandbox", "--messages", "2e9"], "--messages must be"],
  ])("rejects %j with a one-line error", async (args, message) => {
    const { code, err, out } = await runCommand(args, { EARSHOT_SANDBOX_PORT: "1" }, await emptyFolder());
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(out).toBe("");
  });

  // Not read from the folder.
  it.skipIf(IS_ON_POSTGRES)(
    "says that a data folder cannot be read, and which one, instead of that nothing is kept there",
    async () => {
      const folder = await emptyFolder();
      const file = join(folder, "a-file");
      await writeFile(file, "");
      const broken = await runCommand(["audit"], { EARSHOT_DATA_DIR: file }, folder);
      expect([broken.code, broken.err]).toEqual([
        64,
        expect.stringContaining(`The data folder ${file} cannot be read`),
      ]);
      const missing = join(folder, "none");
      const empty = await runCommand(["audit"], { EARSHOT_DATA_DIR: missing }, folder);
      expect([empty.code, empty.err]).toEqual([1, `Nothing has been kept in ${missing} yet.\n`]);
    },
  );

  it("refuses toolsets that do not exist, and lists those that do", async () => {
    const folder = await emptyFolder();
    await writeFile(
      join(folder, "earshot.config.json"),
      JSON.stringify({ policy: { toolsets: ["discord", "serach"] } }),
    );
    const { code, err } = await runCommand(["start"], { EARSHOT_SANDBOX_PORT: "0", EARSHOT_PORT: "0" }, folder);
    expect(code).toBe(64);
    expect(err).toContain('policy.toolsets in the configuration: There is no toolset "serach"; did you mean "search"?');
    expect(err).toContain("Toolsets are discord, search, context, memory");
  });

  it("ends quietly when the reader of its output leaves early", async () => {
    const help = runEarshot(["--help"]);
    help.process.stdout?.destroy();
    expect(await help.ended).toBe(0);
    expect(help.err).toBe("");
  });

  it("says which port is taken", async () => {
    const sandbox = await openTestSandbox();
    const port = new URL(sandbox.url).port;
    const program = await runCommand(["start"], { EARSHOT_SANDBOX_PORT: port, EARSHOT_PORT: "0" }, await emptyFolder());
    expect(program.code).toBe(66);
    expect(program.err).toContain(`Port ${port} is taken`);
    expect(program.err.trim().split("\n")).toHaveLength(1);
  });

  it("a second start is refused while the first one runs, and tail ends with the first one and says so", async () => {
    const folder = await emptyFolder();
    const env = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
    const start = startCommand(["start"], env, folder);
    await start.prints("Stop with Ctrl-C");
    const second = await runCommand(["start"], env, folder);
    expect([second.code, second.err]).toEqual([67, expect.stringMatching(/another Earshot/i)]);
    const tail = startCommand(["tail"], env, folder);
    await tail.prints("Listening");
    start.stop();
    expect([await tail.ended, tail.err]).toEqual([
      1,
      "The connection to Earshot was lost. Repeat this when it runs again.\n",
    ]);
  });

  it("runs on its own sandbox, with commands to watch people, to speak as them and to call tools for them", async () => {
    const folder = await emptyFolder();
    const start = startCommand(
      ["start"],
      { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" },
      folder,
    );
    await start.prints("Stop with Ctrl-C");
    const port = /127\.0\.0\.1:(\d+)\/api/.exec(start.out)?.[1] ?? "";
    const env = { EARSHOT_SANDBOX_PORT: port };
    const run = (...args: string[]) => runCommand(args, env, folder);
    const tail = runEarshot(["tail", "--in", "general"], env, folder);
    await tail.prints("Listening in general");
    expect(await run("say", "--as", "sarah", "--in", "general", "hello\u001b[2J there")).toMatchObject({ code: 0 });
    await tail.prints("#general Sarah: hello[2J there");
    expect(tail.out).not.toContain("\u001b");

    const search = await run(
      "call",
      "discord.search.window",
      "--as",
      "sarah",
      "--in",
      "general",
      "query=loggerhead",
      "scan=500",
    );
    expect(search.code).toBe(0);
    expect(search.out).toMatch(/ Sarah: .*loggerhead/i);
    expect(search.out).toMatch(/\(looked at \d+ messages back to /);
    const json = await run("call", "discord/channel.messages", "--as", "sarah", "--in", "general", "limit=2", "--json");
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out).messages).toHaveLength(2);
    const unknown = await run(
      "call",
      "discord.channel.messages",
      "--as",
      "sarah",
      "--in",
      "general",
      "größe=1",
      "Limit=1",
    );
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain("There is no field `größe`");
    expect(unknown.err).toContain("There is no field `Limit`; did you mean `limit`?");
    const denied = await run("call", "discord.channel.messages", "--as", "sarah", "--in", "harbour-office");
    expect(denied.code).toBe(1);
    expect(denied.err).toContain("no such channel");
    const window = await run("window", "--as", "sarah", "--in", "general", "--max-tokens", "800");
    expect(window.code).toBe(0);
    expect(window.out).toMatch(/^── window, about \d+ tokens\n⟦untrusted \S+ · window of channel "general"/);
    expect(window.out).toContain("[recent channel context]\n\n");
    expect(window.out).toMatch(/^ {2}(you: )?hello\[2J there$/m);
    expect(window.out).toMatch(/\nIn all about \d+ tokens\.\n$/);
    const wrong = await run("window", "--as", "sarah", "--in", "general", "--max-tokens", "many");
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('--max-tokens: "many" is not a whole number');
    const mistyped = await run("ask", "--as", "sarah", "--in", "#generl", "what did I miss?");
    expect(mistyped.err.trim()).toBe("No channel called '#generl' is known. Did you mean general?");
    const asking = ["ask", "--as", "sarah", "--in", "general"];
    const asked = await run(...asking, "what did I say about the loggerhead?");
    expect(asked.code).toBe(0);
    expect(asked.out).toMatch(/loggerhead.*\[1\]\n/);
    expect(asked.out).toMatch(/\n\[1\] https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+\n/);
    const greeting = await run(...asking, "hello", "--json");
    expect(greeting.code).toBe(0);
    expect(JSON.parse(greeting.out)).toMatchObject({ text: expect.stringMatching(/^Hello!/), sources: [] });
    const doctor = await run("doctor");
    expect(doctor.code).toBe(0);
    expect(doctor.out).toContain(" server Harbourside: reads 28 of the 28 channels that the bot sees");
    expect(doctor.out).toContain("✓ model: none is set, and none is needed; to use one, set EARSHOT_MODEL");
    expect(doctor.out).not.toContain("Invite link");

    tail.process.kill("SIGINT");
    expect(await tail.ended).toBe(0);
    start.stop();
    expect(await start.ended).toBe(0);
    const late = await run("tail");
    expect(late.code).toBe(1);
    expect(late.err).toContain("does not seem to run here");
  });

  it("runs a sandbox alone, for any bot", async () => {
    const sandbox = runEarshot(["sandbox", "--port", "0", "--messages", "500", "--seed", "3"]);
    await sandbox.prints("Stop with Ctrl-C");
    const [, api, token] = /API base +(\S+)[\s\S]*Bot token +(\S+)/.exec(sandbox.out) ?? [];
    const response = await fetch(`${api}/v10/users/@me/guilds`, { headers: { authorization: `Bot ${token}` } });
    expect(await response.json()).toMatchObject([{ name: "Generated 3" }]);
    sandbox.process.kill("SIGINT");
    expect(await sandbox.ended).toBe(0);
  });

  it("creates a token of which the configuration contains only the hash", async () => {
    const token = await runCommand(["token", "brain"]);
    expect(token.code).toBe(0);
    const secret = /^ {2}([\w-]{43})$/m.exec(token.out)?.[1] ?? "";
    const entry = JSON.parse(/^ {2}\{$[\s\S]*^ {2}\}$/m.exec(token.out)?.[0] ?? "");
    expect(entry.tokenSha256).toBe(createHash("sha256").update(secret).digest("hex"));
    expect(token.out.split(secret)).toHaveLength(2);
  });

  it("neither logs nor stores tokens and messages, even at the most verbose log level", async () => {
    const sandbox = await openTestSandbox();
    const folder = await emptyFolder();
    const env = {
      EARSHOT_DISCORD_TOKEN: sandbox.token,
      EARSHOT_DISCORD_API: sandbox.api,
      EARSHOT_LOG_LEVEL: "debug",
      EARSHOT_PORT: "0",
    };
    const start = runEarshot(["start"], env, folder);
    await start.prints("Stop with Ctrl-C");
    sandbox.as("sarah").say("general", CANARY);
    sandbox.faults.cutSocket();
    await start.prints("Resumed and replayed");
    start.process.kill("SIGTERM");
    expect(await start.ended).toBe(0);
    const stored = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const kept = stored.map(({ name }) => name).sort();
    const databases = ["earshot.db", "earshot.db.lock", "keys.db", "keys.db.lock"];
    expect(kept).toEqual(["audit.key", ...(IS_ON_POSTGRES ? [] : databases)]);
    const files = await Promise.all(stored.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")));
    for (const text of [start.out, start.err, ...files]) {
      expect(text).not.toContain(sandbox.token);
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain("Skipper");
    }
  });

  it("reports a gap for the whole time it was down after a kill and a restart", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const folder = await emptyFolder();
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
    const first = runEarshot(["start"], env, folder);
    await first.prints("Stop with Ctrl-C");
    expect(first.err).not.toContain("may have been missed");
    first.process.kill("SIGKILL");
    await first.ended;
    const missed = sandbox.as("sarah").say("general", "anyone?");
    const second = startCommand(["start"], env, folder);
    await second.prints("Stop with Ctrl-C");
    const line = second.err.split("\n").find((one) => one.includes("may have been missed"));
    const gap = JSON.parse(line ?? "{}") as { reason?: string; from?: string; to?: string };
    expect(gap.reason).toBe("restart");
    expect(Date.parse(gap.from ?? "")).toBeLessThanOrEqual(missed.timestamp);
    expect(Date.parse(gap.to ?? "")).toBeGreaterThanOrEqual(missed.timestamp);
  });

  it("says what to do when the token is refused or Discord does not answer", async () => {
    const sandbox = await openTestSandbox();
    const wrong = await runCommand(["doctor"], { EARSHOT_DISCORD_TOKEN: "wrong", EARSHOT_DISCORD_API: sandbox.api });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain("✗ connection: Discord does not accept the bot token");
    expect(wrong.out).toContain("Reset Token");
    const nobody = await runCommand(["doctor"], {
      EARSHOT_DISCORD_TOKEN: "x",
      EARSHOT_DISCORD_API: "http://127.0.0.1:1/api",
    });
    expect(nobody.code).toBe(1);
    expect(nobody.out).toContain("cannot be reached");
    const start = await runCommand(
      ["start"],
      { EARSHOT_DISCORD_TOKEN: "wrong", EARSHOT_DISCORD_API: sandbox.api },
      await emptyFolder(),
    );
    expect(start.code).toBe(65);
    expect(start.err.trim().split("\n")).toHaveLength(1);
  });

  it("says which permissions are missing in which channel", async () => {
    const sandbox = await openTestSandbox();
    sandbox.admin.setPrivileged("earshot", { messageContent: false });
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
    const doctor = await runCommand(["doctor"], {
      EARSHOT_DISCORD_TOKEN: sandbox.token,
      EARSHOT_DISCORD_API: sandbox.api,
    });
    expect(doctor.code).toBe(0);
    expect(doctor.out).toContain("! #general: cannot be read; missing Read Message History");
    expect(doctor.out).toContain("! intent MESSAGE_CONTENT is switched off in the developer portal");
    expect(doctor.out).not.toContain("staff-room");
  });

  it("lists all problems of the configuration", async () => {
    const program = await runCommand(["start"], { EARSHOT_SANDBOX_PORT: "http", EARSHOT_MEMBERS: "some" });
    expect(program.code).toBe(64);
    expect(program.err.trim().split("\n")).toHaveLength(3);
  });
});
