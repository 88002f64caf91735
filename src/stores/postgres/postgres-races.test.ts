import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { admin } from "../../../test/support/admin.ts";
import { createDataFolder } from "../../../test/support/data-folder.ts";
import { describeOnPostgres } from "../../../test/support/postgres.ts";
import { ADA } from "../../../test/support/small-world.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { createAnswerStore } from "../answer-store.ts";
import { createEpisodeStore } from "../episode-store.ts";
import { createFactStore } from "../fact-store.ts";
import { createSignInStore } from "../sign-in-store.ts";

const KEY = 7_001;
const [PERSON, CHANNEL] = ["1" as UserId, "2" as ChannelId];

describeOnPostgres("two that write at the same time", (schema) => {
  /** The first waits right before it adds or changes rows of the table, until the second is done or waits for it, in the database unless `isBlocked` says otherwise. */
  async function race<Result>(
    table: string,
    first: () => Promise<Result>,
    second: () => Promise<Result>,
    isBlocked = async (count: number) => count === 2,
  ) {
    const holder = new pg.Client({ connectionString: schema.url });
    await holder.connect();
    await admin(
      `CREATE OR REPLACE FUNCTION ${schema.name}.pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(${KEY}, hashtext('${schema.name}')); RETURN NULL; END $$;
      CREATE TRIGGER pause BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION ${schema.name}.pause()`,
      schema.url,
    );
    const lock = `(${KEY}, hashtext('${schema.name}'))`;
    const [own] = (await holder.query(`SELECT pg_backend_pid() AS pid, pg_advisory_lock${lock}`)).rows;
    const waiting = async () => {
      const rows =
        await admin(`WITH first AS (SELECT pid FROM pg_stat_activity WHERE ${own.pid} = ANY(pg_blocking_pids(pid)))
        SELECT pid FROM first UNION SELECT pid FROM pg_stat_activity
          WHERE pg_blocking_pids(pid) && ARRAY(SELECT pid FROM first)`);
      return rows.length;
    };
    const one = first();
    await expect.poll(waiting).toBe(1);
    let isDone = false;
    const two = second().finally(() => {
      isDone = true;
    });
    await expect.poll(async () => isDone || isBlocked(await waiting())).toBe(true);
    // Its lock ends with it.
    await holder.end();
    const results = await Promise.all([one, two]);
    await admin(`DROP TRIGGER pause ON ${table}`, schema.url);
    return results;
  }

  const signIn = {
    ...{ id: "s", personId: PERSON, clientId: "c", program: "p", redirectHost: "h", allowed: [] },
    ...{ createdAt: 1, usedAt: 1, expiresAt: null },
  };
  const token = { hash: "t", kind: "access", signInId: "s", payload: "{}", expiresAt: 9, consumedAt: null } as const;
  const source = { type: "discord_message", ref: "2/9", personId: PERSON } as const;
  const answer = {
    ...{ answerIds: ["5" as MessageId], questionId: "4", channelId: CHANNEL, actorId: PERSON, operationId: "o" },
    ...{ postedAt: 1, sources: [source] },
  };

  it("claim a question once", async () => {
    const store = createAnswerStore(await schema.emptyDatabase());
    const claim = (operationId: string) => () =>
      store.claim({ questionId: "4", channelId: CHANNEL, actorId: PERSON, operationId, claimedAt: 1 });
    expect((await race("answer_jobs", claim("a"), claim("b"))).toSorted()).toEqual([false, true]);
  });

  it("begin an answer again once", async () => {
    const store = createAnswerStore(await schema.emptyDatabase());
    await store.claim({ questionId: "4", channelId: CHANNEL, actorId: PERSON, operationId: "a", claimedAt: 1 });
    const again = () => store.claimAgain({ questionId: "4", state: "claimed", attempts: 1 }, 2);
    expect((await race("answer_jobs", again, again)).toSorted()).toEqual([false, true]);
    expect((await store.find("4"))?.attempts).toBe(2);
  });

  it("consume a refresh token once", async () => {
    const store = createSignInStore(await schema.emptyDatabase());
    await store.add(signIn);
    await store.addToken({ ...token, kind: "refresh" }, 2);
    const consume = () => store.consume(token.hash, 3);
    expect((await race("sign_in_tokens", consume, consume)).toSorted()).toEqual([false, true]);
  });

  it("leave no sources of an answer that is forgotten while it is extended", async () => {
    const database = await schema.emptyDatabase();
    const store = createAnswerStore(database);
    await store.notePosted({ ...answer, sources: [] });
    await race(
      "stored_sources",
      () => store.extend({ ...answer, answerId: "5" as MessageId }),
      () => store.forgetBefore(2),
    );
    expect(await store.findAnswer("5" as MessageId)).toBeNull();
    expect(await database.query("SELECT owner_id FROM stored_sources")).toEqual([]);
  });

  it("leave no sources of an answer that is removed while its sources are noted as gone", async () => {
    const database = await schema.emptyDatabase();
    const store = createAnswerStore(database);
    await store.notePosted(answer);
    await race(
      "stored_sources",
      () => store.markGone("5" as MessageId),
      () => store.removeAnswer("5" as MessageId),
    );
    expect(await store.findAnswer("5" as MessageId)).toBeNull();
    expect(await database.query("SELECT owner_id FROM stored_sources")).toEqual([]);
  });

  it("leave nothing of an answer whose sources are noted as gone while it is removed", async () => {
    const database = await schema.emptyDatabase();
    const store = createAnswerStore(database);
    await store.notePosted(answer);
    await race(
      "answer_jobs",
      () => store.removeAnswer("5" as MessageId),
      () => store.markGone("5" as MessageId),
    );
    expect(await store.findAnswer("5" as MessageId)).toBeNull();
    expect(await database.query("SELECT owner_id FROM stored_sources")).toEqual([]);
  });

  it("keep a talk whose only message is removed while another is added", async () => {
    const database = await schema.emptyDatabase();
    const store = createEpisodeStore(database);
    const talk = { id: "talk", partnerId: PERSON, channelId: CHANNEL, guildId: null, isBot: false };
    const line = { authorId: PERSON, isBot: false, replyTo: null, sentAt: 1 };
    const add = (id: string) =>
      store.add({ ...talk, startedAt: 1, lastAt: 1 }, [{ ...line, messageId: id as MessageId }]);
    await add("3");
    await race(
      "episode_messages",
      () => add("4"),
      () => store.removeMessages(["3" as MessageId]),
    );
    expect((await store.talksOf(PERSON)).map(({ lines }) => lines.map(({ messageId }) => messageId))).toEqual([["4"]]);
  });

  it("leave no token of a sign-in that is ended while it gets one", async () => {
    const database = await schema.emptyDatabase();
    const store = createSignInStore(database);
    await store.add(signIn);
    await race<unknown>(
      "sign_in_tokens",
      () => store.addToken(token, 2),
      () => store.end(["s"]),
    );
    expect(await store.token("t")).toBeUndefined();
  });

  it("register no more programs than there may be", async () => {
    const store = createSignInStore(await schema.emptyDatabase());
    const register = (clientId: string) =>
      store.register({ clientId, metadata: "{}", createdAt: 1 }, { max: 1, unusedBefore: 0 });
    const kept = await race(
      "sign_in_programs",
      () => register("a"),
      () => register("b"),
    );
    expect(kept.toSorted()).toEqual([false, true]);
  });

  it("give two versions of a fact two numbers", async () => {
    const database = await schema.emptyDatabase();
    const store = createFactStore(database);
    const about = {
      scope_type: "user",
      scope_id: ADA,
      subject_id: ADA as UserId,
      guild_id: null,
      audience_ref: null,
    } as const;
    const rest = { visibility: "private", created_by: ADA as UserId, verification_status: "user_confirmed" } as const;
    const seal = (id: string) => (version: number) => ({
      row: {
        ...about,
        ...rest,
        id,
        key: "k",
        value_json: "x",
        confidence: 1,
        expires_at: null,
        created_at: 1,
        version,
      },
      sources: [],
    });
    await race(
      "memory_facts",
      () => store.change({ next: { key: "k", seal: seal("a") } }),
      () => store.change({ next: { key: "k", seal: seal("b") } }),
    );
    const numbers = (await store.findByIds(["a", "b"])).map(({ row }) => row.version);
    expect(numbers.toSorted()).toEqual([1, 2]);
  });

  it("keep no trace of a fact that ends while it is confirmed", async () => {
    const database = await schema.emptyDatabase();
    const store = createFactStore(database);
    await admin(
      `INSERT INTO memory_facts SELECT 'f', '', '', '', '', '', '', '', '', '', '', NULL, NULL, NULL, 1, 1, 1, NULL, NULL, 1, '[]'`,
      schema.url,
    );
    await race(
      "kept_facts",
      () => store.noteKept("f", 1),
      () => store.change({ delete: ["f"] }),
    );
    expect(await database.query("SELECT fact_id FROM kept_facts")).toEqual([]);
  });

  it("replace the same fact one after the other, so that one of them is left", async () => {
    await schema.emptyDatabase();
    await schema.closeDatabase();
    const folder = createDataFolder({
      EARSHOT_DATABASE_URL: schema.url,
      EARSHOT_KEYS_SECRET: "a secret of the operator's",
    });
    onTestFinished(folder.remove);
    const { remember, own, close } = await folder.start();
    await remember(ADA, ["city", "Berlin"]);
    let looks = 0;
    // The second waits in this process; in the time of so many questions it would have got far.
    const isQueued = async () => {
      looks += 1;
      return looks > 20;
    };
    await race(
      "memory_facts",
      () => remember(ADA, ["city", "Bremen"]),
      () => remember(ADA, ["city", "Bonn"]),
      isQueued,
    );
    const kept = await own.list(ADA as UserId);
    expect(kept.map(({ fact }) => fact.value)).toEqual(["Bonn"]);
    await close();
  });
});
