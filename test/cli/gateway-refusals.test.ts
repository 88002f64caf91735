import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { runCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const HTTP_200 = "it answers the upgrade to a WebSocket with HTTP status 200";
const CODE_4002 = "it closed the connection with code 4002: Refused";
const REFUSED = "the connection failed (ECONNREFUSED)";

async function openRefusing(how: { readonly status: number } | { readonly code: number }): Promise<Sandbox> {
  const sandbox = await openTestSandbox();
  sandbox.faults.refuseConnections(how, ALWAYS);
  return sandbox;
}

/** REST is served, and nobody listens where the gateway should be. */
async function openWithoutGateway(): Promise<Sandbox> {
  return openTestSandbox({ advertise: { gateway: () => "ws://127.0.0.1:1/gateway" } });
}

/** Connections are accepted, and nothing is ever answered. */
async function openSilent(): Promise<Sandbox> {
  const sandbox = await openTestSandbox();
  sandbox.faults.goSilent();
  return sandbox;
}

/** Starts the program, which ends by itself. */
async function run(sandbox: Sandbox) {
  const folder = await mkdtemp(join(tmpdir(), "earshot-refusal-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const { code, err } = await runCommand(["start"], env, folder);
  const lines = err.split("\n").filter((line) => line !== "");
  const retries = lines
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { msg: string; waitMs?: number; failure?: string })
    .filter(({ msg }) => msg.includes("trying again after the back-off"));
  return { code, lines, retries };
}

describe("a gateway that refuses connections", () => {
  // Each waits for the same twelve seconds, so they wait together.
  it("makes a start exit with the code and the reason, after logged retries with back-off", async () => {
    const [upgrade, code4002, port, silent] = await Promise.all([
      openRefusing({ status: 200 }).then(run),
      openRefusing({ code: 4002 }).then(run),
      openWithoutGateway().then(run),
      openSilent().then(run),
    ]);
    for (const [start, why] of [
      [upgrade, HTTP_200],
      [code4002, CODE_4002],
      [port, REFUSED],
      [silent, "it does not answer"],
    ] as const) {
      expect(start.code, why).toBe(1);
      expect(start.lines.at(-1)).toBe(`The Discord gateway cannot be used after trying for 12 seconds: ${why}.`);
    }
    for (const [{ retries }, why] of [
      [upgrade, HTTP_200],
      [code4002, CODE_4002],
      [port, REFUSED],
    ] as const) {
      expect(retries.length, why).toBeGreaterThanOrEqual(2);
      expect(retries.map(({ waitMs }) => waitMs)).toEqual(retries.map((_, attempt) => 1_000 * 2 ** attempt));
      expect(retries.map(({ failure }) => failure)).toEqual(retries.map(() => why));
    }
  });
});
