import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyAudit } from "../../src/policy/verify-audit.ts";
import { COMPILE_CACHE } from "../support/program.ts";
import { emptyFolder, KEY, openTestAudit } from "./open-test-audit.ts";

const PROGRAM = fileURLToPath(new URL("./keep-until-killed.ts", import.meta.url));
const ROUNDS = 6;

/** Starts the program, kills it while it stores operations, and returns the ids it reported as stored. */
async function killAfter(file: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, file, String(round), KEY.toString("hex")], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const enough = Math.ceil(Math.random() * 100);
  let out = "";
  for await (const chunk of child.stdout) {
    out += String(chunk);
    if (out.split("\n").length > enough) child.kill("SIGKILL");
  }
  if (child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  return out.split("\n").slice(0, -1);
}

describe("an audit whose program was killed", () => {
  it("still has every row that was reported as stored, and its chain verifies", async () => {
    const file = join(emptyFolder(), "earshot.db");
    const said: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      said.push(...(await killAfter(file, round)));
      const { store, close } = await openTestAudit(file);
      expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true });
      await close();
    }
    const { store, close } = await openTestAudit(file);
    for (const id of said) {
      const sources = Number(id.split("-")[1]) % 40;
      expect([id, (await store.operation(id)).length]).toEqual([id, 2 + sources]);
    }
    await close();
    expect(new Set(said.map((id) => id.split("-")[0])).size).toBe(ROUNDS);
  });
});
