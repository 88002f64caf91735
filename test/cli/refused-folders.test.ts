import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { databaseSettings, IS_ON_POSTGRES } from "../support/test-database.ts";

const ENV = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
type Spoil = (data: string) => void | Promise<void>;
/** Folders in which a program with facts has run: one after its end, one as a crash leaves it. */
let saved: Promise<{ readonly ended: string; readonly crashed: string }> | null = null;
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-refused-"));
  folders.push(folder);
  return folder;
}

/** Starts the program and stops it. */
async function runIn(folder: string, whileRunning: () => void): Promise<void> {
  const running = startCommand(["start"], ENV, folder);
  await running.prints("Stop with Ctrl-C");
  whileRunning();
  running.stop();
  await running.ended;
}

async function save() {
  const folder = await newFolder();
  const [ended, crashed] = [join(folder, ".earshot"), join(folder, "crashed")];
  await runIn(folder, () => cpSync(ended, crashed, { recursive: true }));
  for (const name of readdirSync(crashed)) if (name.includes("access")) rmSync(join(crashed, name));
  return { ended, crashed };
}

async function arrive(from: "ended" | "crashed", spoil: Spoil) {
  const folder = await newFolder();
  const data = join(folder, ".earshot");
  if (IS_ON_POSTGRES) await runIn(folder, () => {});
  else {
    saved ??= save();
    cpSync((await saved)[from], data, { recursive: true });
  }
  await spoil(data);
  return { folder, data };
}

/** The content of every file. */
function contentOf(path: string): Record<string, string> {
  if (!statSync(path).isDirectory()) return { [path]: readFileSync(path, "base64") };
  return Object.assign({ [path]: "" }, ...readdirSync(path).map((name) => contentOf(join(path, name))));
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function overwrite(file: string, from: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, from, from + 3_000);
  writeFileSync(file, bytes);
}

/** Where the page on which a table begins is in the file. */
function pageOf(file: string, table: string): number {
  const database = new DatabaseSync(file);
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.["rootpage"]);
  const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  database.close();
  return (page - 1) * pageBytes;
}

const replace = (path: string) => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
};
const FIRST_KEY = "slot = (SELECT min(slot) FROM keys WHERE name LIKE 'fact:%')";

async function loseAKey(data: string): Promise<void> {
  const { EARSHOT_KEYS_DATABASE_URL: url } = databaseSettings(data);
  if (url === undefined)
    change(
      join(data, "keys.db"),
      `UPDATE keys SET name = printf('%*s', length(name), ''), key = zeroblob(length(key)) WHERE ${FIRST_KEY}`,
    );
  else await admin(`UPDATE keys SET name = repeat(' ', length(name)) WHERE ${FIRST_KEY}`, url);
}

/** As files. For PostgreSQL see doctor.test.ts and lost-keys.test.ts in test/postgres. */
const REFUSED_DATABASES: readonly (readonly [string, string, Spoil])[] = [
  ["keys.db is missing", "The file keys.db is missing", (data) => rmSync(join(data, "keys.db"))],
  ["keys.db is empty", "The file keys.db is missing", (data) => truncateSync(join(data, "keys.db"))],
  ["keys.db is damaged", "the file is damaged", (data) => overwrite(join(data, "keys.db"), 0)],
  ["keys.db is a folder", "keys.db", (data) => replace(join(data, "keys.db"))],
  ["earshot.db is missing", "earshot.db is missing or empty", (data) => rmSync(join(data, "earshot.db"))],
  ["earshot.db is damaged", "the file is damaged", (data) => overwrite(join(data, "earshot.db"), 0)],
  [
    "the opt-outs are damaged",
    "earshot.db cannot be used: the file is damaged",
    (data) => overwrite(join(data, "earshot.db"), pageOf(join(data, "earshot.db"), "opt_outs")),
  ],
  [
    "earshot.db is somebody else's",
    "earshot.db is not Earshot's. Move it away",
    (data) => change(join(data, "earshot.db"), "PRAGMA application_id = 7"),
  ],
  [
    "earshot.db is of a newer version",
    "made by a newer Earshot",
    (data) => change(join(data, "earshot.db"), "PRAGMA user_version = 9999"),
  ],
  [
    "earshot.db is of an older version",
    "of an older Earshot",
    (data) => change(join(data, "earshot.db"), "PRAGMA user_version = 0"),
  ],
];

const REFUSED: typeof REFUSED_DATABASES = [
  ["audit.key is missing", "its key audit.key is not in the data folder", (data) => rmSync(join(data, "audit.key"))],
  [
    "a folder is in the way",
    "operator-access.json cannot be used",
    (data) => replace(join(data, "operator-access.json")),
  ],
  ["a key is lost", "lacks the key of 1 fact from 20", loseAKey],
  ...(IS_ON_POSTGRES ? [] : REFUSED_DATABASES),
];

describe("a data folder that cannot be used", () => {
  it.each(REFUSED)(
    "refuses a start and is named by earshot doctor, which changes nothing: %s",
    async (_, words, spoil) => {
      const { folder, data } = await arrive("ended", spoil);
      const before = contentOf(data);
      const doctor = await runCommand(["doctor"], ENV, folder);
      expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("✗ storage: a start is refused. ")]);
      expect(doctor.out).toContain(words);
      expect(contentOf(data)).toEqual(before);
      const start = await runCommand(["start"], ENV, folder);
      expect([start.code, start.err]).toEqual([64, expect.stringContaining(words)]);
      expect(Object.keys(contentOf(data))).toEqual(Object.keys(before));
    },
  );

  // The logs are SQLite's.
  it.skipIf(IS_ON_POSTGRES)(
    "is none after a crash: earshot doctor reads the logs and leaves them as they are",
    async () => {
      const { folder, data } = await arrive("crashed", () => {});
      const before = contentOf(data);
      const { code, out } = await runCommand(["doctor"], ENV, folder);
      expect([code, out]).toEqual([0, expect.stringContaining("✓ storage: a start can use the data folder")]);
      const { [join(data, "earshot.db-shm")]: _, [join(data, "keys.db-shm")]: __, ...after } = contentOf(data);
      expect(before).toMatchObject(after);
      expect(readdirSync(data)).toEqual(expect.arrayContaining(["earshot.db-wal", "keys.db-wal"]));
    },
  );

  it("is used after lost keys once its operator gives up their facts", async () => {
    const { folder } = await arrive("ended", loseAKey);
    const running = startCommand(["start", "--erase-lost-facts"], { ...ENV, EARSHOT_LOG_LEVEL: "warn" }, folder);
    await running.prints("Stop with Ctrl-C");
    expect(running.err).toContain('"rows":1');
  });
});
