import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { toStamp } from "../../src/backup-names.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { ADA, BO, CEM } from "../support/small-world.ts";

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
    const { lose, restore, made, data, keysFolder } = await arrive();
    lose("");
    let copy = made.keysFolder;
    const date = (time: number) => {
      const next = join(keysFolder, toStamp(time));
      renameSync(copy, next);
      copy = next;
    };
    date(Date.now() - 7.01 * DAY_MS);
    await expect(restore(yes)).rejects.toThrow("older than 7 days are not restored");
    date(Date.now() + 60_000);
    await expect(restore(yes)).rejects.toThrow("in the future");
    expect(list(data)).toEqual([]);
    date(Date.now() - 6.99 * DAY_MS);
    expect(await restore(yes)).toMatchObject({ facts: 3 });
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
