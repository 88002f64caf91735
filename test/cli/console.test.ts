import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand, startCommand } from "../support/program.ts";
import { HAS_TERMINAL, runInTerminal } from "../support/terminal.ts";

const ENV = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-console-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("the way into the console", () => {
  it("earshot start prints no link where its output may be kept, and earshot console prints one that opens a session", async () => {
    const folder = await makeFolder();
    const running = startCommand(["start"], { ...ENV, EARSHOT_LOG_LEVEL: "debug" }, folder);
    await running.prints("Stop with");
    expect(running.out).toContain("Console     npx earshot console prints a link to it");
    const { code, out } = await runCommand(["console"], {}, folder);
    expect(code).toBe(0);
    const [, url = "", secret = ""] = /^(http:\/\/127\.0\.0\.1:\d+)\/#open=(\w+)\n/.exec(out) ?? [];
    const answer = await fetch(`${url}/console/session/open`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ code: secret }),
    });
    expect(answer.status).toBe(200);
    expect(running.out + running.err).not.toContain("#open=");
    expect(running.out + running.err).not.toContain(secret);
  });

  it("earshot start says that the console is off, and earshot console refuses", async () => {
    const folder = await makeFolder();
    const running = startCommand(["start"], { ...ENV, EARSHOT_CONSOLE: "off" }, folder);
    await running.prints("Stop with");
    expect(running.out).toContain("Console     off: EARSHOT_CONSOLE is off");
    const { code, err } = await runCommand(["console"], {}, folder);
    expect(code).not.toBe(0);
    expect(err).toContain("The console is off: EARSHOT_CONSOLE is off.");
  });

  // Needs `script` of util-linux.
  it.skipIf(!HAS_TERMINAL)("earshot start prints a link to a person at a terminal", async () => {
    const terminal = runInTerminal(["start"], ENV, await makeFolder());
    await terminal.shows(/Console {5}http:\/\/127\.0\.0\.1:\d+\/#open=\w{36} \(opens once, within 5 minutes\)/);
  });
});
