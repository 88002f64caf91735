import { expect, it, onTestFinished } from "vitest";
import { temporaryDatabase } from "../../test/support/agent.ts";
import { openTestDatabase } from "../../test/support/test-database.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { MessageRef } from "../domain/message.ts";
import type { PostedAnswer } from "../ports/answer-store.ts";
import { toMessageSource } from "../ports/stored-source.ts";
import { YES } from "../sources/judge.ts";
import { createAnswerStore } from "../stores/answer-store.ts";
import { FollowSources, type FollowSourcesDeps } from "./follow-sources.ts";

const [HERE, ANN] = ["12" as ChannelId, "7" as UserId];
const source = (id: string) => toMessageSource({ messageId: id as MessageId, channelId: HERE }, ANN);
const ANSWER: PostedAnswer = {
  ...{ answerIds: ["30" as MessageId], questionId: "20", channelId: HERE, actorId: ANN, postedAt: 1 },
  ...{ operationId: "first", sources: [source("1")] },
};

async function openFollowing(deps: { findGone?(): Promise<MessageRef>; withdraw(answer: MessageRef): Promise<void> }) {
  const database = await openTestDatabase(temporaryDatabase());
  const store = createAnswerStore(database);
  const { findGone = async () => null, withdraw } = deps;
  const everything = {
    audience: () => null,
    canRead: () => true,
    channel: () => ({ guildId: null }),
    isDeleted: () => false,
  };
  const follow = new FollowSources({
    ...{ store, log: { debug() {}, info() {}, warn() {}, error() {} }, live: { stop: () => null } },
    discord: { botId: "90", directory: everything, listen: () => () => {} },
    consent: { isLeftOut: () => false, listen: () => () => {} },
    answerSources: {
      ...{ judgeMessages: () => YES, judge: async () => YES, isMessageGone: async () => false, findGone },
    },
    answers: { withdraw },
  } as unknown as FollowSourcesDeps);
  onTestFinished(() => {
    follow.close();
    database.close();
  });
  return { follow, store };
}

it("an answer that was written again while Discord was asked about its sources stays", async () => {
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<MessageRef>();
  const withdrawn: string[] = [];
  const { follow, store } = await openFollowing({
    findGone() {
      asked.resolve();
      return found.promise;
    },
    withdraw: async ({ messageId }) => void withdrawn.push(messageId),
  });
  const looked = follow.noteEarlier(ANSWER);
  await asked.promise;
  await store.notePosted({ ...ANSWER, operationId: "second", sources: [source("2")] });
  found.resolve({ channelId: HERE, messageId: "1" as MessageId });
  await looked;
  await follow.settled();
  expect(withdrawn).toEqual([]);
  expect(await store.find(ANSWER.questionId)).toMatchObject({ operationId: "second" });
});

it("an answer that is said while those citing an erased person are withdrawn goes on following its sources", async () => {
  const { follow, store } = await openFollowing({
    // Between the look for those that cite the person and the end of the erasure.
    withdraw: () => store.notePosted({ ...ANSWER, answerIds: ["31" as MessageId], questionId: "21" }),
  });
  await store.notePosted(ANSWER);
  await follow.erase(ANN);
  const citing = await store.answersCiting({ type: "discord_message", refs: [String(source("1").ref)] });
  expect(citing.map(({ questionId }) => questionId)).toEqual(["21"]);
});
