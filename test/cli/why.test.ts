import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

it("earshot why says which matches are withheld, in which channels, and because of how many people", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sandbox = await openTestSandbox();
  sandbox.admin.setOverwrite("news", "everyone", { deny: ["ViewChannel"] });
  sandbox.admin.setOverwrite("news", "person:earshot", { allow: ["ViewChannel"] });
  sandbox.admin.setOverwrite("news", "person:sarah", { allow: ["ViewChannel"] });
  for (const text of ["the heron is back", "a heron again"]) sandbox.as("sarah").say("news", text);
  sandbox.as("mark").say("general", "which heron?");
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  const why = async (...args: string[]) => runCommand(["why", "--in", "general", ...args], env, folder);

  const sarah = await why("--as", sandbox.as("sarah").id, "--about", "heron");
  expect([sarah.code, sarah.err]).toEqual([0, expect.not.stringContaining("Error")]);
  expect(sarah.out).toContain('3 messages that Skipper can read match "heron".\n');
  expect(sarah.out).toContain("Answers in #general may quote those in #general (1).\n");
  expect(sarah.out).toMatch(
    /^2 messages in #news match\. They are not quoted in #general: \d+ of the \d+ people who can see #general cannot read #news\.$/m,
  );
  const mark = await why("--as", sandbox.as("mark").id, "--about", "heron");
  expect(mark.out).toContain("Nothing of it is withheld in #general.\n");
  expect(mark.out).toMatch(/cannot read .*#news.*: nothing said there is ever used for/);
  const nothing = await why("--as", sandbox.as("mark").id, "--about", "albatross", "--json");
  expect(JSON.parse(nothing.out)).toMatchObject({ counts: {}, viewers: expect.any(Number) });

  const id = sandbox.community.channels.get("news") ?? "";
  await writeFile(
    join(folder, "earshot.config.json"),
    JSON.stringify({
      policy: { channels: { deny: [id] } },
      agent: { off: [sandbox.community.channels.get("general")] },
    }),
  );
  expect((await runCommand(["reload"], env, folder)).out).toBe("Applied: agent.off, policy.channels.\n");
  const closedNow = await why("--as", sandbox.as("sarah").id, "--about", "heron");
  expect(closedNow.out).toContain("The agent answers nobody in #general: the configuration switches it off (agent).\n");
  expect(closedNow.out).toContain("The configuration (policy) leaves out #news.\n");
  const there = await runCommand(["why", "--as", sandbox.as("sarah").id, "--in", id, "--about", "x"], env, folder);
  expect([there.code, there.err]).toEqual([
    1,
    expect.stringContaining("Skipper cannot see #news, or the configuration"),
  ]);
  const lacking = await runCommand(["why", "--as", "sarah"], env, folder);
  expect([lacking.code, lacking.err]).toEqual([
    1,
    expect.stringContaining("Name the person, the channel and the words"),
  ]);
});
