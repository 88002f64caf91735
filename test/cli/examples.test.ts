import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { toConfig } from "../../src/config/config.ts";

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

async function run(command: string, args: readonly string[]): Promise<{ code: number | null; err: string }> {
  const own = Object.entries(process.env).filter(([name]) => !/^(EARSHOT|BRAIN)_/.test(name));
  const child = spawn(command, args, { env: Object.fromEntries(own) });
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  return { code: await new Promise((resolve) => child.once("close", resolve)), err };
}

it.each([
  ["python3", ["examples/earshot_client.py", "1", "search_messages"], "EARSHOT_TOKEN"],
  [process.execPath, ["examples/brain.ts"], "BRAIN_TOKEN"],
] as const)("%s %j says in one sentence that the token is missing", async (command, [file, ...more], variable) => {
  const { code, err } = await run(command, [fileOf(file), ...more]);
  expect(code).toBe(1);
  expect(err.trim().split("\n")).toEqual([expect.stringContaining(`Set ${variable} to the token of a client`)]);
});

it("the examples use the port at which Earshot listens", async () => {
  const { server } = toConfig({});
  for (const file of ["examples/earshot_client.py", "examples/brain.ts"]) {
    const ports = [...(await readFile(fileOf(file), "utf8")).matchAll(/ws:\/\/127\.0\.0\.1:(\d+)/g)].map(
      ([, port]) => port,
    );
    expect(new Set(ports), file).toEqual(new Set([String(server.port)]));
  }
});
