import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import {
  type AnswerPosition,
  type AnswerStore,
  type CitedBy,
  type Claim,
  GONE,
  NEWEST,
  type PostedAnswer,
  type StoredSource,
} from "../../ports/answer-store.ts";
import { compileQuery, type DurableDatabase, type DurableTransaction, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { translateErrors } from "./translate-errors.ts";

type ClaimRow = DurableTables["agent_claims"];
type AnswerRow = DurableTables["agent_answers"];

const UNREADABLE = "Which questions were answered cannot be read; is earshot.db damaged?";
/** In the place of an id that was erased. */
const NOBODY = "";

/** What is about to be said has no id yet. A plan of which more is to come stays until all of it is there. */
function toPlanId(questionId: string, isPartial: boolean): string {
  return isPartial ? `plan:part:${questionId}` : `plan:${questionId}`;
}

/** @see AnswerStore */
export function createAnswerStore({ kysely, execute, transaction }: DurableDatabase): AnswerStore {
  const queries = compileQueries(kysely);
  const read = <Result>(work: () => Result) => translateErrors(UNREADABLE, work);

  function toAnswer(row: AnswerRow): PostedAnswer {
    return {
      answerId: row.answer_id as MessageId,
      questionId: row.question_id,
      channelId: row.channel_id as ChannelId,
      actorId: row.actor_id as UserId,
      operationId: row.operation_id,
      postedAt: row.posted_at,
      sources: execute(queries.sources({ id: row.answer_id })).map(({ kind, ref, channel_id, author_id }) => ({
        ...{ kind, ref },
        channelId: channel_id as ChannelId,
        authorId: author_id as UserId,
      })),
    };
  }

  function findCiting(cited: CitedBy): AnswerRow[] {
    if ("channelId" in cited) return [...execute(queries.citingChannel({ id: cited.channelId }))];
    if ("authorId" in cited) return [...execute(queries.citingAuthor({ id: cited.authorId }))];
    const rows = cited.messageIds.flatMap((id) => [...execute(queries.citingMessage({ id }))]);
    return [...new Map(rows.map((row) => [row.answer_id, row])).values()];
  }

  function remove(connection: DurableTransaction, id: string): void {
    connection.execute(queries.removeSources({ id }));
    connection.execute(queries.removeAnswer({ id }));
  }

  function put(connection: DurableTransaction, answer: PostedAnswer): void {
    remove(connection, answer.answerId);
    connection.execute(queries.addAnswer(answer));
    addSources(connection, answer);
  }

  function addSources(connection: DurableTransaction, { answerId, sources }: PostedAnswer): void {
    for (const source of sources) connection.execute(queries.addSource({ answerId, ...source }));
  }

  function removePlans(connection: DurableTransaction, questionId: string): void {
    for (const isPartial of [true, false]) remove(connection, toPlanId(questionId, isPartial));
  }

  function findPlan(questionId: string, isPartial: boolean) {
    const [plan] = execute(queries.answer({ id: toPlanId(questionId, isPartial) })).map(toAnswer);
    return plan ? { ...plan, isPartial } : null;
  }

  return {
    claim: (claim) =>
      transaction((connection) => {
        if (connection.execute(queries.find({ id: claim.questionId })).rows.length > 0) return false;
        connection.execute(queries.claim({ ...claim }));
        return true;
      }),
    claimAgain: (id, attemptedAt) =>
      transaction((connection) => void connection.execute(queries.claimAgain({ id, attemptedAt }))),
    discountAttempt: (id) => transaction((connection) => void connection.execute(queries.discountAttempt({ id }))),
    find: (id) => read(() => execute(queries.find({ id })).map(toClaim)[0] ?? null),
    channelsAskedIn: (limit) =>
      read(() => execute(queries.channelsAskedIn({ limit })).map(({ channel_id }) => channel_id as ChannelId)),
    plan: (answer, { isPartial = false } = {}) =>
      transaction((connection) => {
        removePlans(connection, answer.questionId);
        put(connection, { ...answer, answerId: toPlanId(answer.questionId, isPartial) as MessageId });
      }),
    planFor: (id) => read(() => findPlan(id, true) ?? findPlan(id, false)),
    plans: () => read(() => execute(queries.plans({})).map(toAnswer)),
    notePosted: (answer, { isPartial = false } = {}) =>
      transaction((connection) => {
        if (!isPartial) removePlans(connection, answer.questionId);
        put(connection, answer);
        connection.execute(queries.setState({ id: answer.questionId, state: "visible" }));
      }),
    extend: (answer) =>
      transaction((connection) => {
        const isKnown = connection.execute(queries.answer({ id: answer.answerId })).rows.length > 0;
        if (isKnown) addSources(connection, answer);
        else put(connection, answer);
      }),
    finish: (id) =>
      transaction((connection) => {
        removePlans(connection, id);
        connection.execute(queries.setState({ id, state: "done" }));
      }),
    unfinished: () => read(() => execute(queries.unfinished({})).map(toClaim)),
    findAnswer: (id) => read(() => execute(queries.answer({ id })).map(toAnswer)[0] ?? null),
    answersTo: (id) => read(() => execute(queries.answersTo({ id })).map(toAnswer)),
    answersFor: (id) => read(() => execute(queries.answersFor({ id })).map(toAnswer)),
    answersCiting: (cited) => read(() => findCiting(cited).map(toAnswer)),
    citing: (limit, { postedAt, answerId } = NEWEST) =>
      read(() => execute(queries.citing({ limit, postedAt, answerId })).map(toAnswer)),
    markGone: (id) =>
      transaction((connection) => {
        if (connection.execute(queries.answer({ id })).rows.length === 0) return;
        connection.execute(queries.removeSources({ id }));
        connection.execute(queries.addSource({ answerId: id, ...GONE }));
      }),
    removeAnswer: (id) => transaction((connection) => remove(connection, id)),
    erase: (person) =>
      transaction((connection) => {
        connection.execute(queries.eraseClaims({ person, nobody: NOBODY }));
        connection.execute(queries.eraseActor({ person, nobody: NOBODY }));
        connection.execute(queries.eraseSources({ person }));
      }),
    forgetBefore: (time) =>
      transaction((connection) => {
        connection.execute(queries.forgetClaims({ time }));
        for (const { answer_id } of connection.execute(queries.answersBefore({ time })).rows)
          remove(connection, answer_id);
      }),
  };
}

function toClaim(row: ClaimRow): Claim {
  return {
    questionId: row.question_id,
    channelId: row.channel_id as ChannelId,
    actorId: row.actor_id as UserId,
    operationId: row.operation_id,
    state: row.state,
    attempts: row.attempts,
    claimedAt: row.claimed_at,
    attemptedAt: row.attempted_at,
  };
}

interface Id {
  readonly id: string;
}

interface Emptied {
  readonly person: string;
  readonly nobody: string;
}

interface Time {
  readonly time: number;
}

function compileQueries(kysely: DurableDatabase["kysely"]) {
  const answers = () => kysely.selectFrom("agent_answers").selectAll("agent_answers");
  const posted = () => answers().where("agent_answers.answer_id", "not like", "plan:%");
  const cited = () =>
    posted().innerJoin("agent_answer_sources", "agent_answer_sources.answer_id", "agent_answers.answer_id").distinct();
  return {
    claim: compileQuery((slot: Slot<Omit<Claim, "state" | "attempts" | "attemptedAt">>) =>
      kysely.insertInto("agent_claims").values({
        question_id: slot("questionId"),
        channel_id: slot("channelId"),
        actor_id: slot("actorId"),
        operation_id: slot("operationId"),
        state: "claimed",
        attempts: 1,
        claimed_at: slot("claimedAt"),
        attempted_at: slot("claimedAt"),
      }),
    ),
    claimAgain: compileQuery((slot: Slot<{ id: string; attemptedAt: number }>) =>
      kysely
        .updateTable("agent_claims")
        .set((column) => ({ attempts: column("attempts", "+", 1), attempted_at: slot("attemptedAt") }))
        .where("question_id", "=", slot("id")),
    ),
    discountAttempt: compileQuery((slot: Slot<Id>) =>
      kysely
        .updateTable("agent_claims")
        .set((column) => ({ attempts: column("attempts", "-", 1) }))
        .where("question_id", "=", slot("id")),
    ),
    find: compileQuery((slot: Slot<Id>) =>
      kysely.selectFrom("agent_claims").selectAll().where("question_id", "=", slot("id")),
    ),
    channelsAskedIn: compileQuery((slot: Slot<{ limit: number }>) =>
      kysely
        .selectFrom("agent_claims")
        .select("channel_id")
        .groupBy("channel_id")
        .orderBy(({ fn }) => fn.max("claimed_at"), "desc")
        .limit(slot("limit")),
    ),
    setState: compileQuery((slot: Slot<{ id: string; state: Claim["state"] }>) =>
      kysely
        .updateTable("agent_claims")
        .set({ state: slot("state") })
        .where("question_id", "=", slot("id")),
    ),
    unfinished: compileQuery(() =>
      kysely.selectFrom("agent_claims").selectAll().where("state", "!=", "done").orderBy("claimed_at"),
    ),
    addAnswer: compileQuery((slot: Slot<Omit<PostedAnswer, "sources">>) =>
      kysely.insertInto("agent_answers").values({
        answer_id: slot("answerId"),
        question_id: slot("questionId"),
        channel_id: slot("channelId"),
        actor_id: slot("actorId"),
        operation_id: slot("operationId"),
        posted_at: slot("postedAt"),
      }),
    ),
    addSource: compileQuery((slot: Slot<StoredSource & { readonly answerId: string }>) =>
      kysely
        .insertInto("agent_answer_sources")
        .values({
          answer_id: slot("answerId"),
          kind: slot("kind"),
          ref: slot("ref"),
          channel_id: slot("channelId"),
          author_id: slot("authorId"),
        })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    sources: compileQuery((slot: Slot<Id>) =>
      kysely.selectFrom("agent_answer_sources").selectAll().where("answer_id", "=", slot("id")).orderBy("ref"),
    ),
    answer: compileQuery((slot: Slot<Id>) => answers().where("answer_id", "=", slot("id"))),
    plans: compileQuery(() => answers().where("answer_id", "like", "plan:%").orderBy("posted_at")),
    answersTo: compileQuery((slot: Slot<Id>) =>
      posted().where("question_id", "=", slot("id")).orderBy("posted_at").orderBy("answer_id"),
    ),
    answersFor: compileQuery((slot: Slot<Id>) => posted().where("actor_id", "=", slot("id"))),
    citingMessage: compileQuery((slot: Slot<Id>) => cited().where("agent_answer_sources.ref", "=", slot("id"))),
    citingAuthor: compileQuery((slot: Slot<Id>) => cited().where("agent_answer_sources.author_id", "=", slot("id"))),
    citingChannel: compileQuery((slot: Slot<Id>) => cited().where("agent_answer_sources.channel_id", "=", slot("id"))),
    citing: compileQuery((slot: Slot<AnswerPosition & { limit: number }>) =>
      posted()
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("agent_answer_sources")
              .select("agent_answer_sources.answer_id")
              .whereRef("agent_answer_sources.answer_id", "=", "agent_answers.answer_id"),
          ),
        )
        .where((answer) =>
          answer.or([
            answer("posted_at", "<", slot("postedAt")),
            answer.and([
              answer("posted_at", "=", slot("postedAt")),
              answer("agent_answers.answer_id", "<", slot("answerId")),
            ]),
          ]),
        )
        .orderBy("posted_at", "desc")
        .orderBy("agent_answers.answer_id", "desc")
        .limit(slot("limit")),
    ),
    answersBefore: compileQuery((slot: Slot<Time>) =>
      kysely.selectFrom("agent_answers").select("answer_id").where("posted_at", "<", slot("time")),
    ),
    removeAnswer: compileQuery((slot: Slot<Id>) =>
      kysely.deleteFrom("agent_answers").where("answer_id", "=", slot("id")),
    ),
    removeSources: compileQuery((slot: Slot<Id>) =>
      kysely.deleteFrom("agent_answer_sources").where("answer_id", "=", slot("id")),
    ),
    eraseClaims: compileQuery((slot: Slot<Emptied>) =>
      kysely
        .updateTable("agent_claims")
        .set({ actor_id: slot("nobody"), state: "done" })
        .where("actor_id", "=", slot("person")),
    ),
    eraseActor: compileQuery((slot: Slot<Emptied>) =>
      kysely
        .updateTable("agent_answers")
        .set({ actor_id: slot("nobody") })
        .where("actor_id", "=", slot("person")),
    ),
    eraseSources: compileQuery((slot: Slot<{ person: string }>) =>
      kysely.deleteFrom("agent_answer_sources").where("author_id", "=", slot("person")),
    ),
    forgetClaims: compileQuery((slot: Slot<Time>) =>
      kysely.deleteFrom("agent_claims").where("claimed_at", "<", slot("time")).where("state", "=", "done"),
    ),
  };
}
