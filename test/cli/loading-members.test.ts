import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

it("a name that is not known while the member list is loading is said to be not known yet", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sandbox = await openTestSandbox();
  sandbox.faults.loseEvents(({ type }) => type === "GUILD_MEMBERS_CHUNK", 1_000);
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  const list = async (as: string, place: string) =>
    (await runCommand(["call", "discord.guilds", "--as", as, "--in", place], env, folder)).err;
  expect(await list("mei", "general")).toContain("No person called 'mei' is known yet: the member list is still being");
  expect(await list(sandbox.as("mei").id, "nowhere")).toContain("No channel called 'nowhere' is known. Check the name");
});
