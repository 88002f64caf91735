import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { statusSchema } from "../../src/domain/status.ts";
import { type Printed, runCommand, runEarshot, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const PROBLEM = { error: { code: "unavailable", message: "Earshot is starting: try again in a few seconds." } };

/** What the status command takes for the program of a data folder. */
async function openProgram(listener: RequestListener): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-status-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void program.close());
  await once(program, "listening");
  const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
  await writeFile(join(folder, "operator-access.json"), JSON.stringify({ url, token: "t".repeat(43) }));
  return folder;
}

describe("earshot status", () => {
  it("gives up in time a program that holds its answer, however long the command took to be started", async () => {
    const held: ServerResponse[] = [];
    const folder = await openProgram((request, response) => {
      if (request.url === "/status") held.push(response);
      else response.end("{}");
    });
    // Whoever waits 2.5 seconds from here on gets the answer first.
    const late = setTimeout(() => held[0]?.end(JSON.stringify(PROBLEM)), 1_500);
    onTestFinished(() => clearTimeout(late));
    const { code, err } = await runCommand(["status"], { EARSHOT_DATA_DIR: folder }, folder, 2_400.5);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("but is busy") });
    expect(held).toHaveLength(1);
  });

  it("says that the program is starting where only the request for the status learned of it", async () => {
    const folder = await openProgram((request, response) => {
      response.statusCode = 503;
      response.end(JSON.stringify(request.url === "/status" ? PROBLEM : {}));
    });
    const { code, err } = await runCommand(["status"], { EARSHOT_DATA_DIR: folder }, folder);
    expect({ code, err }).toEqual({ code: 1, err: `${PROBLEM.error.message}\n` });
  });

  it("prints the status of the running program, and exits with 1 if it is not connected or not running", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const folder = await mkdtemp(join(tmpdir(), "earshot-status-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [sarah, general] = [sandbox.community.people.get("sarah"), sandbox.community.channels.get("general")];
    const disk = { timeline: { diskChannels: [general], retentionDays: 1_000 } };
    await writeFile(join(folder, "earshot.config.json"), JSON.stringify(disk));
    const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
    const started = async <Started extends Printed>(program: Started) => {
      await program.prints("Stop with Ctrl-C");
      return program;
    };
    const status = (...args: string[]) => runCommand(["status", ...args], env, folder);

    const first = await started(runEarshot(["start"], env, folder));
    sandbox.as("sarah").say("general", "hello");
    const reading = ["call", "discord.channel.messages", "--as", sarah ?? "", "--in", general ?? "", "limit=5"];
    expect((await runCommand(reading, env, folder)).code).toBe(0);
    // The server may notice a moment later that the client of the call is gone.
    await expect.poll(async () => (await status()).out).toContain("0 over the WebSocket");
    const told = await status();
    expect(told).toMatchObject({ code: 0, err: "" });
    expect(told.out).toMatch(/^Earshot \d+\.\d+\.\d+, running for \d+ seconds?\n/);
    expect(told.out).toMatch(/^ {2}Discord {2,}connected; 1 server$/m);
    expect(told.out).toMatch(/^ {2}Clients {2,}0 over the WebSocket, 0 over MCP$/m);
    expect(told.out).toMatch(/^ {2}Messages {2,}\d+ messages? of \d+ channels? held, \d+\.\d MiB$/m);
    expect(told.out).toMatch(/^ {2}History {2,}read back as far as memory allows in [01] of 1 server/m);
    expect(told.out).toMatch(/^ {2}Unconfirmed {2,}none/m);
    expect(told.out).toMatch(/^ {2}Gaps {2,}0 gaps since the start$/m);
    expect(told.out).toMatch(/^ {2}Rate limits {2,}0 waits since the start, 0 seconds in all$/m);

    first.process.kill("SIGSTOP");
    expect(await status()).toMatchObject({ code: 1, out: "", err: expect.stringContaining("but is busy") });
    const killedAt = Date.now();
    first.process.kill("SIGKILL");
    await first.ended;
    expect(await status()).toMatchObject({ code: 1, out: "", err: expect.stringContaining("No Earshot answers at") });

    sandbox.faults.failRest({ match: "/messages", status: 500, times: Number.POSITIVE_INFINITY });
    const second = await started(startCommand(["start"], env, folder));
    const { messages, discord } = statusSchema.parse(JSON.parse((await status("--json")).out));
    expect(discord.gaps).toBe(1);
    expect(messages.unconfirmed).toBeGreaterThan(0);
    // It began to be unconfirmed when the killed program last noted that Discord was heard, not with the second start.
    const since = Date.parse(messages.unconfirmed_since ?? "");
    expect(since).toBeLessThanOrEqual(killedAt);
    expect(Date.parse(messages.erase_at ?? "") - since).toBe(86_400_000);
    expect((await status()).out).toMatch(
      /Unconfirmed +\d+ messages? on disk, the first since \S+Z; erased from \S+Z on/,
    );

    sandbox.faults.refuseConnections({ status: 503 }, Number.POSITIVE_INFINITY);
    sandbox.faults.cutSocket();
    await second.prints("gateway connection lost");
    expect(await status()).toMatchObject({ code: 1, err: "", out: expect.stringContaining("not connected") });

    second.stop();
    expect(await second.ended).toBe(0);
    expect(await status("--json")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("does not seem to run"),
    });
  });
});
