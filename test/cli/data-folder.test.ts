import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const folder = await mkdtemp(join(tmpdir(), "earshot-data-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sandbox = await openTestSandbox({ rateLimits: false });
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  return { sandbox, folder, env, data: join(folder, ".earshot") };
}

describe("a start", () => {
  it("ends with a sentence about the file in the data folder that cannot be written", async () => {
    const { folder, env, data } = await arrive();
    const inTheWay = join(data, "operator-access.json");
    await mkdir(inTheWay, { recursive: true });
    const { code, err } = await runCommand(["start"], env, folder);
    expect([code, err]).toEqual([1, expect.stringContaining(`${inTheWay} cannot be used: the system says `)]);
  });

  it.each<[string, (taken: string) => Record<string, string>]>([
    ["a wrong token", () => ({ EARSHOT_DISCORD_TOKEN: "wrong" })],
    ["a taken port", (taken) => ({ EARSHOT_PORT: taken })],
  ])("that is refused because of %s leaves no files behind in a folder that had none", async (_, wrong) => {
    const { sandbox, folder, env, data } = await arrive();
    const more = wrong(new URL(sandbox.url).port);
    expect((await runCommand(["start"], { ...env, ...more }, folder)).code).toBe(1);
    expect(existsSync(data)).toBe(false);
    await mkdir(data);
    await writeFile(join(data, "notes.txt"), "mine");
    expect((await runCommand(["start"], { ...env, ...more }, folder)).code).toBe(1);
    expect(readdirSync(data)).toEqual(["notes.txt"]);
  });

  it("ends with a sentence when the data folder is deleted while it connects to Discord", async () => {
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
  });

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
