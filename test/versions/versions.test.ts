import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS } from "../../src/stores/sqlite/migrations.ts";
import { VERSION } from "../../src/version.ts";
import { fillDataFolder, KEPT, readDataFolder } from "./data-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(import.meta.dirname, "kept");
/** Of no release: it shows that an older folder is brought up to date. The first release takes its place. */
const MADE_UP = "0.0.1";
const versions = readdirSync(FOLDER);

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

/** The steps that a database has been through. */
function stepsOf(folder: string): string[] {
  const database = new DatabaseSync(join(folder, "earshot.db"), { readOnly: true });
  const rows = database.prepare("SELECT name FROM kysely_migration ORDER BY name").all();
  database.close();
  return rows.map(({ name }) => String(name));
}

describe("the data folder", () => {
  it.each(versions)("of version %s is opened by this one, which loses nothing", async (version) => {
    const folder = unpack(version);
    expect(await readDataFolder(folder)).toEqual(KEPT);
    expect(stepsOf(folder)).toEqual(Object.keys(MIGRATIONS));
  });

  it("of this version is as the kept ones were when they were new", async () => {
    const folder = makeFolder();
    await fillDataFolder(folder);
    expect(await readDataFolder(folder)).toEqual(KEPT);
  });

  it("of an older version has fewer steps behind it before it is opened", () => {
    expect(versions).toContain(MADE_UP);
    expect(stepsOf(unpack(MADE_UP)).length).toBeLessThan(Object.keys(MIGRATIONS).length);
  });

  it("of a newer version is refused, with a sentence that says so", async () => {
    const folder = unpack(MADE_UP);
    const database = new DatabaseSync(join(folder, "earshot.db"));
    database.exec("INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-of-tomorrow', '')");
    database.close();
    await expect(readDataFolder(folder)).rejects.toMatchObject({
      code: "misconfigured",
      message: "The database was made by a newer Earshot. Use that version, or a newer one.",
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
