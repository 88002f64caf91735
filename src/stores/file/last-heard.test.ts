import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeLastHeard } from "../last-heard.suite.ts";
import { createLastHeardFile, createLastHeardNowhere } from "./last-heard.ts";

async function arrive() {
  const folder = await mkdtemp(join(tmpdir(), "earshot-last-heard-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "last-heard-7.txt"), lastHeard: createLastHeardFile(folder) };
}

describeLastHeard("a file", async () => {
  const { folder, lastHeard } = await arrive();
  return { lastHeard, reopen: () => createLastHeardFile(folder), keeps: true };
});

describeLastHeard("no file", async () => ({
  lastHeard: createLastHeardNowhere(),
  reopen: createLastHeardNowhere,
  keeps: false,
}));

describe("the last heard file", () => {
  it.each(["", "\0\0\0\0", "18e11", "-5", "NaN", "1800000000000x", "99999999999999999999", "{}"])(
    "means that anything may have been missed, not that nothing was saved, when it contains %j",
    async (content) => {
      const { path, lastHeard } = await arrive();
      await writeFile(path, content);
      expect(await lastHeard.load("7")).toBe(0);
    },
  );

  it("means that anything may have been missed when it cannot be read", async () => {
    const { path, lastHeard } = await arrive();
    await mkdir(path);
    expect(await lastHeard.load("7")).toBe(0);
  });

  it("is written by one save at a time, and contains the latest time", async () => {
    const { folder, path, lastHeard } = await arrive();
    await Promise.all(Array.from({ length: 50 }, (_, index) => lastHeard.save("7", 1_000 + index)));
    expect(await readFile(path, "utf8")).toBe("1049");
    expect(await readdir(folder)).toEqual(["last-heard-7.txt"]);
  });

  it("can be written again after a failure", async () => {
    const { path, lastHeard } = await arrive();
    await mkdir(path);
    await writeFile(join(path, "in the way"), "");
    await expect(lastHeard.save("7", 1)).rejects.toThrow();
    await rm(path, { recursive: true });
    await lastHeard.save("7", 2);
    expect(await lastHeard.load("7")).toBe(2);
  });
});
