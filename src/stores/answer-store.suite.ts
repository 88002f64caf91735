import { describe, expect, it } from "vitest";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { AnswerJob, AnswerStore, PostedAnswer } from "../ports/answer-store.ts";
import {
  citedMessages,
  GONE,
  toFactSource,
  toMessageSource,
  toPassageSource,
  toQuestionSource,
} from "../ports/stored-source.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface AnswerStoreFixture {
  readonly store: AnswerStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<AnswerStore>;
  close(): Promise<void>;
}

const [ADA, BO] = ["11", "12"] as [UserId, UserId];
const [HARBOUR, YARD] = ["21", "22"] as [ChannelId, ChannelId];
const claim = (questionId: string, claimedAt = 1_000) => ({
  ...{ questionId, channelId: HARBOUR, actorId: ADA, operationId: "op", claimedAt },
});
const source = (messageId: string, authorId = BO, channelId = YARD) =>
  toMessageSource({ messageId: messageId as MessageId, channelId }, authorId);
const answer = (answerId: string, questionId: string, more: Partial<PostedAnswer> = {}): PostedAnswer => ({
  ...{ answerIds: [answerId as MessageId], questionId, channelId: HARBOUR, actorId: ADA, operationId: "op" },
  ...{ postedAt: 2_000, sources: [source("51")] },
  ...more,
});
const planned = (questionId: string) => ({ ...answer("", questionId), answerIds: [] });
const idsOf = async (jobs: Promise<readonly AnswerJob[]>) => (await jobs).flatMap(({ answerIds }) => answerIds);

/** The contract of every store of answers. */
export function describeAnswerStore(name: string, open: () => Promise<AnswerStoreFixture>): void {
  describe(`${name} as a store of answers`, () => {
    const using = async (work: (fixture: AnswerStoreFixture) => Promise<void>) => {
      const fixture = await open();
      await work(fixture).finally(() => fixture.close());
    };

    it("lets a question be claimed once, also after a restart", () =>
      using(async ({ store, reopen }) => {
        expect(await store.claim(claim("1"))).toBe(true);
        expect(await store.claim({ ...claim("1"), operationId: "another" })).toBe(false);
        const again = await reopen();
        expect(await again.claim(claim("1"))).toBe(false);
        const times = { attempts: 1, attemptedAt: 1_000, postedAt: 1_000 };
        const begun = { ...claim("1"), ...times, state: "claimed", answerIds: [], sources: [] };
        expect(await again.find("1")).toEqual(begun);
        expect(await again.find("2")).toBeNull();
      }));

    it("begins a job again only as it was read, and never one that is over", () =>
      using(async ({ store }) => {
        await store.claim(claim("1"));
        const read = { questionId: "1", state: "claimed", attempts: 1 } as const;
        const begun = await Promise.all([store.claimAgain(read, 2_000), store.claimAgain(read, 2_000)]);
        expect(begun.toSorted()).toEqual([false, true]);
        expect(await store.find("1")).toMatchObject({ attempts: 2, attemptedAt: 2_000 });
        await store.finish("1");
        expect(await store.claimAgain({ questionId: "1", state: "done", attempts: 2 }, 3_000)).toBe(false);
      }));

    it("knows the answers to what somebody asked, and not those that are only planned", () =>
      using(async ({ store }) => {
        await store.notePosted(answer("41", "1"));
        await store.notePosted(answer("42", "2", { actorId: BO }));
        await store.plan(planned("3"));
        expect(await idsOf(store.answersFor(ADA))).toEqual(["41"]);
        await store.erase(ADA);
        expect(await store.answersFor(ADA)).toEqual([]);
      }));

    it("knows what was begun and not finished, the oldest first, how often and when last", () =>
      using(async ({ store, reopen }) => {
        const begin = async (id: string, at: number) => {
          const job = await store.find(id);
          expect(job && (await store.claimAgain(job, at))).toBe(true);
        };
        await store.claim(claim("2", 2_000));
        await store.claim(claim("1", 1_000));
        await store.claim(claim("3", 3_000));
        await begin("2", 8_000);
        await store.discountAttempt("2");
        await begin("2", 9_000);
        await store.notePosted(answer("41", "1"), { isPartial: true });
        await store.finish("3");
        const unfinished = await (await reopen()).unfinished();
        expect(unfinished.map(({ questionId, state, attempts }) => [questionId, state, attempts])).toEqual([
          ["1", "visible", 1],
          ["2", "claimed", 2],
        ]);
        expect(unfinished.map(({ attemptedAt }) => attemptedAt)).toEqual([1_000, 9_000]);
      }));

    it("keeps what is about to be said apart from what was, until it is", () =>
      using(async ({ store, reopen }) => {
        await store.claim(claim("1"));
        await store.plan(planned("1"));
        const again = await reopen();
        expect(await again.find("1")).toMatchObject({ ...planned("1"), state: "leaving" });
        expect(await again.unfinished()).toHaveLength(1);
        expect(await again.answersCiting({ personId: BO })).toEqual([]);
        expect(await again.citing(10)).toEqual([]);
        await again.notePosted(answer("41", "1"));
        expect(await again.find("1")).toMatchObject({ ...answer("41", "1"), state: "done", claimedAt: 1_000 });
        expect(await again.unfinished()).toEqual([]);
        await again.plan(planned("2"));
        await again.finish("2");
        expect(await again.find("2")).toMatchObject({ state: "done", sources: [] });
      }));

    it("keeps of an answer of which more is to come all its messages, and what it rests on last", () =>
      using(async ({ store, reopen }) => {
        await store.claim(claim("1"));
        await store.plan(planned("1"), { isPartial: true });
        expect(await store.find("1")).toMatchObject({ state: "visible", answerIds: [] });
        await store.notePosted(answer("41", "1"), { isPartial: true });
        await store.notePosted(answer("42", "1", { sources: [source("52")] }), { isPartial: true });
        const again = await reopen();
        const standing = { answerIds: ["41", "42"], sources: [source("52")] };
        expect(await again.find("1")).toMatchObject({ ...standing, state: "visible" });
        await again.finish("1");
        expect(await again.find("1")).toMatchObject({ ...standing, state: "done" });
        await again.notePosted(answer("43", "1"), { isPartial: true });
        expect(await again.find("1")).toMatchObject({ state: "done", answerIds: ["41", "42", "43"] });
      }));

    it("knows a job as withdrawn once its last message is gone", () =>
      using(async ({ store }) => {
        await store.notePosted(answer("41", "1", { answerIds: ["41", "42"] as MessageId[] }));
        await store.removeAnswer("41" as MessageId);
        expect(await store.find("1")).toMatchObject({ state: "done", answerIds: ["42"], sources: [source("51")] });
        for (let count = 0; count < 2; count += 1) await store.removeAnswer("42" as MessageId);
        expect(await store.find("1")).toMatchObject({ state: "withdrawn", answerIds: [], sources: [] });
        await store.finish("1");
        expect(await store.find("1")).toMatchObject({ state: "withdrawn" });
      }));

    it("finds answers by what they cite: a message, an author, a channel", () =>
      using(async ({ store }) => {
        const first = answer("41", "1", { sources: [source("52", ADA, HARBOUR), source("51")] });
        const second = answer("42", "2", { postedAt: 3_000 });
        const third = answer("43", "3", { sources: [] });
        for (const one of [first, second, third]) await store.notePosted(one);
        expect(await idsOf(store.answersCiting(citedMessages(YARD, ["51", "52"] as MessageId[])))).toEqual([
          "41",
          "42",
        ]);
        expect(await idsOf(store.answersCiting({ personId: ADA }))).toEqual(["41"]);
        expect(await idsOf(store.answersCiting({ channelId: YARD }))).toEqual(["41", "42"]);
        expect(await idsOf(store.citing(10))).toEqual(["42", "41"]);
        expect(await idsOf(store.citing(1))).toEqual(["42"]);
        const [newest] = await store.citing(1);
        expect(await idsOf(store.citing(10, newest))).toEqual(["41"]);
        expect(await store.findAnswer("41" as MessageId)).toMatchObject(first);
        await store.removeAnswer("41" as MessageId);
        expect(await store.findAnswer("41" as MessageId)).toBeNull();
        expect(await idsOf(store.answersCiting({ personId: ADA }))).toEqual([]);
      }));

    it("finds an answer by the author of a message that it only replied to, and cites since an edit", () =>
      using(async ({ store }) => {
        const question = toQuestionSource({ messageId: "51" as MessageId, channelId: YARD });
        await store.notePosted(answer("41", "1", { sources: [question] }));
        await store.extend({ ...answer("", "9"), answerId: "41" as MessageId });
        expect(await idsOf(store.answersCiting({ personId: BO }))).toEqual(["41"]);
        expect(await store.find("9")).toBeNull();
      }));

    it("leaves no sources behind of an answer that is removed while it is extended", () =>
      using(async ({ store }) => {
        for (let count = 0; count < 20; count += 1) {
          const one = { ...answer("", `${count}`), answerId: `${100 + count}` as MessageId };
          await store.notePosted({ ...one, answerIds: [one.answerId], sources: [] });
          await Promise.all([store.extend(one), store.removeAnswer(one.answerId)]);
          if (await store.findAnswer(one.answerId)) continue;
          await store.extend({ ...one, sources: [] });
          expect((await store.findAnswer(one.answerId))?.sources).toEqual([]);
        }
      }));

    it("keeps of what kind each source is, and that one is gone", () =>
      using(async ({ store }) => {
        const sources = [
          toFactSource({ factId: "f1", subjectId: ADA }),
          toFactSource({ factId: "http/-/11/berth", subjectId: ADA }),
          toPassageSource({ passageRef: "r1/2" }),
        ];
        await store.notePosted(answer("41", "1", { sources }));
        const kept = (await store.findAnswer("41" as MessageId))?.sources;
        expect(kept?.map(({ type, ref }) => [type, ref])).toEqual([
          ["memory_fact", "f1"],
          ["crm", "http/-/11/berth"],
          ["docs", "r1/2"],
        ]);
      }));

    it("has a message that has to go follow nothing but that, and the rest of its answer go on", () =>
      using(async ({ store }) => {
        await store.notePosted(answer("41", "1", { answerIds: ["41", "42"] as MessageId[] }));
        for (let count = 0; count < 2; count += 1) await store.markGone("42" as MessageId);
        expect(await store.findAnswer("42" as MessageId)).toMatchObject({
          ...answer("42", "client:42"),
          sources: [GONE],
        });
        expect(await store.find("1")).toMatchObject({ state: "done", answerIds: ["41"], sources: [source("51")] });
        await store.markGone("41" as MessageId);
        expect(await store.find("1")).toMatchObject({ state: "withdrawn", answerIds: [], sources: [] });
        expect(await idsOf(store.answersFor(ADA))).toEqual(["41", "42"]);
        await store.markGone("43" as MessageId);
        expect(await store.findAnswer("43" as MessageId)).toBeNull();
      }));

    it("keeps what an answer rests on of which one message is gone and others may be on their way", () =>
      using(async ({ store }) => {
        await store.plan(answer("41", "1"));
        await store.removeAnswer("41" as MessageId);
        expect(await store.find("1")).toMatchObject({ state: "leaving", answerIds: [], sources: [source("51")] });
        expect(await store.unfinished()).toHaveLength(1);
      }));

    it("forgets who asked, and who is cited where no answer stands, when a person is erased, and what is old", () =>
      using(async ({ store }) => {
        await store.claim(claim("1"));
        await store.notePosted(answer("41", "1"));
        await store.notePosted(answer("42", "2", { actorId: BO, sources: [source("52", ADA)] }));
        await store.plan({ ...planned("3"), actorId: BO, sources: [source("53", ADA), source("54")] });
        await store.erase(ADA);
        expect(await store.find("1")).toMatchObject({ actorId: "", state: "done" });
        expect(await store.findAnswer("41" as MessageId)).toMatchObject({ actorId: "", sources: [source("51")] });
        expect(await store.findAnswer("42" as MessageId)).toMatchObject({ actorId: BO, sources: [source("52", ADA)] });
        expect(await store.find("3")).toMatchObject({ actorId: BO, sources: [source("54")] });
        await store.forgetBefore(2_001);
        expect(await store.find("1")).toBeNull();
        expect(await store.findAnswer("41" as MessageId)).toBeNull();
        expect(await store.findAnswer("42" as MessageId)).toBeNull();
      }));
  });
}
