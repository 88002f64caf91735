import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { admin } from "../../../test/support/admin.ts";
import { describeOnPostgres } from "../../../test/support/postgres.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { Transaction } from "../database.ts";
import { createEpisodeStore } from "../episode-store.ts";

describeOnPostgres("transactions of PostgreSQL", (schema) => {
  const add = (change: Transaction, hash: string) => change.insert("opt_outs", [{ hash, opted_out_at: 1 }]);

  it("are undone where the work uses anything but its transaction, or waits for anything else", async () => {
    const database = await schema.emptyDatabase();
    const hashes = () => database.query<{ hash: string }>("SELECT hash FROM opt_outs");
    let kept: Transaction | null = null;
    for (const breach of [hashes, () => database.transaction((change) => add(change, "inner")), () => wait(5)]) {
      const broken = database.transaction(async (change) => {
        kept = change;
        await add(change, "outer");
        await breach();
      });
      await expect(broken).rejects.toMatchObject({ code: "internal" });
    }
    await expect(add(kept as never, "late")).rejects.toMatchObject({ code: "internal" });
    expect(await hashes()).toEqual([]);
  });

  it("fail where one of their statements fails, even if the work goes on", async () => {
    const database = await schema.emptyDatabase();
    const broken = database.transaction(async (change) => {
      await add(change, "one");
      await add(change, "one").catch(() => {});
      return "done";
    });
    await expect(broken).rejects.toMatchObject({ code: "unavailable" });
    expect(await database.query("SELECT hash FROM opt_outs")).toEqual([]);
  });

  it("are done again where two wait for each other", async () => {
    const database = await schema.emptyDatabase();
    await database.transaction((change) => Promise.all([add(change, "a"), add(change, "b")]).then(() => {}));
    const raise = (hashes: readonly string[]) =>
      database.transaction(async (change) => {
        for (const hash of hashes) {
          await change.run("UPDATE opt_outs SET opted_out_at = opted_out_at + 1 WHERE hash = :hash", { hash });
          await change.query("SELECT pg_sleep(0.1)");
        }
      });
    await Promise.all([raise(["a", "b"]), raise(["b", "a"])]);
    const rows = await database.query("SELECT opted_out_at FROM opt_outs ORDER BY hash");
    expect(rows).toEqual([{ opted_out_at: 3 }, { opted_out_at: 3 }]);
  });

  it("take any text, the largest among them, lists empty or longer than a statement has parameters, and infinite bounds", async () => {
    const database = await schema.emptyDatabase();
    const odd = ["a\0b", "c\ud800d", "é".repeat(32_768), "x' OR 1=1 --", '{"\\', "\u{1f600}"];
    await database.transaction((change) => Promise.all(odd.map((hash) => add(change, hash))).then(() => {}));
    const find = (hashes: readonly string[]) =>
      database.query<{ hash: string }>("SELECT hash FROM opt_outs WHERE hash = ANY(:hashes) ORDER BY hash", { hashes });
    expect((await find(odd)).map(({ hash }) => hash)).toEqual(
      odd
        .map((hash) => hash.toWellFormed().replaceAll("\0", "\ufffd"))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    expect(await find([])).toEqual([]);
    expect(await find(Array.from({ length: 70_000 }, (_, index) => String(index)))).toEqual([]);
    const between = "SELECT count(*) AS found FROM opt_outs WHERE opted_out_at > :from AND opted_out_at < :until";
    expect(await database.query(between, { from: -Infinity, until: Infinity })).toEqual([{ found: odd.length }]);
    await expect(database.query(between, { from: 1 })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("are counted by the bytes of the rows that are there, in files that stay as large as they were", async () => {
    const database = await schema.emptyDatabase();
    const before = await database.usedBytes();
    const rows = Array.from({ length: 2_000 }, (_, seq) => ({
      ...{ seq: seq + 1, operation_id: `operation ${seq}`, name: "event", happened_at: 1, hash: "" },
      detail_json: JSON.stringify({ text: String(seq).repeat(60) }),
    }));
    await database.transaction((change) => change.insert("audit_events", rows));
    const used = (await database.usedBytes()) - before;
    await admin("VACUUM FULL audit_events", schema.url);
    const [file] = await admin("SELECT pg_total_relation_size('audit_events')::int AS bytes", schema.url);
    expect(used / Number(file?.["bytes"])).toBeGreaterThan(0.7);
    expect(used / Number(file?.["bytes"])).toBeLessThan(1.4);
    await database.transaction((change) => change.run("DELETE FROM audit_events WHERE seq > 500"));
    const left = (await database.usedBytes()) - before;
    expect(left / used).toBeGreaterThan(0.2);
    expect(left / used).toBeLessThan(0.3);
  });

  it("erase a person's talk together with what is being added to it", async () => {
    const database = await schema.emptyDatabase();
    const store = createEpisodeStore(database);
    const ids = { id: "talk", partnerId: "1" as UserId, channelId: "2" as ChannelId, guildId: null };
    const line = { authorId: "1" as UserId, isBot: false, replyTo: null, sentAt: 1 };
    await store.add({ ...ids, isBot: false, startedAt: 1, lastAt: 1 }, [{ ...line, messageId: "3" as MessageId }]);
    const adding = database.transaction(async (change) => {
      await change.run("UPDATE episodes SET last_at = 2");
      await change.query("SELECT pg_sleep(0.3)");
      await change.run("INSERT INTO episode_messages VALUES ('talk', '4', '1', NULL, 0, 2)");
    });
    await wait(100);
    expect(await store.erase("1" as UserId)).toBe(1);
    await adding;
    expect(await database.query("SELECT message_id FROM episode_messages")).toEqual([]);
  });
});
