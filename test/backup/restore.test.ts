import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { toStamp } from "../../src/storage/backup-names.ts";
import { createDataFolder, signInAs } from "../support/data-folder.ts";
import { ADA, BO, CEM, GUILD } from "../support/small-world.ts";

const DAY_MS = 86_400_000;
const yes = { confirm: async () => true };

/** A folder in which Ada has shared four facts, one of which rests on words of Bo's, with a backup. Since then: one forgotten, one added, Bo opted out. */
async function arrive() {
  const folder = createDataFolder();
  onTestFinished(folder.remove);
  const before = await folder.start();
  await before.remember(ADA, ["city", "Berlin"]);
  await before.remember(ADA, ["pet", "cat"]);
  await before.remember(ADA, ["guest", "Bo"], BO);
  await before.close();
  const made = await folder.backUp();
  const after = await folder.start();
  const [pet] = (await after.own.list(ADA as UserId)).filter(({ fact }) => fact.name === "pet");
  await after.own.forget(ADA as UserId, pet?.fact.id ?? "");
  await after.remember(ADA, ["food", "soup"]);
  await after.consent.leaveOut(BO as UserId);
  expect(await after.hear(CEM, ADA)).toEqual(["Berlin", "soup"]);
  await after.close();
  const start = async () => {
    const started = await folder.start();
    onTestFinished(started.close);
    return started;
  };
  return { ...folder, made, start };
}

/** Without locks, which stay. */
const list = (folder: string) =>
  (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !name.endsWith(".lock")).sort();

describe("restoreFolder", () => {
  it("never brings back a key that a surviving keys.db lacks, and tells restored facts to their owner alone", async () => {
    const { lose, restore, start, made } = await arrive();
    lose("earshot.db");
    expect(await restore()).toMatchObject({ replaced: "database", backup_at: made.time, facts: 2, erased: 1 });
    const { hear, own } = await start();
    expect([await hear(CEM, ADA), await hear(CEM, ADA, true), await hear(ADA, ADA)]).toEqual([[], [], []]);
    expect(await hear(ADA, ADA, true)).toEqual(["Berlin", "Bo"]);
    const facts = await own.list(ADA as UserId);
    expect(facts.map(({ dormant }) => dormant)).toEqual(["restored", "restored"]);
    const city = facts.find(({ fact }) => fact.name === "city");
    await own.keep(ADA as UserId, city?.fact.id ?? "");
    expect(await hear(CEM, ADA)).toEqual(["Berlin"]);
  });

  it("takes endings and opt-outs from a surviving earshot.db when keys.db is lost", async () => {
    const { lose, restore, start } = await arrive();
    lose("keys.db");
    await expect(start()).rejects.toThrow("The file keys.db is missing");
    expect(await restore()).toMatchObject({ replaced: "keys", facts: 2, erased: 1 });
    const { hear, consent } = await start();
    expect(consent.isLeftOut(BO as UserId)).toBe(true);
    expect([await hear(CEM, ADA), await hear(ADA, ADA, true)]).toEqual([["Berlin"], ["Berlin"]]);
  });

  it.each([
    [
      "forgotten",
      (factId: string) => ({ name: "memory_forgotten", detail: { actor_id: ADA, fact_ref: `${factId}@1` } }),
    ],
    ["erased with all others", () => ({ name: "memory_erased", detail: { actor_id: ADA } })],
    [
      "forgotten by a tool",
      (factId: string) => ({
        name: "memory_forgotten",
        detail: { fact_ref: `${factId}@1`, facts: 1 },
        operation: "operation-1",
      }),
    ],
  ])("ends a fact that is back in a surviving earshot.db, when its audit says that it was %s", async (_, toEvent) => {
    const { lose, restore, start, made, data } = await arrive();
    const before = new DatabaseSync(join(made.folder, "earshot.db"), { readOnly: true });
    const known = before.prepare("SELECT id FROM memory_facts").all() as { id: string }[];
    before.close();
    const { audit, facts, close } = await start();
    const ids = await Promise.all(
      known.map(async ({ id }) => ((await facts.findByIds([id])).length === 0 ? [id] : [])),
    );
    const [gone = ""] = ids.flat();
    const { name, detail, operation = "" } = toEvent(gone) as ReturnType<typeof toEvent> & { operation?: string };
    const row = { operation_id: operation, name, detail_json: JSON.stringify(detail), happened_at: made.time + 1 };
    audit.note({ kind: "event", row });
    await audit.settled();
    await close();
    // As a repair of the file may bring back rows that were deleted.
    const survivor = new DatabaseSync(join(data, "earshot.db"));
    survivor.prepare("ATTACH ? AS backup").run(join(made.folder, "earshot.db"));
    survivor.prepare("INSERT INTO memory_facts SELECT * FROM backup.memory_facts WHERE id = ?").run(gone);
    survivor.prepare("INSERT INTO stored_sources SELECT * FROM backup.stored_sources WHERE owner_id = ?").run(gone);
    survivor.close();
    lose("keys.db");
    await restore();
    const { hear } = await start();
    expect(await hear(ADA, ADA, true)).not.toContain("cat");
  });

  it("asks before it restores without a survivor, and then tells every fact to its owner alone", async () => {
    const { lose, restore, start, made, data } = await arrive();
    lose("");
    await expect(restore()).rejects.toThrow("Nothing was restored.");
    expect(list(data)).toEqual([]);
    const asked: number[] = [];
    const confirm = async (since: number) => asked.push(since) > 0;
    expect(await restore({ confirm })).toMatchObject({ replaced: "both", facts: 3, erased: 0 });
    expect(asked).toEqual([made.time]);
    const { hear, restores } = await start();
    expect([await hear(CEM, ADA), await hear(CEM, ADA, true), await hear(ADA, ADA)]).toEqual([[], [], []]);
    expect(await hear(ADA, ADA, true)).toEqual(["Berlin", "Bo", "cat"]);
    expect(restores).toMatchObject([{ backup_at: made.time, replaced: "both" }]);
  });

  it("tells a fact about the server, which has no owner, to nobody until it is remembered again", async () => {
    const { backUp, lose, restore, start } = await arrive();
    const server = { scope: "org", scopeId: GUILD, subjectId: null } as const;
    const before = await start();
    await before.remember(ADA, ["mascot", "heron"], ADA, server);
    expect([await before.hear(ADA, null, true), await before.hear(CEM, null)]).toEqual([["heron"], ["heron"]]);
    await before.close();
    await backUp();
    lose("");
    await restore(yes);
    const { hear, remember } = await start();
    for (const [listener, isPrivate] of [ADA, BO, CEM].flatMap((each) => [
      [each, true] as const,
      [each, false] as const,
    ]))
      expect(await hear(listener, null, isPrivate)).toEqual([]);
    await remember(ADA, ["mascot", "heron"], ADA, server);
    expect([await hear(ADA, null), await hear(CEM, null, true)]).toEqual([["heron"], ["heron"]]);
  });

  it("tells a fact to its owner alone whose time is ahead of a clock that was set back", async () => {
    const folder = createDataFolder();
    onTestFinished(folder.remove);
    const before = await folder.start();
    await before.remember(ADA, ["city", "Berlin"]);
    await before.close();
    const clock = { now: () => Date.now() - 3_600_000 };
    await folder.backUp(clock);
    folder.lose("earshot.db");
    await folder.restore({ clock });
    const after = await folder.start();
    onTestFinished(after.close);
    expect([await after.hear(CEM, ADA), await after.hear(ADA, ADA, true)]).toEqual([[], ["Berlin"]]);
    await after.remember(ADA, ["city", "Bonn"]);
    expect(await after.hear(CEM, ADA)).toEqual(["Bonn"]);
  });

  it("refuses while a program runs, when nothing is missing, and over a file that cannot be opened", async () => {
    const { lose, restore, start, data } = await arrive();
    await expect(restore()).rejects.toThrow("Nothing is missing");
    const { close } = await start();
    await expect(restore()).rejects.toThrow("Stop it, then restore");
    await close();
    lose("earshot.db");
    const keys = readFileSync(join(data, "keys.db"));
    writeFileSync(join(data, "keys.db"), keys.fill(7, 0, 100));
    await expect(restore(yes)).rejects.toThrow("so it is not replaced");
    expect(list(data)).not.toContain("earshot.db");
    expect(readFileSync(join(data, "keys.db"))).toEqual(keys);
  });

  it("refuses copies of keys that are older than seven days or from the future, and changes nothing", async () => {
    const { backUp, lose, restore, made, data, keysFolder } = await arrive();
    rmSync(made.keysFolder, { recursive: true });
    const [old, young, future] = [-7.01, -6.99, 1].map((days) => Date.now() + days * DAY_MS) as [
      number,
      number,
      number,
    ];
    const ahead = await backUp({ now: () => future });
    const { keysFolder: youngFolder } = await backUp({ now: () => young });
    await backUp({ now: () => old });
    lose("");
    await expect(restore(yes)).rejects.toThrow("in the future");
    for (const each of [ahead.folder, ahead.keysFolder]) rmSync(each, { recursive: true });
    renameSync(youngFolder, join(data, "..", "aside"));
    await expect(restore(yes)).rejects.toThrow("older than 7 days are not restored");
    expect(list(data)).toEqual([]);
    renameSync(join(data, "..", "aside"), join(keysFolder, toStamp(young)));
    expect(await restore(yes)).toMatchObject({ backup_at: young });
  });

  it("takes the age of copied keys from the copy itself, whatever its folder is called", async () => {
    const { backUp, lose, restore, made, data, keysFolder } = await arrive();
    rmSync(made.keysFolder, { recursive: true });
    const { keysFolder: copy } = await backUp({ now: () => Date.now() - 8 * DAY_MS });
    const renamed = join(keysFolder, toStamp(Date.now() - DAY_MS));
    renameSync(copy, renamed);
    lose("");
    await expect(restore(yes)).rejects.toThrow("older than 7 days are not restored");
    const file = new DatabaseSync(join(renamed, "keys.db"));
    file.exec("DROP TABLE copied");
    file.close();
    await expect(restore(yes)).rejects.toThrow("does not say when it was made");
    expect(list(data)).toEqual([]);
  });

  it("deletes old copies of keys by the age that they tell themselves, and a restored one is no copy any more", async () => {
    const { backUp, lose, restore, start, keysFolder } = await arrive();
    const { keysFolder: copy } = await backUp({ now: () => Date.now() - 8 * DAY_MS });
    renameSync(copy, join(keysFolder, toStamp(Date.now() - DAY_MS)));
    expect((await backUp()).deleted).toBe(1);
    lose("keys.db");
    await restore();
    await (await start()).close();
    const { time } = await backUp();
    lose("keys.db");
    expect(await restore()).toMatchObject({ backup_at: time });
  });

  it("refuses the keys of another data folder, and changes nothing", async () => {
    const { lose, restore, made, data } = await arrive();
    const other = await arrive();
    lose("keys.db");
    const before = readFileSync(join(data, "earshot.db"));
    renameSync(join(other.made.keysFolder, "keys.db"), join(made.keysFolder, "keys.db"));
    await expect(restore()).rejects.toThrow("belongs to another data folder");
    expect(list(data)).toEqual(["audit.key", "earshot.db"]);
    expect(readFileSync(join(data, "earshot.db"))).toEqual(before);
  });

  it("does not take the log of a lost file for that of the restored one", async () => {
    const { lose, restore, start, data } = await arrive();
    lose("earshot.db");
    writeFileSync(join(data, "earshot.db-wal"), "what a crash left");
    await restore();
    expect(list(data)).not.toContain("earshot.db-wal");
    await start();
  });

  it.each(["earshot.db", "keys.db"])(
    "ends every sign-in where %s is put back: it may have been ended since",
    async (lost) => {
      const folder = createDataFolder();
      onTestFinished(folder.remove);
      const before = await folder.start();
      await signInAs(ADA, before.signIns);
      await before.close();
      await folder.backUp();
      folder.lose(lost);
      await folder.restore();
      const after = await folder.start();
      onTestFinished(after.close);
      expect(await after.signIns.load(0)).toEqual({ signIns: [], tokens: [] });
      expect(await after.signIns.token("refresh")).toBeUndefined();
      expect(await after.signIns.registration("editor")).toBeUndefined();
    },
  );

  it("lets a confined client say nothing afterwards and leaves no question to be answered again", async () => {
    const folder = createDataFolder();
    onTestFinished(folder.remove);
    const before = await folder.start();
    const claim = { questionId: "77", channelId: "4000" as ChannelId, actorId: ADA as UserId, operationId: "1" };
    await before.answers.claim({ ...claim, claimedAt: Date.now() });
    expect(await before.sayConfined()).toContain("message_id");
    await before.close();
    await folder.backUp();
    folder.lose("earshot.db");
    await folder.restore();
    const after = await folder.start();
    onTestFinished(after.close);
    expect(await after.answers.unfinished()).toEqual([]);
    expect(await after.sayConfined()).toBe("unavailable");
  });
});

it("a backup by a program that sees other folders ends with that, and not with a damaged database", async () => {
  const folder = createDataFolder();
  onTestFinished(folder.remove);
  const running = await folder.start();
  onTestFinished(() => running.close());
  const backUp = folder.backUp(undefined, async () => undefined);
  await expect(backUp).rejects.toThrow("sees other folders than this command");
});
