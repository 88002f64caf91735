import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { VERSION } from "../../src/version.ts";
import { fillDataFolder, KEPT, readDataFolder } from "./data-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(import.meta.dirname, "kept");
/** From before the first release. */
const UNRELEASED = "0.0.1";
const versions = readdirSync(FOLDER).filter((version) => version !== UNRELEASED);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-version-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function unpack(version: string): string {
  const folder = makeFolder();
  for (const name of readdirSync(join(FOLDER, version)))
    writeFileSync(join(folder, basename(name, ".gz")), gunzipSync(readFileSync(join(FOLDER, version, name))), {
      mode: 0o600,
    });
  return folder;
}

describe("the data folder", () => {
  it("of each released version is opened by this one, which loses nothing", async () => {
    for (const version of versions) expect(await readDataFolder(unpack(version)), version).toEqual(KEPT);
  });

  it("of this version is as the kept ones were when they were new", async () => {
    const folder = makeFolder();
    await fillDataFolder(folder);
    expect(await readDataFolder(folder)).toEqual(KEPT);
  });

  it("of an unreleased version is refused with a sentence that says so, and left as it is", async () => {
    const folder = unpack(UNRELEASED);
    const read = () => ["earshot.db", "keys.db"].map((name) => readFileSync(join(folder, name)));
    const before = read();
    await expect(readDataFolder(folder)).rejects.toMatchObject({
      code: "misconfigured",
      message:
        "The file earshot.db is of an older Earshot, from before its first release. Move the data folder away and start with a new one.",
    });
    expect(read()).toEqual(before);
  });

  it("of a newer version is refused with a sentence that says so", async () => {
    const folder = makeFolder();
    await fillDataFolder(folder);
    const database = new DatabaseSync(join(folder, "earshot.db"));
    database.exec("PRAGMA user_version = 9999");
    database.close();
    await expect(readDataFolder(folder)).rejects.toMatchObject({
      code: "misconfigured",
      message: "The file earshot.db was made by a newer Earshot. Use that version, or a newer one.",
    });
  });

  it("is kept for each version that the changelog calls released", () => {
    const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
    const headings = [...changelog.matchAll(/^## (\S+) \((.+)\)$/gm)];
    expect(headings[0]?.[1]).toBe(VERSION);
    const released = headings.filter(([, , when]) => when !== "unreleased").map(([, version]) => version ?? "");
    expect(released.filter((version) => !existsSync(join(FOLDER, version)))).toEqual([]);
  });
});
