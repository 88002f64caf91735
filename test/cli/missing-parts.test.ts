import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../support/edge.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const ALWAYS = Number.POSITIVE_INFINITY;

async function arrive() {
  const folder = await mkdtemp(join(tmpdir(), "earshot-commands-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sandbox = await openTestSandbox({ rateLimits: false });
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const [application] = sandbox.world.applications.values();
  return {
    sandbox,
    shown: () => [...(application?.commands.values() ?? [])].map(({ name }) => name),
    start: () => startCommand(["start"], env, folder),
    run: async (command: string) => (await runCommand([command], env, folder)).out,
  };
}

it("commands that Discord does not take at the start are registered as soon as it does; until then status, doctor and the log name them", async () => {
  const { sandbox, start, shown, run } = await arrive();
  sandbox.faults.failRest({ match: /^(GET|POST) .*\/commands/, status: 503, times: ALWAYS });
  const program = start();
  await program.prints('could not be registered on Discord; trying again"');
  const line =
    /Discord does not show .*\/privacy, \/memory.* since \d{4}-.*Z, trying again: Discord does not answer \(status 503\)$/m;
  await expect.poll(() => run("status")).toMatch(line);
  expect(await run("status")).toMatch(new RegExp(`^  Commands      ${line.source}`, "m"));
  expect(await run("doctor")).toMatch(new RegExp(`^! commands: ${line.source}`, "m"));
  sandbox.faults.clear();
  await until(() => shown().includes("memory") && shown().includes("agent"), "the commands were not registered");
  await program.prints("commands are registered on Discord now");
  await expect.poll(() => run("status")).not.toContain("Commands");
  expect(await run("doctor")).not.toContain("commands:");
});

it("status, doctor and the log say that a server has no list of archived threads, and not that Discord does not answer", async () => {
  const { sandbox, start, run } = await arrive();
  sandbox.faults.failRest({ match: "/threads/archived", status: 404, times: ALWAYS });
  const program = start();
  await program.prints("this server has no list of archived threads: they are not found");
  const line = "archived threads are missing: this server has no list of them";
  const done = `read back as far as memory allows in 1 of 1 server; ${line}\n`;
  await expect.poll(() => run("status")).toContain(`  History       ${done}`);
  expect(await run("doctor")).toContain(`! history: ${done}`);
});
