import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createEarshot } from "../../src/index.ts";
import { COMPILE_CACHE } from "../support/program.ts";
import { databaseConfig } from "../support/test-database.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it("a program acts for people by the names that Discord shows, and looks up their ids", async () => {
  const dataDir = await emptyFolder();
  const config = { dataDir, ...(await databaseConfig(dataDir)), sandbox: { talkEverySeconds: 0 } };
  const earshot = await createEarshot({ config });
  onTestFinished(() => earshot.close());
  const [sarah] = await earshot.people("sarah");
  expect(sarah?.names).toContain("sarah.okafor");
  // A display name in any case; a username; a nickname with decoration; a display name without its accent; an id.
  for (const name of [
    "sarah",
    "SARAH",
    "sarah.okafor",
    "@Sarah",
    "Mark 🛶",
    "mark",
    "tomasz wojcik",
    "Tomek",
    sarah?.id ?? "",
  ]) {
    const { value } = await earshot.as(name, { in: "general" }).call("get_recent_messages", { limit: 1 });
    expect(value, name).toHaveProperty("messages");
  }
  expect(() => earshot.as("sara", { in: "general" })).not.toThrow();
  expect(() => earshot.as("sarha", { in: "general" })).toThrow("No person called 'sarha' is known.");
  expect(() => earshot.as("sar", { in: "general" })).toThrow("No person called 'sar' is known.");
  expect(() => earshot.as("sarah", { in: "generall" })).toThrow("No channel called 'generall' is known.");
  expect(await earshot.people("nobody at all")).toEqual([]);
  expect((await earshot.channels("#General")).map(({ names }) => names)).toEqual([["general"]]);
});

it("text for a model tells times in the configured time zone", async () => {
  const dataDir = await emptyFolder();
  const kept = await databaseConfig(dataDir);
  const config = { dataDir, ...kept, timeZone: "Asia/Tokyo", sandbox: { talkEverySeconds: 0 } };
  const earshot = await createEarshot({ config });
  onTestFinished(() => earshot.close());
  const search = { query: "turtle", until: "3 days ago", limit: 1 };
  const { text, value } = await earshot.as("sarah", { in: "general" }).call("search_messages", search);
  const { hits } = value as { hits: { message: { ts: string } }[] };
  const said = new Date(hits[0]?.message.ts ?? "");
  const time = said.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Tokyo" });
  expect(text).toMatch(/^⟦untrusted \d+ · search · now \d{4}-\d\d-\d\dT\d\d:\d\d\+09:00⟧$/m);
  expect(text).toMatch(new RegExp(`^m\\d+ \\[[^\\]]+ ago, \\d+ \\w+ ${time}\\]`, "m"));
});

it("every example of the guide to the library runs as it stands", async () => {
  const page = await readFile(join(ROOT, "docs/guide/library.md"), "utf8");
  const examples = [...page.matchAll(/```ts\n([\s\S]+?)```(?:\n\n```\n([\s\S]+?)```)?/g)];
  expect(examples.length).toBeGreaterThan(2);
  for (const [, code = "", printed = ""] of examples) {
    const folder = await emptyFolder();
    // In a project of its own, the name leads to the package.
    const index = new URL("../../src/index.ts", import.meta.url).href;
    const client = new URL("../../src/client/index.ts", import.meta.url).href;
    const sandbox = new URL("../../sandbox/index.ts", import.meta.url).href;
    const own = code
      .replaceAll('"earshot/client"', `"${client}"`)
      .replaceAll('"earshot/sandbox"', `"${sandbox}"`)
      .replaceAll('"earshot"', `"${index}"`);
    await writeFile(join(folder, "example.mts"), own);
    const { code: exit, out, err } = await run(join(folder, "example.mts"), folder);
    expect(exit, err).toBe(0);
    const lines = out.split("\n").map(withoutNumbers);
    for (const line of printed.split("\n").filter((one) => one !== "" && one !== "…"))
      expect(lines).toContain(withoutNumbers(line));
  }
});

/** Times and block ids differ from one run to the next. */
const withoutNumbers = (line: string) => line.replace(/\d+/g, "0");

async function run(file: string, folder: string): Promise<{ code: number | null; out: string; err: string }> {
  const env = { ...process.env, ...COMPILE_CACHE };
  const child = spawn(process.execPath, [file], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out, err };
}
