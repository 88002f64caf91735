import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, expect, it } from "vitest";
import { readTextFile } from "./read-text-file.ts";

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "documents-")));
  made.push(folder);
  return folder;
}

/** Two names of the same kind, in whose place a link is put and taken away again, as fast as can be. */
const SWAPPER = `
  const { renameSync } = require("node:fs");
  const { workerData: { real, away, link }, parentPort } = require("node:worker_threads");
  let isOver = false;
  parentPort.on("message", () => { isOver = true; });
  const swap = () => {
    for (let times = 0; times < 200; times += 1) {
      renameSync(real, away);
      renameSync(link, real);
      renameSync(real, link);
      renameSync(away, real);
    }
    if (isOver) process.exit();
    setImmediate(swap);
  };
  swap();
`;

it.skipIf(process.platform !== "linux").each([
  ["a folder on the way", ["sub", "a.md"], "sub"],
  ["the file itself", ["a.md"], "a.md"],
])("reads nothing from outside while %s is swapped with a link", async (_, path, swapped) => {
  const [root, outside] = [makeFolder(), makeFolder()];
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, ...path), "inside");
  writeFileSync(join(outside, "a.md"), "secret");
  const link = join(outside, "link");
  symlinkSync(swapped === "sub" ? outside : join(outside, "a.md"), link);
  const workerData = { real: join(root, swapped), away: join(root, "away"), link };
  const worker = new Worker(SWAPPER, { eval: true, workerData });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const seen = new Set<string>();
  // Until it has met both the file in its place and the link.
  for (let times = 0; times < 20_000 && (times < 500 || seen.size < 2); times += 1) {
    const file = await readTextFile(root, path);
    seen.add(typeof file === "string" ? "refused" : file.text);
  }
  worker.postMessage("over");
  await ended;
  expect([...seen].sort()).toEqual(["inside", "refused"]);
});

it("refuses a path that leads out of the folder by its names", async () => {
  const [root, outside] = [makeFolder(), makeFolder()];
  writeFileSync(join(outside, "a.md"), "secret");
  mkdirSync(join(root, "inner"));
  renameSync(outside, join(root, "beside"));
  expect(await readTextFile(join(root, "inner"), ["..", "beside", "a.md"])).toBe("link");
});
