import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../support/edge.ts";
import { COMPILE_CACHE } from "../support/program.ts";
import { openSigningIn } from "./open-sign-in.ts";

const SUITE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const SCENARIOS = ["authorization-server-metadata-endpoint", "authorization-code-grant"];

async function findFreePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

it.each(["2025-11-25", "2026-07-28"])(
  "the authorization server conforms to the specification of %s",
  async (revision) => {
    const { app, register, reachPage, answerPage, complaints } = await openSigningIn();
    const port = await findFreePort();
    const redirect = `http://127.0.0.1:${port}/callback`;
    const clientId = await register({ redirect_uris: [redirect] });
    const args = ["--url", app.url, "--client-id", clientId, "--resource", app.signInUrl ?? "", "--port", String(port)];
    const suite = spawn(process.execPath, [SUITE, "authorization", ...args, "--spec-version", revision], {
      env: { ...process.env, ...COMPILE_CACHE },
    });
    onTestFinished(() => void suite.kill("SIGKILL"));
    let said = "";
    for (const stream of [suite.stdout, suite.stderr])
      stream.on("data", (chunk) => {
        said += String(chunk);
      });
    const ended = once(suite, "close");
    // It waits for a person with a browser.
    const address = await until(() => /^http:\/\/\S+\/oauth\/authorize\?\S+$/m.exec(said)?.[0], `it said:\n${said}`);
    const back = await answerPage(await reachPage(new URL(address), "sarah", undefined, redirect), { redirect });
    await fetch(back.url);
    expect((await ended)[0], said).toBe(0);
    for (const scenario of SCENARIOS) expect(said).toContain(`Running scenario: ${scenario}`);
    expect(said).toContain("Total: 2 passed, 0 failed");
    expect(complaints).toEqual([]);
  },
);
