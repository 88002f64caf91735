import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { McpTransport } from "../../src/transports/mcp/mcp-transport.ts";
import { COMPILE_CACHE } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { headersOf } from "./clients.ts";
import { fixtures } from "./conformance-fixtures.ts";
import { openFullMcp } from "./open-mcp.ts";

const SUITE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

/** The suite knows no tokens: it is let in at the door, and everything behind the door is as always. */
function withHeaders(transport: McpTransport, headers: () => Record<string, string>): McpTransport {
  return {
    ...transport,
    fetch(request, outgoing) {
      const all = new Headers(request.headers);
      for (const [name, value] of Object.entries(headers())) all.set(name, value);
      return transport.fetch(new Request(request, { headers: all }), outgoing);
    },
  };
}

it.each(["2025-11-25", "2026-07-28"])("the MCP server conforms to the specification of %s", async (revision) => {
  const sandbox = await openTestSandbox();
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const actor = sandbox.as("sarah").id;
  const mcp = await openFullMcp(sandbox, {
    extras: fixtures,
    wrap: (transport) => withHeaders(transport, () => headersOf({ url: "", token: mcp.token(), actor })),
  });
  const expected = join(import.meta.dirname, `expected-failures-${revision}.yaml`);
  const args = ["server", "--url", mcp.url, "--requirements", revision, "--expected-failures", expected];
  const suite = spawn(process.execPath, [SUITE, ...args, "-o", folder], { env: { ...process.env, ...COMPILE_CACHE } });
  onTestFinished(() => void suite.kill("SIGKILL"));
  const said: string[] = [];
  for (const stream of [suite.stdout, suite.stderr]) stream.on("data", (chunk) => said.push(String(chunk)));
  const code = await new Promise((resolve) => suite.once("close", resolve));
  expect(code, said.join("").slice(-8_000)).toBe(0);
  expect(said.join("")).toContain("tools-call-simple-text");
});
