import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { FailingDatabases } from "../../test/support/failing-database.ts";
import { describeKeyStore } from "./key-store.suite.ts";
import { openKeyStore } from "./key-store.ts";
import { type OpenOptions, openKeyDatabase } from "./sqlite/open-sqlite.ts";

let minted = 0;
const mintStoreId = () => `store ${++minted}`;
const key = (byte: number) => new Uint8Array(32).fill(byte);

describeKeyStore("SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-keys-"));
  const open = async () => openKeyStore(await openKeyDatabase(join(folder, "keys.db")), mintStoreId);
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "data", "keys.db");
}

async function open(file: string, options?: OpenOptions) {
  const store = await openKeyStore(await openKeyDatabase(file, options), mintStoreId);
  onTestFinished(() => store.close());
  return store;
}

function bytesBeside(file: string): Buffer {
  return Buffer.concat(readdirSync(join(file, "..")).map((name) => readFileSync(join(file, "..", name))));
}

const refused = (words: string) =>
  expect.objectContaining({ code: "misconfigured", message: expect.stringMatching(`keys\\.db.*${words}`) });

describe("keys.db", () => {
  it("is readable by its owner only, like the files beside it", async () => {
    const file = newFile();
    await (await open(file)).add(new Map([["a", key(1)]]));
    const names = readdirSync(join(file, ".."));
    expect(names).toContain("keys.db-wal");
    for (const name of names) expect([name, statSync(join(file, "..", name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  it("is named once, when it is new", async () => {
    const file = newFile();
    const first = await open(file);
    await first.close();
    expect((await open(file)).storeId).toBe(first.storeId);
    expect((await open(newFile())).storeId).not.toBe(first.storeId);
  });

  it("holds no byte of a deleted key once it was scrubbed", async () => {
    const file = newFile();
    const store = await open(file);
    const [gone, kept] = [Buffer.alloc(32, "gone"), Buffer.alloc(32, "kept")];
    await store.add(new Map([["a", gone] as const, ["b", kept] as const]));
    expect(bytesBeside(file).includes(gone)).toBe(true);
    await store.delete(["a"]);
    expect(await store.scrub()).toBe(true);
    expect(bytesBeside(file).includes(gone)).toBe(false);
    expect(bytesBeside(file).includes(kept)).toBe(true);
  });

  it("holds no byte of any deleted key after many keys came and went", async () => {
    const file = newFile();
    const store = await open(file);
    const toKey = (index: number) => createHash("sha256").update(`key ${index}`).digest();
    const toName = (index: number) => `fact:${createHash("sha256").update(`name ${index}`).digest("hex")}`;
    for (let batch = 0; batch < 20; batch += 1) {
      const added = Array.from({ length: 100 }, (_, index) => batch * 100 + index);
      await store.add(new Map(added.map((index) => [toName(index), toKey(index)])));
      await store.delete(added.filter((index) => index % 2 === 0).map((index) => toName(index - 100)));
    }
    const isGone = (index: number) => index % 2 === 0 && index < 1_900;
    expect(await store.scrub()).toBe(true);
    const bytes = bytesBeside(file);
    for (let index = 0; index < 2_000; index += 1) {
      expect(bytes.includes(toKey(index))).toBe(!isGone(index));
      expect(bytes.includes(toName(index))).toBe(!isGone(index));
    }
    await store.close();
    expect(await (await open(file)).names("", { limit: 9_999 })).toHaveLength(1_050);
  });

  it("uses the slots of deleted keys again, and keeps nothing of them, whatever the sizes of the names", async () => {
    const file = newFile();
    const store = await open(file);
    const toKey = (index: number) => createHash("sha256").update(`key ${index}`).digest();
    const toName = (index: number) => `fact:${"x".repeat((index * 37) % 200)}:${index}:`;
    for (let index = 0; index < 1_500; index += 1) {
      await store.add(new Map([[toName(index), toKey(index)]]));
      if (index >= 300) await store.delete([toName(index - 300)]);
    }
    expect(await store.scrub()).toBe(true);
    const bytes = bytesBeside(file);
    for (let index = 0; index < 1_500; index += 1) {
      expect(bytes.includes(toKey(index))).toBe(index >= 1_200);
      expect(bytes.includes(toName(index))).toBe(index >= 1_200);
    }
    const { size } = statSync(file);
    await store.close();
    const again = await open(file);
    await again.delete([toName(1_499)]);
    await again.add(new Map([[toName(1_499), toKey(1_499)]]));
    expect(await again.find([toName(1_499), toName(1_200)])).toHaveProperty("size", 2);
    await again.scrub();
    expect(statSync(file).size).toBe(size);
  });

  it("is not reported as scrubbed while somebody reads it", async () => {
    const file = newFile();
    const store = await open(file);
    await store.add(new Map([["a", key(1)]]));
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN; SELECT * FROM keys");
    await store.delete(["a"]);
    expect(await store.scrub()).toBe(false);
    reader.close();
    expect(await store.scrub()).toBe(true);
  });

  it("is scrubbed when it is opened after the program was killed", async () => {
    const file = newFile();
    const script = `
      const { openKeyStore } = await import(${JSON.stringify(new URL("./key-store.ts", import.meta.url).href)});
      const { openKeyDatabase } = await import(${JSON.stringify(new URL("./sqlite/open-sqlite.ts", import.meta.url).href)});
      const store = await openKeyStore(await openKeyDatabase(process.argv[1]), () => "killed");
      await store.add(new Map([["a", Buffer.alloc(32, "gone")]]));
      await store.delete(["a"]);
      process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script, file]);
    expect(signal).toBe("SIGKILL");
    expect(bytesBeside(file).includes(Buffer.alloc(32, "gone"))).toBe(true);
    expect((await open(file)).storeId).toBe("killed");
    expect(bytesBeside(file).includes(Buffer.alloc(32, "gone"))).toBe(false);
  });

  it("can be used by one program at a time", async () => {
    const file = newFile();
    const first = await open(file);
    await expect(open(file)).rejects.toThrow("Stop the other one");
    await first.close();
    expect((await open(file)).storeId).toBe(first.storeId);
  });

  it("is refused and left unchanged when it is another program's", async () => {
    const file = newFile();
    (await open(file)).close();
    rmSync(file);
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE recipes (name TEXT)");
    other.close();
    const bytes = readFileSync(file);
    await expect(open(file)).rejects.toThrow(refused("Move it away"));
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it.each([
    [1, "of an older Earshot"],
    [3, "made by a newer Earshot"],
  ])("is refused when its tables are of version %i", async (version, words) => {
    const file = newFile();
    (await open(file)).close();
    const raw = new DatabaseSync(file);
    raw.exec(`PRAGMA user_version = ${version}`);
    raw.close();
    await expect(open(file)).rejects.toThrow(refused(words));
  });

  it("is refused when it is damaged, wherever the damage is", async () => {
    const file = newFile();
    const store = await open(file);
    await store.add(new Map(Array.from({ length: 500 }, (_, index) => [`name ${index}`, key(index % 256)])));
    await store.close();
    const whole = readFileSync(file);
    for (let page = 0; page < whole.length / 4096; page += 1) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xa5, page * 4096, page * 4096 + 64);
      writeFileSync(file, damaged);
      await expect(open(file)).rejects.toThrow(refused("damaged"));
    }
    writeFileSync(file, "not a database at all, but long enough to be looked at as one ".repeat(20));
    await expect(open(file)).rejects.toThrow(refused("damaged"));
    writeFileSync(file, whole);
    expect(await (await open(file)).names("", { limit: 1_000 })).toHaveLength(500);
  });

  it("is refused when a slot is missing, since the names behind it would be looked for in the wrong places", async () => {
    const file = newFile();
    const store = await open(file);
    await store.add(new Map(Array.from({ length: 20 }, (_, index) => [`name ${index}`, key(index)])));
    await store.close();
    const raw = new DatabaseSync(file);
    raw.exec("DELETE FROM keys WHERE slot = 7");
    raw.close();
    await expect(open(file)).rejects.toThrow(refused("damaged"));
  });

  it("is refused when a folder is in its place or around it no folder can be made", async () => {
    const file = newFile();
    mkdirSync(file, { recursive: true });
    await expect(open(file)).rejects.toThrow(refused("can be written to"));
    await expect(open(join("/dev/null", "keys.db"))).rejects.toThrow(refused("can be written to"));
  });

  it("is unchanged when the disk is full, and says that it is unavailable", async () => {
    const file = newFile();
    const databases = new FailingDatabases();
    const store = await open(file, { connect: databases.connect });
    await store.add(new Map([["a", key(1)]]));
    databases.limitPages(1);
    const many = new Map(Array.from({ length: 500 }, (_, index) => [`name ${index}`, key(index % 256)]));
    await expect(store.add(many)).rejects.toMatchObject({
      code: "unavailable",
      message: "The file keys.db cannot be written: the disk is full. Free some space, then try again.",
    });
    expect(await store.names("", { limit: 9 })).toEqual(["a"]);
    databases.heal();
    await store.add(many);
    expect(await store.names("", { limit: 999 })).toHaveLength(501);
  });

  it("says that another program has locked it, at once, and works again afterwards", async () => {
    const file = newFile();
    const store = await open(file);
    await store.add(new Map([["b", key(2)]]));
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    const locked = {
      code: "unavailable",
      message:
        "The file keys.db cannot be written: another program has locked the file. End that program, or wait until it is done, then try again.",
    };
    await expect(store.add(new Map([["a", key(1)]]))).rejects.toMatchObject(locked);
    await expect(store.delete(["b"])).rejects.toMatchObject(locked);
    other.exec("ROLLBACK");
    await store.add(new Map([["a", key(1)]]));
    expect(await store.names("", { limit: 9 })).toEqual(["a", "b"]);
  });

  it("says that it is locked when another program has locked it at the start", async () => {
    const file = newFile();
    (await open(file)).close();
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
    await expect(open(file)).rejects.toThrow(refused("another program has locked the file"));
  });

  it("says that it is read-only, at the start and later", async () => {
    const file = newFile();
    const connections: DatabaseSync[] = [];
    const connect = (path: string) => {
      const database = new DatabaseSync(path);
      connections.push(database);
      return database;
    };
    const store = await open(file, { connect });
    connections[0]?.exec("PRAGMA query_only = ON");
    await expect(store.add(new Map([["a", key(1)]]))).rejects.toMatchObject({
      code: "unavailable",
      message:
        "The file keys.db cannot be written: the file or its folder is read-only. Make both writable for Earshot, then try again.",
    });
    await store.close();
    rmSync(file);
    await expect(open(file, { connect: (path) => new DatabaseSync(path, { readOnly: true }) })).rejects.toThrow(
      refused("read-only"),
    );
  });

  it("says that it is damaged when it is damaged while it is open", async () => {
    const file = newFile();
    const connections: DatabaseSync[] = [];
    const connect = (path: string) => {
      const database = new DatabaseSync(path);
      connections.push(database);
      return database;
    };
    const store = await open(file, { connect });
    await store.add(new Map(Array.from({ length: 500 }, (_, index) => [`name ${index}`, key(index % 256)])));
    await store.scrub();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096);
    writeFileSync(file, bytes);
    // Pages that SQLite has in memory would be read from there.
    connections[0]?.exec("PRAGMA shrink_memory");
    await expect(store.find(["name 7"])).rejects.toMatchObject({
      code: "unavailable",
      message:
        "The file keys.db cannot be read: the file is damaged. Stop Earshot, put the file back from where it was saved, then start again.",
    });
  });

  it.each(["before", "after"] as const)(
    "keeps all of a change or nothing when SQLite fails %s any call",
    async (moment) => {
      for (let call = 1; ; call += 1) {
        const file = newFile();
        const databases = new FailingDatabases();
        const store = await open(file, { connect: databases.connect });
        await store.add(new Map([["a", key(1)]]));
        const first = databases.calls + 1;
        databases.failAt(first + call, { moment, errcode: 10 });
        const outcomes = await Promise.allSettled([
          store.add(new Map([["b", key(2)] as const, ["c", key(3)] as const])),
          store.delete(["a", "b"]),
        ]);
        for (const outcome of outcomes)
          if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "unavailable" });
        const isDone = databases.calls < first + call;
        databases.heal();
        await store.close();
        const names = await (await open(file)).names("", { limit: 9 });
        expect(["a,b,c", "a", "c", ""]).toContain(names.join());
        if (outcomes[1]?.status === "fulfilled") expect(names).not.toContain("a");
        if (isDone) break;
      }
    },
  );
});
