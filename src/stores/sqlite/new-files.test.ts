import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { noteFiles } from "./new-files.ts";
import { openDurableDatabase } from "./open-sqlite.ts";

function newFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "earshot-new-files-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return parent;
}

/** A start in an empty folder, up to where it waits for Discord. */
async function begin(folder: string) {
  const made = noteFiles(folder);
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  made.noteOpened();
  writeFileSync(join(folder, "audit.key"), "new");
  return () => {
    database.close();
    made.remove();
  };
}

it("a start that is refused removes what it made, and the folder if that is new", async () => {
  const folder = join(newFolder(), "data");
  const refuse = await begin(folder);
  refuse();
  expect(() => readdirSync(folder)).toThrow("ENOENT");
});

it("a start that is refused leaves a database alone that was put in the place of its own meanwhile", async () => {
  const parent = newFolder();
  const [folder, backup] = [join(parent, "data"), join(parent, "backup")];
  const refuse = await begin(folder);
  mkdirSync(backup);
  for (const name of ["earshot.db", "keys.db", "audit.key"]) {
    writeFileSync(join(backup, name), `${name} of before`);
    renameSync(join(backup, name), join(folder, name));
  }
  refuse();
  for (const name of ["earshot.db", "keys.db", "audit.key"])
    expect(readFileSync(join(folder, name), "utf8")).toBe(`${name} of before`);
});
