import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SandboxOptions } from "../../sandbox/index.ts";
import { until } from "../support/edge.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";

async function arrive(options: SandboxOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "earshot-data-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sandbox = await openTestSandbox({ rateLimits: false, ...options });
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  return { sandbox, folder, env, data: join(folder, ".earshot") };
}

describe("a start", () => {
  it("ends with a sentence about the file in the data folder that cannot be written", async () => {
    const { folder, env, data } = await arrive();
    const inTheWay = join(data, "operator-access.json");
    await mkdir(inTheWay, { recursive: true });
    const { code, err } = await runCommand(["start"], env, folder);
    expect([code, err]).toEqual([64, expect.stringContaining(`${inTheWay} cannot be used: the system says `)]);
  });

  it("is refused without a token where EARSHOT_REQUIRE_TOKEN asks for one, instead of running on the sandbox", async () => {
    const { folder, data } = await arrive();
    const { code, err } = await runCommand(["start"], { EARSHOT_REQUIRE_TOKEN: "1", EARSHOT_PORT: "0" }, folder);
    expect([code, err]).toEqual([64, expect.stringMatching(/^There is no bot token, and EARSHOT_REQUIRE_TOKEN .*\n$/)]);
    expect(existsSync(data)).toBe(false);
  });

  it("that is refused because of a taken port leaves no files behind in a folder that had none", async () => {
    const { sandbox, folder, env, data } = await arrive();
    const taken = { ...env, EARSHOT_PORT: new URL(sandbox.url).port };
    expect((await runCommand(["start"], taken, folder)).code).toBe(66);
    expect(existsSync(data)).toBe(false);
    await mkdir(data);
    await writeFile(join(data, "notes.txt"), "mine");
    expect((await runCommand(["start"], taken, folder)).code).toBe(66);
    expect(readdirSync(data)).toEqual(["notes.txt"]);
  });

  it("asks Discord once with a wrong token, and not again for ten minutes, across restarts; another token is tried at once", async () => {
    const requests: string[] = [];
    const { sandbox, folder, env, data } = await arrive({ onResponse: ({ path }) => void requests.push(path) });
    const wrong = { ...env, EARSHOT_DISCORD_TOKEN: "wrong" };
    const first = await runCommand(["start"], wrong, folder);
    expect([first.code, first.err]).toEqual([
      65,
      expect.stringMatching(/^Discord does not accept the bot token;.*\n$/),
    ]);
    // In PostgreSQL, the audit with this key has begun.
    expect(readdirSync(data)).toEqual([...(IS_ON_POSTGRES ? ["audit.key"] : []), "token-refused.json"]);
    const note = join(data, "token-refused.json");
    expect(readFileSync(note, "utf8")).not.toContain("wrong");
    const asked = requests.length;
    expect(asked).toBeGreaterThan(0);
    const second = await runCommand(["start"], wrong, folder);
    expect([second.code, second.err]).toEqual([
      65,
      expect.stringMatching(/^Discord refused this bot token just now, and is not asked again for .*\n$/),
    ]);
    expect(requests).toHaveLength(asked);
    const { hash, at } = JSON.parse(readFileSync(note, "utf8"));
    await writeFile(note, JSON.stringify({ hash, at: at - 600_001 }));
    expect((await runCommand(["start"], wrong, folder)).code).toBe(65);
    expect(requests.length).toBeGreaterThan(asked);
    const right = startCommand(["start"], env, folder);
    await right.prints("Stop with Ctrl-C");
    expect(existsSync(note)).toBe(false);
    // Refused while it runs: the next start knows.
    sandbox.faults.failRest({ match: "/messages", status: 401, times: 1_000 });
    const [sarah, general] = [sandbox.as("sarah").id, sandbox.community.channels.get("general") ?? ""];
    await runCommand(["ask", "--as", sarah, "--in", general, "who has the keys?"], env, folder);
    await until(() => existsSync(note), "the refusal was not noted");
    right.stop();
    await right.ended;
    const again = await runCommand(["start"], env, folder);
    expect([again.code, again.err]).toEqual([65, expect.stringContaining("Discord refused this bot token")]);
  });

  // Databases are lost with the folder only if they are files in it.
  it.skipIf(IS_ON_POSTGRES)(
    "ends with a sentence when the data folder is deleted while it connects to Discord",
    async () => {
      const { sandbox, folder, env, data } = await arrive();
      const remove = (line: string) => {
        if (line.includes("/gateway/bot")) rmSync(data, { recursive: true, force: true });
        return false;
      };
      sandbox.faults.failRest({ match: remove, status: 500 });
      const { code, out, err } = await runCommand(["start"], env, folder);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain("earshot.db was moved or deleted while Earshot runs. Put it back, or start Earshot again.");
      expect(err).toContain(data);
    },
  );

  it("logs no error after an upgrade that reads stored messages anew", async () => {
    const { sandbox, folder, env, data } = await arrive();
    const general = sandbox.community.channels.get("general") ?? "";
    await writeFile(join(folder, "earshot.config.json"), JSON.stringify({ timeline: { diskChannels: [general] } }));
    sandbox.as("sarah").say("general", "the tide turns at four");
    const run = async () => {
      const program = startCommand(["start"], { ...env, EARSHOT_LOG_LEVEL: "error" }, folder);
      await program.prints("Stop with Ctrl-C");
      const args = ["discord.channel.messages", "--as", sandbox.as("sarah").id, "--in", general];
      expect((await runCommand(["call", ...args], env, folder)).out).toContain("the tide turns at four");
      program.stop();
      await program.ended;
      return program.err;
    };
    expect(await run()).toBe("");
    const file = join(data, "timeline", "messages.db");
    const database = new DatabaseSync(file);
    database.exec("UPDATE meta SET version = '1/' || substr(version, 3)");
    database.close();
    rmSync(`${file}.digest`);
    expect(await run()).toBe("");
  });
});
