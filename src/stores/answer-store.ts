import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { type AnswerStore, type Claim, NEWEST, type PostedAnswer } from "../ports/answer-store.ts";
import { GONE, type StoredSource } from "../ports/stored-source.ts";
import type { Database, Transaction, Values } from "./database.ts";
import { addSources, forgetPerson, removeSources, toOwners } from "./source-rows.ts";

interface ClaimRow {
  readonly question_id: string;
  readonly channel_id: ChannelId;
  readonly actor_id: UserId;
  readonly operation_id: string;
  readonly state: Claim["state"];
  readonly attempts: number;
  readonly claimed_at: number;
  readonly attempted_at: number;
}

interface AnswerRow {
  readonly answer_id: MessageId;
  readonly question_id: string;
  readonly channel_id: ChannelId;
  readonly actor_id: UserId;
  readonly operation_id: string;
  readonly posted_at: number;
  /** One of its sources; null where it has none. */
  readonly type: StoredSource["type"] | null;
  readonly ref: string;
  readonly person_id: UserId;
}

const POSTED = "answer_id NOT LIKE 'plan:%'";

/** What is about to be said has no id yet. A plan of which more is to come stays until all of it is there. */
function toPlanId(questionId: string, isPartial: boolean): MessageId {
  return (isPartial ? `plan:part:${questionId}` : `plan:${questionId}`) as MessageId;
}

/** @see AnswerStore */
export function createAnswerStore(database: Database): AnswerStore {
  /** The oldest first, each with its sources. */
  async function readAnswers(which: string, values: Values = {}): Promise<PostedAnswer[]> {
    const rows = await database.query<AnswerRow>(
      `SELECT answer.*, source.type, source.ref, source.person_id
        FROM (SELECT * FROM agent_answers WHERE ${which}) AS answer
        LEFT JOIN stored_sources AS source ON source.owner_id = answer.answer_id
        ORDER BY answer.posted_at, answer.answer_id, source.ref`,
      values,
    );
    return [...Map.groupBy(rows, ({ answer_id }) => answer_id).values()].map(toAnswer);
  }

  async function readClaims(which: string, values: Values = {}): Promise<Claim[]> {
    return (await database.query<ClaimRow>(`SELECT * FROM agent_claims WHERE ${which}`, values)).map(toClaim);
  }

  async function findOne(id: string): Promise<PostedAnswer | null> {
    return (await readAnswers("answer_id = :id", { id }))[0] ?? null;
  }

  async function findPlan(questionId: string, isPartial: boolean) {
    const plan = await findOne(toPlanId(questionId, isPartial));
    return plan ? { ...plan, isPartial } : null;
  }

  const updateClaim = (id: string, set: string, values: Values = {}) =>
    database.transaction((change) =>
      change.run(`UPDATE agent_claims SET ${set} WHERE question_id = :id`, { id, ...values }),
    );

  return {
    claim: ({ questionId, channelId, actorId, operationId, claimedAt }) =>
      database.transaction(async (change) => {
        const claimed = await change.query(
          `INSERT INTO agent_claims
            (question_id, channel_id, actor_id, operation_id, state, attempts, claimed_at, attempted_at)
            VALUES (:questionId, :channelId, :actorId, :operationId, 'claimed', 1, :claimedAt, :claimedAt)
            ON CONFLICT DO NOTHING RETURNING question_id`,
          { questionId, channelId, actorId, operationId, claimedAt },
        );
        return claimed.length > 0;
      }),
    claimAgain: (id, attemptedAt) =>
      updateClaim(id, "attempts = attempts + 1, attempted_at = :attemptedAt", { attemptedAt }),
    discountAttempt: (id) => updateClaim(id, "attempts = attempts - 1"),
    find: async (id) => (await readClaims("question_id = :id", { id }))[0] ?? null,
    async channelsAskedIn(limit) {
      const rows = await database.query<Pick<ClaimRow, "channel_id">>(
        "SELECT channel_id FROM agent_claims GROUP BY channel_id ORDER BY max(claimed_at) DESC LIMIT :limit",
        { limit },
      );
      return rows.map(({ channel_id }) => channel_id);
    },
    plan: (answer, { isPartial = false } = {}) =>
      database.transaction(async (change) => {
        await removePlans(change, answer.questionId);
        await add(change, { ...answer, answerId: toPlanId(answer.questionId, isPartial) });
      }),
    planFor: async (id) => (await findPlan(id, true)) ?? findPlan(id, false),
    plans: () => readAnswers(`NOT ${POSTED}`),
    notePosted: (answer, { isPartial = false } = {}) =>
      database.transaction(async (change) => {
        if (!isPartial) await removePlans(change, answer.questionId);
        await remove(change, [answer.answerId]);
        await add(change, answer);
        await setState(change, answer.questionId, "visible");
      }),
    extend: (answer) => database.transaction((change) => add(change, answer)),
    finish: (id) =>
      database.transaction(async (change) => {
        await removePlans(change, id);
        await setState(change, id, "done");
      }),
    unfinished: () => readClaims("state <> 'done' ORDER BY claimed_at"),
    findAnswer: findOne,
    answersTo: (id) => readAnswers(`question_id = :id AND ${POSTED}`, { id }),
    answersFor: (id) => readAnswers(`actor_id = :id AND ${POSTED}`, { id }),
    answersCiting(cited) {
      const [owners, values] = toOwners(cited);
      return readAnswers(`answer_id IN (${owners}) AND ${POSTED}`, values);
    },
    async citing(limit, { postedAt, answerId } = NEWEST) {
      const answers = await readAnswers(
        `EXISTS (SELECT 1 FROM stored_sources WHERE owner_id = agent_answers.answer_id) AND ${POSTED}
          AND (posted_at, answer_id) < (:postedAt, :answerId) ORDER BY posted_at DESC, answer_id DESC LIMIT :limit`,
        { limit, postedAt, answerId },
      );
      return answers.reverse();
    },
    markGone: (id) =>
      database.transaction(async (change) => {
        await removeSources(change, "= :id", { id });
        const [known] = await change.query("SELECT 1 FROM agent_answers WHERE answer_id = :id", { id });
        if (known) await addSources(change, [{ id, sources: [GONE] }]);
      }),
    removeAnswer: (id) => database.transaction((change) => remove(change, [id])),
    erase: (person) =>
      database.transaction(async (change) => {
        await change.run("UPDATE agent_claims SET actor_id = '', state = 'done' WHERE actor_id = :person", { person });
        await change.run("UPDATE agent_answers SET actor_id = '' WHERE actor_id = :person", { person });
        await forgetPerson(change, person);
      }),
    forgetBefore: (time) =>
      database.transaction(async (change) => {
        await change.run("DELETE FROM agent_claims WHERE claimed_at < :time AND state = 'done'", { time });
        const old = "SELECT answer_id FROM agent_answers WHERE posted_at < :time";
        await removeSources(change, `IN (${old})`, { time });
        await change.run("DELETE FROM agent_answers WHERE posted_at < :time", { time });
      }),
  };
}

/** What is there already stays as it is. */
async function add(change: Transaction, { sources, ...answer }: PostedAnswer): Promise<void> {
  const { answerId: answer_id, questionId: question_id, channelId, actorId, operationId, postedAt } = answer;
  const row = { channel_id: channelId, actor_id: actorId, operation_id: operationId, posted_at: postedAt };
  // Written all the same: who removes the answer meanwhile waits until its sources are there.
  const written = "(answer_id) DO UPDATE SET answer_id = excluded.answer_id";
  await change.insert("agent_answers", [{ answer_id, question_id, ...row }], written);
  await addSources(change, [{ id: answer_id, sources }]);
}

async function remove(change: Transaction, ids: readonly string[]): Promise<void> {
  await change.run("DELETE FROM agent_answers WHERE answer_id = ANY(:ids)", { ids });
  await removeSources(change, "= ANY(:ids)", { ids });
}

function removePlans(change: Transaction, questionId: string): Promise<void> {
  return remove(change, [toPlanId(questionId, true), toPlanId(questionId, false)]);
}

function setState(change: Transaction, id: string, state: Claim["state"]): Promise<void> {
  return change.run("UPDATE agent_claims SET state = :state WHERE question_id = :id", { id, state });
}

function toAnswer(rows: readonly AnswerRow[]): PostedAnswer {
  const { answer_id, question_id, channel_id, actor_id, operation_id, posted_at } = rows[0] as AnswerRow;
  return {
    ...{ answerId: answer_id, questionId: question_id, channelId: channel_id, actorId: actor_id },
    ...{ operationId: operation_id, postedAt: posted_at },
    sources: rows.flatMap(({ type, ref, person_id }) => (type === null ? [] : [{ type, ref, personId: person_id }])),
  };
}

function toClaim(row: ClaimRow): Claim {
  return {
    ...{ questionId: row.question_id, channelId: row.channel_id, actorId: row.actor_id },
    ...{ operationId: row.operation_id, state: row.state, attempts: row.attempts },
    ...{ claimedAt: row.claimed_at, attemptedAt: row.attempted_at },
  };
}
