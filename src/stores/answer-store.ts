import type { ChannelId, MessageId } from "../domain/ids.ts";
import {
  type AnswerJob,
  type AnswerState,
  type AnswerStore,
  NEWEST,
  type PlannedAnswer,
  type PostedAnswer,
  toClientQuestion,
} from "../ports/answer-store.ts";
import { GONE, type StoredSource } from "../ports/stored-source.ts";
import { type Database, SYNCED, type Transaction, type Values } from "./database.ts";
import { addSources, removeSources, toOwners } from "./source-rows.ts";
import { fromRows, toRows } from "./to-rows.ts";

/** A job joined with one of its messages and one of its sources; null without any. */
type JobRow = Omit<AnswerJob, "answerIds" | "sources"> &
  Omit<StoredSource, "type"> & { readonly answerId: MessageId | null; readonly type: StoredSource["type"] | null };

const UNFINISHED = "state IN ('claimed', 'visible', 'leaving')";
const STANDS = "EXISTS (SELECT 1 FROM answer_messages WHERE answer_messages.question_id = answer_jobs.question_id)";

/** @see AnswerStore */
export function createAnswerStore(database: Database): AnswerStore {
  /** The oldest first, each with its messages and its sources. */
  async function read(which: string, values: Values = {}): Promise<AnswerJob[]> {
    const rows = await database.query<object>(
      `SELECT job.*, message.answer_id, source.type, source.ref, source.person_id
        FROM (SELECT * FROM answer_jobs WHERE ${which}) AS job
        LEFT JOIN answer_messages AS message ON message.question_id = job.question_id
        LEFT JOIN stored_sources AS source ON source.owner_id = job.question_id
        ORDER BY job.posted_at, job.question_id, message.answer_id, source.ref`,
      values,
    );
    return [...Map.groupBy(fromRows<JobRow>(rows), ({ questionId }) => questionId).values()].map(toJob);
  }

  const change = (sql: string, values: Values) => database.transaction((transaction) => transaction.run(sql, values));

  return {
    claim: ({ questionId, channelId, actorId, operationId, claimedAt }) =>
      database.transaction(async (transaction) => {
        const claimed = await transaction.query(
          `INSERT INTO answer_jobs
            (question_id, channel_id, actor_id, operation_id, state, attempts, claimed_at, attempted_at, posted_at)
            VALUES (:questionId, :channelId, :actorId, :operationId, 'claimed', 1, :claimedAt, :claimedAt, :claimedAt)
            ON CONFLICT DO NOTHING RETURNING question_id`,
          { questionId, channelId, actorId, operationId, claimedAt },
        );
        return claimed.length > 0;
      }),
    claimAgain: ({ questionId, state, attempts }, attemptedAt) =>
      database.transaction(async (transaction) => {
        const claimed = await transaction.query(
          `UPDATE answer_jobs SET attempts = attempts + 1, attempted_at = :attemptedAt
            WHERE question_id = :questionId AND state = :state AND attempts = :attempts AND ${UNFINISHED}
            RETURNING question_id`,
          { questionId, state, attempts, attemptedAt },
        );
        return claimed.length > 0;
      }),
    discountAttempt: (id) => change("UPDATE answer_jobs SET attempts = attempts - 1 WHERE question_id = :id", { id }),
    find: async (id) => (await read("question_id = :id", { id }))[0] ?? null,
    async findAnswer(id) {
      const which = "question_id = (SELECT question_id FROM answer_messages WHERE answer_id = :id)";
      return (await read(which, { id }))[0] ?? null;
    },
    async channelsAskedIn(limit) {
      const rows = await database.query<{ readonly channel_id: ChannelId }>(
        `SELECT channel_id FROM answer_jobs WHERE question_id NOT LIKE '${toClientQuestion("%")}'
          GROUP BY channel_id ORDER BY max(claimed_at) DESC LIMIT :limit`,
        { limit },
      );
      return rows.map(({ channel_id }) => channel_id);
    },
    plan: (answer, { isPartial = false } = {}) =>
      database.transaction((transaction) =>
        write(transaction, { answerIds: [], ...answer }, isPartial ? "visible" : "leaving"),
      ),
    notePosted: (answer, { isPartial = false } = {}) =>
      database.transaction((transaction) =>
        write(transaction, answer, isPartial ? "visible" : "done", { keepsDone: isPartial }),
      ),
    extend: (answer) =>
      database.transaction(async (transaction) => {
        const { answerId, sources } = answer;
        const id = (await lockJobOf(transaction, answerId)) ?? answer.questionId;
        await addJob(transaction, { ...answer, questionId: id, state: "done" }, "question_id = excluded.question_id");
        await addMessages(transaction, id, [answerId]);
        await addSources(transaction, [{ id, sources }]);
      }),
    finish: (id) =>
      database.transaction(async (transaction) => {
        await transaction.run(`UPDATE answer_jobs SET state = 'done' WHERE question_id = :id AND ${UNFINISHED}`, {
          id,
        });
        // Nothing was posted, so the planned sources are obsolete.
        const ids = `IN (SELECT question_id FROM answer_jobs WHERE question_id = :id AND NOT ${STANDS})`;
        await removeSources(transaction, ids, { id });
      }),
    unfinished: async () => (await read(UNFINISHED)).sort((a, b) => a.claimedAt - b.claimedAt),
    answersFor: (id) => read(`actor_id = :id AND ${STANDS}`, { id }),
    answersCiting(cited) {
      const [owners, values] = toOwners(cited);
      return read(`question_id IN (${owners}) AND ${STANDS}`, values);
    },
    async citing(limit, { postedAt, questionId } = NEWEST) {
      const jobs = await read(
        `EXISTS (SELECT 1 FROM stored_sources WHERE owner_id = answer_jobs.question_id) AND ${STANDS}
          AND (posted_at, question_id) < (:postedAt, :questionId)
          ORDER BY posted_at DESC, question_id DESC LIMIT :limit`,
        { limit, postedAt, questionId },
      );
      return jobs.reverse();
    },
    markGone: (answerId) =>
      database.transaction(async (transaction) => {
        const before = await lockJobOf(transaction, answerId);
        if (before === null) return;
        const id = toClientQuestion(answerId);
        await transaction.run(
          `INSERT INTO answer_jobs SELECT :id, channel_id, actor_id, operation_id, 'done', attempts, claimed_at,
            attempted_at, posted_at FROM answer_jobs WHERE question_id = :before ON CONFLICT DO NOTHING`,
          { id, before },
        );
        await addMessages(transaction, id, [answerId]);
        await removeSources(transaction, "= :id", { id });
        await addSources(transaction, [{ id, sources: [GONE] }]);
        await endIfEmpty(transaction, before);
      }),
    removeAnswer: (answerId) =>
      database.transaction(async (transaction) => {
        await lockJobOf(transaction, answerId);
        // The message may belong to another job meanwhile.
        const [removed] = await transaction.query<{ readonly id: string }>(
          "DELETE FROM answer_messages WHERE answer_id = :answerId RETURNING question_id AS id",
          { answerId },
        );
        if (removed) await endIfEmpty(transaction, removed.id);
      }),
    // Synced: what a person had erased must not come back after a power failure.
    erase: (person) =>
      database.transaction(async (transaction) => {
        await transaction.run(`UPDATE answer_jobs SET state = 'done' WHERE actor_id = :person AND ${UNFINISHED}`, {
          person,
        });
        await transaction.run("UPDATE answer_jobs SET actor_id = '' WHERE actor_id = :person", { person });
        // An answer that still has a message was posted after the person's others were withdrawn, and has to follow its sources.
        const standing = "SELECT 1 FROM answer_messages WHERE question_id = owner_id";
        await transaction.run(`DELETE FROM stored_sources WHERE person_id = :person AND NOT EXISTS (${standing})`, {
          person,
        });
      }, SYNCED),
    forgetBefore: (time) =>
      database.transaction(async (transaction) => {
        const old =
          "DELETE FROM answer_jobs WHERE posted_at < :time AND attempted_at < :time RETURNING question_id AS id";
        const removed = await transaction.query<{ readonly id: string }>(old, { time });
        const ids = removed.map(({ id }) => id);
        await transaction.run("DELETE FROM answer_messages WHERE question_id = ANY(:ids)", { ids });
        await removeSources(transaction, "= ANY(:ids)", { ids });
      }),
  };
}

/** Other writers of what belongs to the job wait from now on. Null for a message that belongs to none, or was removed by the writer that was waited for. */
async function lockJobOf(transaction: Transaction, answerId: MessageId): Promise<string | null> {
  const [job] = await transaction.query<{ readonly id: string }>(
    `SELECT job.question_id AS id FROM answer_jobs AS job
      JOIN answer_messages AS message ON message.question_id = job.question_id
      WHERE message.answer_id = :answerId FOR UPDATE`,
    { answerId },
  );
  return job?.id ?? null;
}

/** Adds messages, and replaces sources. */
async function write(
  transaction: Transaction,
  answer: PostedAnswer,
  state: AnswerState,
  { keepsDone = false } = {},
): Promise<void> {
  const { questionId: id, answerIds, sources } = answer;
  const kept = keepsDone ? "CASE answer_jobs.state WHEN 'done' THEN 'done' ELSE excluded.state END" : "excluded.state";
  const set = `operation_id = excluded.operation_id, posted_at = excluded.posted_at, state = ${kept}`;
  await addJob(transaction, { ...answer, state }, set);
  await addMessages(transaction, id, answerIds);
  await removeSources(transaction, "= :id", { id });
  await addSources(transaction, [{ id, sources }]);
}

/** `set`: the changes to an existing row. It is written even if nothing changes, so that other writers wait. */
async function addJob(
  transaction: Transaction,
  { questionId, channelId, actorId, operationId, postedAt, state }: PlannedAnswer & Pick<AnswerJob, "state">,
  set: string,
): Promise<void> {
  const times = { claimedAt: postedAt, attemptedAt: postedAt, postedAt };
  const job = { questionId, channelId, actorId, operationId, state, attempts: 1, ...times };
  await transaction.insert("answer_jobs", toRows([job]), `(question_id) DO UPDATE SET ${set}`);
}

async function addMessages(transaction: Transaction, id: string, answerIds: readonly MessageId[]): Promise<void> {
  const rows = answerIds.map((answerId) => ({ answer_id: answerId, question_id: id }));
  await transaction.insert("answer_messages", rows, "(answer_id) DO UPDATE SET question_id = excluded.question_id");
}

/** Withdraws a job without messages, and removes its sources. A job that is `leaving` may have unknown messages. */
async function endIfEmpty(transaction: Transaction, id: string): Promise<void> {
  const ended = await transaction.query(
    `UPDATE answer_jobs SET state = 'withdrawn' WHERE question_id = :id AND state <> 'leaving' AND NOT ${STANDS}
      RETURNING question_id`,
    { id },
  );
  if (ended.length > 0) await removeSources(transaction, "= :id", { id });
}

function toJob(rows: readonly JobRow[]): AnswerJob {
  const [{ answerId: first, type: _, ref: __, personId: ___, ...job }] = rows as readonly [JobRow];
  // The join repeats each source for each message.
  const once = rows.filter(({ answerId }) => answerId === first);
  return {
    ...job,
    answerIds: [...new Set(rows.flatMap(({ answerId }) => answerId ?? []))],
    sources: once.flatMap(({ type, ref, personId }) => (type === null ? [] : [{ type, ref, personId }])),
  };
}
