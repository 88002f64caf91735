import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMount } from "../deploy/scratch-root.ts";
import { runCommand, runEarshot } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { HAS_TERMINAL, runInTerminal } from "../support/terminal.ts";

const WHY = HAS_TERMINAL ? "" : " (skipped: script and stty, which give a pseudo terminal, are missing)";
/** Whether a folder can be made that this user cannot write to. */
const CAN_REFUSE = process.getuid?.() !== 0 || canMount();
const STOPPED = "Stopped; nothing was written.";
const TOKEN_PROMPT = "Bot token (not shown): ";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-set-up-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Permissions do not keep root from writing: a read-only file system does. */
function makeReadOnly(folder: string): void {
  if (process.getuid?.() === 0) {
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "none", folder]);
    onTestFinished(() => void execFileSync("umount", [folder]));
  } else chmodSync(folder, 0o555);
}

/** A bot with both intents off that is in no server. */
async function arrive() {
  const requests: string[] = [];
  const sandbox = await openTestSandbox({ rateLimits: false, onResponse: ({ path }) => void requests.push(path) });
  sandbox.admin.setPrivileged("earshot", { messageContent: false, members: false });
  sandbox.admin.removeMember("earshot");
  const env = { EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0", EARSHOT_LOG_LEVEL: "error" };
  return { sandbox, requests, env, folder: await emptyFolder() };
}

async function openTokenPrompt(env: Record<string, string>, folder: string) {
  const terminal = runInTerminal([], env, folder);
  await terminal.shows("1 or 2? ");
  terminal.type("2\r");
  await terminal.shows(TOKEN_PROMPT);
  return terminal;
}

describe.skipIf(!HAS_TERMINAL)(`earshot without a command, at a terminal${WHY}`, () => {
  it("asks for the token unseen, waits for the intents and a server without a session, writes both files and starts", async () => {
    const { sandbox, requests, env, folder } = await arrive();
    const terminal = await openTokenPrompt(env, folder);
    expect(terminal.echoes()).toBe(false);
    terminal.type(`  "Bot ${sandbox.token}" \r`);
    await terminal.shows("✓ Discord accepts the token, as ");
    await terminal.shows("Switch on Message Content Intent and Server Members Intent under");
    await terminal.shows(/https:\/\/discord\.com\/developers\/applications\/\d+\/bot/);
    sandbox.admin.setPrivileged("earshot", { messageContent: true, members: true });
    await terminal.shows("✓ The intents are on.");
    await terminal.shows(/oauth2\/authorize\?client_id=\d+&scope=bot\+applications\.commands&permissions=\d+/);
    await terminal.shows("Read Message History      read what was said before");
    expect(readdirSync(folder)).toEqual([]);
    expect(requests.filter((path) => path.includes("gateway"))).toEqual([]);
    sandbox.admin.addMember("earshot");
    await terminal.shows("✓ The bot is in Quay.");
    await terminal.shows("Stop with Ctrl-C");
    for (const name of ["earshot.config.jsonc", "earshot.token"])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "earshot.token"), "utf8")).toBe(`${sandbox.token}\n`);
    expect(readFileSync(join(folder, "earshot.config.jsonc"), "utf8")).not.toContain(sandbox.token);
    terminal.type("\u0003");
    expect(await terminal.ended).toEqual({ code: 0, echoes: true });
    expect(terminal.shown).not.toContain(sandbox.token);
    // The next one asks nothing.
    const again = runInTerminal([], { EARSHOT_PORT: "0" }, folder);
    await again.shows("Stop with Ctrl-C");
    expect(again.shown).not.toContain("1 or 2?");
  });

  it.each<[string, (terminal: Awaited<ReturnType<typeof openTokenPrompt>>) => void]>([
    ["Ctrl-C", (terminal) => terminal.type("half-a-token\u0003")],
    ["the end of input", (terminal) => terminal.type("half-a-token\u0004")],
    ["SIGINT", (terminal) => terminal.kill("SIGINT")],
    ["SIGQUIT", (terminal) => terminal.kill("SIGQUIT")],
    ["SIGHUP", (terminal) => terminal.kill("SIGHUP")],
    ["SIGTERM", (terminal) => terminal.kill("SIGTERM")],
  ])("%s while the token is typed restores the echo, and nothing is written", async (_, stop) => {
    const { env, folder } = { env: { EARSHOT_DISCORD_API: "http://127.0.0.1:1/api" }, folder: await emptyFolder() };
    const terminal = await openTokenPrompt(env, folder);
    expect(terminal.echoes()).toBe(false);
    stop(terminal);
    expect(await terminal.ended).toEqual({ code: 130, echoes: true });
    expect(terminal.shown).toContain(STOPPED);
    expect(terminal.shown).not.toContain("half-a-token");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("Ctrl-C at every other question and wait ends with one sentence, and nothing is written", async () => {
    const { sandbox, env, folder } = await arrive();
    const first = runInTerminal([], env, folder);
    await first.shows("1 or 2? ");
    first.type("\u0003");
    const intents = await openTokenPrompt(env, folder);
    intents.type(`${sandbox.token}\r`);
    await intents.shows("Waiting for that");
    intents.type("\u0003");
    const server = await openTokenPrompt(env, folder);
    server.type(`${sandbox.token}\r`);
    await server.shows("Waiting for that");
    server.type("\r");
    await server.shows("Waiting until it is in a server");
    await expect.poll(() => server.echoes()).toBe(true);
    server.type("\u0003");
    for (const terminal of [first, intents, server]) {
      expect(await terminal.ended).toEqual({ code: 130, echoes: true });
      expect(terminal.shown.split(STOPPED)).toHaveLength(2);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a wrong token is asked for again, three times, and an unreachable Discord ends it; nothing is written", async () => {
    const { env, folder } = await arrive();
    const wrong = await openTokenPrompt(env, folder);
    wrong.type("not a token\r");
    await wrong.shows("That is no bot token");
    for (const times of [1, 2, 3]) {
      wrong.type("wrong\r");
      if (times < 3) await expect.poll(() => wrong.shown.split("does not accept this token").length).toBe(times + 1);
    }
    expect((await wrong.ended).code).toBe(65);
    const nobody = await openTokenPrompt({ EARSHOT_DISCORD_API: "http://127.0.0.1:1/api" }, folder);
    nobody.type("token\r");
    expect((await nobody.ended).code).toBe(1);
    expect(nobody.shown).toContain("Discord cannot be reached; check the address and the network.");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(!CAN_REFUSE).each(["1", "2"])(
    "answer %s in a folder that cannot be written to ends with one sentence",
    async (answer) => {
      const folder = await emptyFolder();
      makeReadOnly(folder);
      const terminal = runInTerminal([], { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0" }, folder);
      await terminal.shows("1 or 2? ");
      terminal.type(`${answer}\r`);
      expect(await terminal.ended).toEqual({ code: 64, echoes: true });
      expect(terminal.shown.split("cannot be used: ")).toHaveLength(2);
      expect(terminal.shown).not.toContain(TOKEN_PROMPT);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("asks nothing in CI, and nothing for start", async () => {
    const folder = await emptyFolder();
    const ci = runInTerminal([], { CI: "true" }, folder);
    expect((await ci.ended).code).toBe(64);
    expect(ci.shown).not.toContain("1 or 2?");
    const start = runInTerminal(["start"], { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0" }, folder);
    await start.shows("the embedded sandbox");
    expect(start.shown).not.toContain("1 or 2?");
  });
});

describe("the configuration", () => {
  it("is asked for only at a terminal: elsewhere, earshot without a command ends with one sentence", async () => {
    const folder = await emptyFolder();
    const program = runEarshot([], {}, folder);
    expect(await program.ended).toBe(64);
    expect(program.err).toMatch(/^Without a command, earshot asks how to start, .*\n$/);
    expect([program.out, readdirSync(folder)]).toEqual(["", []]);
  });

  it("is written by earshot init, without a question, with the token of the environment, and never overwritten", async () => {
    const [plain, folder] = [await emptyFolder(), await emptyFolder()];
    expect((await runCommand(["init"], {}, plain)).code).toBe(0);
    expect(readdirSync(plain)).toEqual(["earshot.config.jsonc"]);
    expect((await runCommand(["tools"], {}, plain)).err).not.toContain("The configuration has");
    const { code, out } = await runCommand(["init"], { EARSHOT_DISCORD_TOKEN: "canary.token" }, folder);
    expect([code, out]).toEqual([0, expect.stringContaining(join(folder, "earshot.config.jsonc"))]);
    expect(out).not.toContain("canary");
    expect(readFileSync(join(folder, "earshot.token"), "utf8")).toBe("canary.token\n");
    for (const name of ["earshot.config.jsonc", "earshot.token"])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    await writeFile(join(folder, "earshot.config.jsonc"), "{}");
    const second = await runCommand(["init"], { EARSHOT_DISCORD_TOKEN: "other" }, folder);
    expect([second.code, second.err]).toEqual([
      64,
      expect.stringMatching(/exists already, and is never overwritten.*\n$/),
    ]);
    expect(readFileSync(join(folder, "earshot.config.jsonc"), "utf8")).toBe("{}");
    expect(readFileSync(join(folder, "earshot.token"), "utf8")).toBe("canary.token\n");
  });
});
