import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { probeFolder, probeNearestFolder } from "./probe-folder.ts";

it("a folder that was removed cannot be written to, although one can be made where it was", async () => {
  const parent = await mkdtemp(join(tmpdir(), "earshot-probe-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "data");
  await expect(probeFolder(folder)).rejects.toMatchObject({ code: "ENOENT" });
  await probeNearestFolder(folder);
  await probeFolder(parent);
  expect(await readdir(parent)).toEqual([]);
});
