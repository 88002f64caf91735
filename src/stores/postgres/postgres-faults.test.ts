import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { admin } from "../../../test/support/admin.ts";
import { createTestConsent } from "../../../test/support/consent.ts";
import { openMemoryOn } from "../../../test/support/memory.ts";
import { toNewFact } from "../../../test/support/new-fact.ts";
import { describeOnPostgres, TestSchema } from "../../../test/support/postgres.ts";
import { openTcpProxy } from "../../../test/support/tcp-proxy.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { createTalkEraser, Erasers } from "../../gate/memory/erase-person.ts";
import { Episodes } from "../../memory/episodes.ts";
import { openAudit } from "../../policy/audit.ts";
import { verifyAudit } from "../../policy/verify-audit.ts";
import { createAnswerStore } from "../answer-store.ts";
import { createAuditStore } from "../audit-store.ts";
import { type Database, urgently } from "../database.ts";
import { createEpisodeStore } from "../episode-store.ts";
import { createFactStore } from "../fact-store.ts";
import { openKeyStore } from "../key-store.ts";
import { createSignInStore } from "../sign-in-store.ts";
import { createSpendStore } from "../spend-store.ts";
import { type OpenPostgresOptions, openPostgres, openPostgresKeys } from "./open-postgres.ts";

const unavailable = (words: string) => ({ code: "unavailable", message: expect.stringContaining(words) });

describeOnPostgres("PostgreSQL behind a bad network", () => {
  /** `onCommit`: what becomes of the next COMMIT, and of everything after it. */
  async function open(options?: OpenPostgresOptions) {
    const schema = await new TestSchema().create();
    const fault: { onCommit: "lost" | "unanswered" | null } = { onCommit: null };
    let isCommitted = false;
    const passes = (chunk: Buffer, isFromClient: boolean) => {
      if (isFromClient && fault.onCommit && chunk.includes("COMMIT\0")) {
        const { onCommit } = fault;
        fault.onCommit = null;
        isCommitted = onCommit === "unanswered";
        setTimeout(() => void cut(), 100);
        return isCommitted;
      }
      return isFromClient || !isCommitted;
    };
    const proxy = await openTcpProxy(() => schema.port, { passes });
    const database = await openPostgres(schema.through(proxy.port), options);
    let isCut = false;
    const cut = async () => {
      isCut = true;
      await proxy.cut();
      isCommitted = false;
    };
    const restore = async () => {
      if (isCut) await proxy.restore();
      isCut = false;
    };
    onTestFinished(async () => {
      await restore();
      await database.close();
      proxy.close();
      await schema.drop();
    });
    const counted = async () => (await admin("SELECT input_tokens FROM spend_day", schema.url))[0]?.["input_tokens"];
    await database.transaction((change) =>
      change.insert("spend_day", [{ started_at: 0, input_tokens: 0, output_tokens: 0 }]),
    );
    return { schema, database, proxy, fault, counted, cut, restore };
  }
  const count = (database: Database, onWork = () => {}) =>
    database.transaction(async (change) => {
      onWork();
      await change.run("UPDATE spend_day SET input_tokens = input_tokens + 1");
      return "counted";
    });

  it.each(["lost", "unanswered"] as const)(
    "does once what a connection lost during COMMIT left %s",
    async (onCommit) => {
      const { database, fault, counted, restore } = await open();
      fault.onCommit = onCommit;
      let works = 0;
      const counting = count(database, () => {
        works += 1;
      });
      await expect.poll(() => fault.onCommit).toBeNull();
      await wait(400);
      await restore();
      expect(await counting).toBe("counted");
      expect([works, await counted()]).toEqual([onCommit === "lost" ? 2 : 1, "1"]);
    },
  );

  it("refuses to write and to read while it is away, and recovers by itself", async () => {
    const outcomes: unknown[] = [];
    const { database, counted, cut, restore } = await open({ onOutcome: (error) => outcomes.push(error) });
    await cut();
    await expect(count(database)).rejects.toMatchObject(unavailable("cannot be reached"));
    await expect(database.query("SELECT 1 AS one")).rejects.toMatchObject(unavailable("cannot be reached"));
    expect(outcomes.at(-1)).toMatchObject(unavailable("cannot be reached"));
    await restore();
    expect(await count(database)).toBe("counted");
    expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect([outcomes.at(-1), await counted()]).toEqual([null, "1"]);
  });

  it("gives up on a server that says nothing any more, and goes on through new connections", async () => {
    const { database, proxy, counted } = await open({ statementMs: 100 });
    const release = proxy.holdAnswers();
    await expect(count(database)).rejects.toMatchObject(unavailable("The database does not answer"));
    expect(await count(database)).toBe("counted");
    release();
    expect(await counted()).toBe("1");
  });

  it("gives up on a statement that takes too long, and undoes its transaction", async () => {
    const { database, counted } = await open({ statementMs: 300 });
    const slow = database.transaction(async (change) => {
      await change.run("UPDATE spend_day SET input_tokens = 7");
      await change.query("SELECT pg_sleep(5)");
    });
    await expect(slow).rejects.toMatchObject(unavailable("takes too long"));
    expect(await counted()).toBe("0");
    expect(await count(database)).toBe("counted");
  });

  it("waits for a row that another program has locked for half as long, and leaves no transaction idle for longer than a moment", async () => {
    const { schema, database, counted } = await open({ statementMs: 600 });
    const holder = new pg.Client({ connectionString: schema.url });
    await holder.connect();
    await holder.query("BEGIN; UPDATE spend_day SET input_tokens = 7");
    await expect(count(database)).rejects.toMatchObject(unavailable("takes too long"));
    await holder.end();
    expect([await count(database), await counted()]).toEqual(["counted", "1"]);
    const settings = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
    const read = settings.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
    expect(await database.query(`SELECT ${read}`)).toEqual([
      { statement_timeout: "600ms", lock_timeout: "300ms", idle_in_transaction_session_timeout: "10s" },
    ]);
  });

  it("keeps a connection for the audit and for erasing while reads take all others", async () => {
    const { schema, database } = await open({ statementMs: 60_000 });
    const holder = new pg.Client({ connectionString: schema.url });
    await holder.connect();
    await holder.query("SELECT pg_advisory_lock(7)");
    const reads = Array.from({ length: 12 }, () => database.query("SELECT pg_advisory_xact_lock_shared(7)"));
    const person = "1" as UserId;
    await createFactStore(database).change({ delete: ["1"] });
    await createFactStore(database).forgetWriter(person);
    await createEpisodeStore(database).erase(person);
    await createSpendStore(database).erase(person);
    await createAnswerStore(database).erase(person);
    await createSignInStore(database).end([person]);
    await database.send((change) => change.run("DELETE FROM audit_events"));
    await holder.end();
    await Promise.all(reads);
  });

  it("runs a whole erasure, with its reads, while other reads take all connections but the kept ones", async () => {
    const { schema, database } = await open({ statementMs: 60_000 });
    const keysDatabase = await openPostgresKeys(schema.url, { statementMs: 60_000 });
    const keys = await openKeyStore(keysDatabase, () => "store");
    onTestFinished(() => keys.close());
    const [person, clock, consent] = ["11" as UserId, { now: () => 1 }, createTestConsent()];
    const { memory, vault } = await openMemoryOn({ facts: createFactStore(database), keys }, { consent, clock });
    const fact = await vault.add(toNewFact("green", { user: person }));
    await vault.add(toNewFact("blue", { user: person }));
    const talk = { id: "talk", partnerId: person, isBot: false, channelId: "7" as ChannelId, guildId: null };
    const episodeStore = createEpisodeStore(database);
    await episodeStore.add({ ...talk, startedAt: 1, lastAt: 1 }, []);
    const answers = createAnswerStore(database);
    const asked = { questionId: "8", channelId: talk.channelId, actorId: person, operationId: "9", postedAt: 1 };
    const cited = { type: "memory_fact", ref: fact.row.id, personId: person } as const;
    await answers.notePosted({ ...asked, sources: [cited], answerIds: ["10" as MessageId] });
    const erasers = new Erasers();
    erasers.add({ name: "facts", erase: (one) => memory.erase(one) });
    const find = async () => undefined;
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const episodes = new Episodes({
      ...{ store: episodeStore, botId: "12" as UserId, consent, retentionMs: 1, find, clock, log, mintId: () => "one" },
    });
    erasers.add(createTalkEraser(episodes));
    erasers.add({
      name: "answers",
      async erase(one) {
        const [own, citing] = [await answers.answersFor(one), await answers.answersCiting({ personId: one })];
        for (const { answerIds } of [...own, ...citing]) for (const id of answerIds) await answers.removeAnswer(id);
        await answers.erase(one);
        return {};
      },
    });

    const holder = new pg.Client({ connectionString: schema.url });
    await holder.connect();
    await holder.query("SELECT pg_advisory_lock(7)");
    const hold = (held: Database, count: number) =>
      Array.from({ length: count }, () => held.query("SELECT pg_advisory_xact_lock_shared(7)"));
    const reads = [...hold(database, 12), ...hold(keysDatabase, 3)];
    const erased = urgently(() => erasers.erasePerson(person)).finally(() => holder.end());
    expect(await erased).toMatchObject({ facts: 2, areKeysDeleted: true, talks: 1 });
    await Promise.all(reads);
    expect([await episodes.count(person), await answers.answersFor(person)]).toEqual([0, []]);
    expect(await memory.find({ subjectId: person })).toEqual([]);
  });

  it("ends a transaction that is not done in time when it is closed, and leaves the database to the next process", async () => {
    const { schema, database, counted } = await open({ statementMs: 400 });
    const begun = Promise.withResolvers<void>();
    const busy = database.transaction(async (change) => {
      await change.run("UPDATE spend_day SET input_tokens = 7");
      begun.resolve();
      for (let left = 10; left > 0; left -= 1) await change.query("SELECT pg_sleep(0.2)");
    });
    const failed = expect(busy).rejects.toMatchObject({ code: "unavailable" });
    await begun.promise;
    await Promise.all([database.close(), failed]);
    await expect(count(database)).rejects.toMatchObject(unavailable("closed"));
    await (await openPostgres(schema.url)).close();
    expect(await counted()).toBe("0");
  });

  /** Ends the connection that holds the lock. */
  async function unlock({ name }: TestSchema): Promise<void> {
    const lock = `(hashtextextended('${name}.earshot_writers', 0) & 4294967295)::oid`;
    const ended = await admin(`SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND objid = ${lock}`);
    expect(ended).toHaveLength(1);
    await wait(100);
  }

  it("writes again once it holds the lock again that was lost with its connection", async () => {
    const { schema, database, counted } = await open();
    await unlock(schema);
    expect([await count(database), await counted()]).toEqual(["counted", "1"]);
    await expect(openPostgres(schema.url)).rejects.toMatchObject({ code: "misconfigured" });
  });

  it("writes nothing more after another process has taken it over, until it is started again", async () => {
    const { schema, database, counted } = await open();
    await unlock(schema);
    const another = await openPostgres(schema.url);
    await expect(count(database)).rejects.toMatchObject(unavailable("The database is used by another Earshot"));
    await another.close();
    await expect(count(database)).rejects.toMatchObject(unavailable("another Earshot has taken it over"));
    expect(await counted()).toBe("0");
  });

  it("goes on with the audit where nobody could say for a while whether it was written", async () => {
    const { database, fault, restore } = await open();
    const store = createAuditStore(database);
    const [key, warnings] = [new Uint8Array(32), [] as unknown[]];
    const note = (...given: unknown[]) => void warnings.push(given);
    const log = { debug: note, info: note, warn: note, error: note } as never;
    const audit = await openAudit(store, { key, log, clock: { now: () => 1 }, mintId: () => "one" });
    const happened = (name: string) =>
      audit.note({
        kind: "event",
        row: { operation_id: "", name, detail_json: '{"text":"\\u0000\\ud800"}', happened_at: 1 },
      });
    fault.onCommit = "unanswered";
    happened("first");
    await expect(audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    happened("second");
    await expect(audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    await restore();
    await audit.settled();
    expect((await store.housekeeping(9)).map(({ name }) => name)).toEqual(["second", "first"]);
    expect(await verifyAudit(store, { key })).toMatchObject({ ok: true, rows: 2 });
    await audit.close();
  });
});
