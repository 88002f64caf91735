import { setImmediate } from "node:timers/promises";
import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { Serial } from "../domain/serial.ts";
import type { AnswerSources } from "../gate/effects/answer-sources.ts";
import type { Answers } from "../gate/effects/answers.ts";
import {
  type AnswerPosition,
  type AnswerStore,
  isMessageQuestion,
  NEWEST,
  type PostedAnswer,
} from "../ports/answer-store.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord, DiscordEvent } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { CitedBy } from "../ports/stored-source.ts";
import { citedMessages, toRef } from "../ports/stored-source.ts";
import type { Judgement } from "../sources/judge.ts";
import { LookAgain, type LookAgainDeps } from "./look-again.ts";

export interface FollowSourcesDeps extends Pick<LookAgainDeps, "lookAgainMs"> {
  readonly discord: Pick<Discord, "listen" | "directory" | "botId">;
  readonly answers: Pick<Answers, "withdraw">;
  readonly store: AnswerStore;
  readonly answerSources: AnswerSources;
  readonly consent: Pick<Consent, "listen" | "isLeftOut">;
  readonly log: Log;
  /** Answers that are being written. */
  readonly live: {
    /** Stops an answer whose source is gone. Resolves when nothing that rests on the source is visible; null if the answer is not being
     * written. */
    stop(questionId: string): Promise<void> | null;
  };
  /** Interval of the access checks; half a minute by default. */
  readonly checkMs?: number;
}

/** One message of an answer. */
type Standing = PostedAnswer & { readonly answerId: MessageId };

/** Discord limits edits of old messages; the last interval repeats until the answer is gone. */
const RETRY_MS = [2_000, 10_000, 60_000, 300_000, 900_000, 2_400_000];
/** Per check, in turn. */
const MAX_CHECKED = 1_000;
const PAGE = 100;
const MAX_DELETED = 10_000;
/** Interval of the access checks, because changes of access are not announced. */
const CHECK_MS = 30_000;
/** Not everyone who can view the answer may know its sources. */
const OUT_OF_REACH = "source_out_of_reach";
/** Replaces a reason if it is unknown now whether the answer must be withdrawn. */
const UNKNOWN = "unknown";
/** Reasons that may not hold at the next attempt: they are not stored, and checked again. */
const REVERSIBLE: readonly string[] = [OUT_OF_REACH, "access_lost", "channel_deleted", "guild_removed"];

/**
 * An answer follows its question and its sources. It is withdrawn when the question or a cited message is deleted, the author of a source
 * is erased or left out, or not everyone who can view the answer can read its sources any more; likewise for facts, profiles and passages
 * of documents. Anything unknown is no reason: an answer waits for a server that is unreachable or undescribed, for its member list, and
 * for the members of a private thread.
 */
export class FollowSources {
  readonly #deps: FollowSourcesDeps;
  readonly #stops: readonly (() => void)[];
  readonly #deleted = new BoundedMap<string, true>({ maxEntries: MAX_DELETED });
  /** Answers whose withdrawal failed. */
  readonly #retries = new Map<MessageId, NodeJS.Timeout>();
  /** Sequential, so that no answer is withdrawn twice. */
  readonly #queue = new Serial();
  readonly #lookAgain: LookAgain;
  #looked: Promise<unknown> = Promise.resolve();
  /** The position of the next check. */
  #checked: AnswerPosition = NEWEST;
  #isCheckQueued = false;
  #isClosed = false;

  constructor(deps: FollowSourcesDeps) {
    this.#deps = deps;
    this.#lookAgain = new LookAgain({ ...deps, lookAt: (answer) => this.#lookAgainAt(answer) });
    const checking = setInterval(() => void this.checkAll(), deps.checkMs ?? CHECK_MS);
    checking.unref();
    this.#stops = [
      () => this.#lookAgain.close(),
      () => clearInterval(checking),
      deps.discord.listen({
        message_delete: (event) => this.#hearDeletions(event),
        gap: () => this.#besideQueue(this.#lookAgain.begin()),
        // It is back after an outage, perhaps: what happened there meanwhile was not heard.
        guild: () => this.#lookAgain.beginSoon(),
        channel_deleted: ({ channelId, type }) => {
          void this.withdrawCiting({ channelId }, type);
          this.#checkSoon();
        },
        access_lost: ({ channelId }) => {
          this.#besideQueue(this.#attempt(() => this.#hearLoss(channelId)));
          this.#checkSoon();
        },
        guild_removed: ({ channelIds, type }) => {
          for (const channelId of channelIds) void this.withdrawCiting({ channelId }, type);
        },
      }),
      deps.consent.listen(({ userId, isLeftOut }) => {
        if (isLeftOut) void this.#leaveOut(userId);
      }),
    ];
  }

  /** Resolves when all due withdrawals have succeeded or failed. */
  async settled(): Promise<void> {
    await this.#looked;
    await this.#queue.settled();
  }

  /** For the erasure of a person: withdraws answers that cite them. */
  async erase(person: UserId): Promise<void> {
    await this.#withdrawWordsOf(person, "author_erased");
    await this.#deps.store.erase(person);
  }

  /** Stores the answer and checks it: deletions between its send and now did not concern it yet. Does not wait for a withdrawal, because
   * the writer of the answer may have to stop first. */
  async note(answer: PostedAnswer): Promise<void> {
    await this.#deps.store.notePosted(answer);
    await this.#endUnlessFounded(answer);
  }

  /** The same for an answer whose message exists without text, right before the text. */
  async noteLeaving(answer: PostedAnswer): Promise<void> {
    await this.#deps.store.plan(answer);
    await this.#endUnlessFounded(answer);
  }

  async #endUnlessFounded(answer: PostedAnswer): Promise<void> {
    const reason = await this.#whyToGoNow(answer);
    if (reason) void this.#enqueue(() => this.#end(answer, reason));
  }

  /** Withdraws an answer regardless of its sources. */
  withdraw(answer: PostedAnswer, reason: string): Promise<void> {
    return this.#enqueue(() => this.#withdraw(answer, reason));
  }

  /** Null for an answer that may stay, as far as is known without asking Discord. */
  whyToGo(answer: PostedAnswer): string | null {
    const question = toRef({ channelId: answer.channelId, messageId: answer.questionId as MessageId });
    if (this.#deleted.has(question)) return "question_deleted";
    const isGone = answer.sources.some(({ type, ref }) => type === "gone" || this.#deleted.has(ref));
    return isGone ? "source_deleted" : toReason(this.#deps.answerSources.judgeMessages(answer));
  }

  /** Like `note`, for an answer posted before this process began. */
  async noteEarlier(answer: PostedAnswer): Promise<void> {
    await this.note(answer);
    await this.#lookUntilTold(answer);
  }

  /** Citing a message in a thread discloses the thread's title, which may be theirs. */
  async #leaveOut(person: UserId): Promise<void> {
    const reason = "author_left_out";
    const threads = this.#deps.discord.directory.threadsTitledBy(person);
    await this.#withdrawWordsOf(person, reason);
    for (const channelId of threads) await this.withdrawCiting({ channelId }, reason);
  }

  /** Withdraws answers that cite them, and public answers to their own questions, which repeat their text, too. */
  async #withdrawWordsOf(person: UserId, reason: string): Promise<void> {
    const { directory } = this.#deps.discord;
    const answering = this.#enqueue(async () => {
      for (const answer of await this.#deps.store.answersFor(person))
        if (directory.channel(answer.channelId)?.guildId !== null) await this.#withdraw(answer, reason);
    });
    await this.withdrawCiting({ personId: person }, reason);
    await answering;
  }

  withdrawCiting(cited: CitedBy, reason: string): Promise<void> {
    return this.#enqueue(async () => {
      for (const answer of await this.#deps.store.answersCiting(cited)) await this.#takeBack(answer, reason);
    });
  }

  /** Withdraws the next answers whose sources are gone, or may no longer be disclosed in the answer's channel. */
  checkAll(): Promise<void> {
    return this.#enqueue(() => this.#checkNext());
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    for (const timer of this.#retries.values()) clearTimeout(timer);
  }

  #hearDeletions({ channelId, messageIds }: Extract<DiscordEvent, { type: "message_delete" }>): void {
    for (const messageId of messageIds) this.#deleted.set(toRef({ channelId, messageId }), true);
    void this.withdrawCiting(citedMessages(channelId, messageIds), "source_deleted");
    void this.#enqueue(() => this.#hearDeletion(messageIds));
  }

  /** For facts, profiles and passages, which are not found by channel. Channels are often lost many at a time. */
  #checkSoon(): void {
    if (this.#isCheckQueued) return;
    this.#isCheckQueued = true;
    void this.#enqueue(() => {
      this.#isCheckQueued = false;
      return this.#checkNext();
    });
  }

  async #checkNext(): Promise<void> {
    for (let count = 0; count < MAX_CHECKED && !this.#isClosed; count += PAGE) {
      const answers = await this.#deps.store.citing(PAGE, this.#checked);
      this.#checked = answers.length < PAGE ? NEWEST : (answers.at(-1) ?? NEWEST);
      for (const answer of answers) await this.#check(answer);
      if (this.#checked === NEWEST) return;
      // An answer may follow hundreds of messages, so this yields between two pages.
      await setImmediate();
    }
  }

  async #check(answer: PostedAnswer): Promise<void> {
    if (this.#isRetried(answer)) return;
    const reason = await this.#whyToGoNow(answer);
    if (reason) await this.#takeBack(answer, reason);
  }

  /** Discord does not describe an archived private thread: only a request can tell whether access to it is lost. */
  async #hearLoss(channelId: ChannelId): Promise<void> {
    for (const answer of await this.#deps.store.answersCiting({ channelId })) await this.#lookUntilTold(answer);
  }

  async #lookUntilTold(answer: PostedAnswer): Promise<void> {
    if (!(await this.#lookAgainAt(answer))) this.#lookAgain.add(answer.questionId);
  }

  /** Checks for deletions while events were missed. Asks Discord outside the queue, because thousands of sources take a while. False if
   * the result is unknown. */
  async #lookAgainAt(answer: PostedAnswer): Promise<boolean> {
    /** It is being withdrawn, is gone, or was rewritten. */
    const isOver = async () => this.#isRetried(answer) || !(await this.#findSame(answer));
    let isTold = false;
    await this.#attempt(async () => {
      const reason = (await isOver()) ? null : await this.#whyGone(answer);
      if (reason === UNKNOWN) return;
      const act = async () => {
        if (reason && !(await isOver())) await this.#end(answer, reason);
        isTold = true;
      };
      await (reason ? this.#enqueue(act) : act());
    });
    return isTold;
  }

  /** Asks Discord. Null for an answer that may stay. */
  async #whyGone(answer: PostedAnswer): Promise<string | null> {
    const { answerSources } = this.#deps;
    const { channelId, questionId } = answer;
    const reason = await this.#whyToGoNow(answer);
    if (reason) return reason;
    const gone = await answerSources.findGone(answer.sources, () => this.#isClosed);
    if (gone !== null) return gone === UNKNOWN ? UNKNOWN : (this.#whyUnreadable(gone.channelId) ?? "source_deleted");
    if (!isMessageQuestion(questionId)) return null;
    const question = { channelId, messageId: questionId as MessageId };
    const isGone = await answerSources.isMessageGone(question);
    if (!isGone) return isGone === null ? UNKNOWN : null;
    return this.#whyUnreadable(channelId) ?? "question_deleted";
  }

  /** Null if the bot can read the channel. */
  #whyUnreadable(channelId: ChannelId): string | null {
    const { directory, botId } = this.#deps.discord;
    if (directory.canRead(botId, channelId)) return null;
    return directory.isDeleted(channelId) ? "channel_deleted" : "access_lost";
  }

  /** Withdraws the answers to deleted questions, and notes answers that were deleted themselves. */
  async #hearDeletion(ids: readonly MessageId[]): Promise<void> {
    const { store } = this.#deps;
    for (const id of ids) {
      const job = await store.find(id);
      if (job) await this.#withdraw(job, "question_deleted");
      await store.removeAnswer(id);
    }
  }

  /** Also checks facts, profiles and passages. */
  async #whyToGoNow(answer: PostedAnswer): Promise<string | null> {
    const reason = this.whyToGo(answer);
    return reason !== null && reason !== OUT_OF_REACH ? reason : toReason(await this.#deps.answerSources.judge(answer));
  }

  #end(answer: PostedAnswer, reason: string): Promise<void> {
    return reason === "question_deleted" ? this.#withdraw(answer, reason) : this.#takeBack(answer, reason);
  }

  /** An answer that is being written is stopped first, and rewritten without the source. */
  async #takeBack(answer: PostedAnswer, reason: string): Promise<void> {
    const stopping = this.#deps.live.stop(answer.questionId);
    await stopping;
    const now = stopping ? await this.#findSame(answer) : answer;
    if (now) await this.#withdraw(now, reason);
  }

  /** The current state of the answer; null if it was rewritten or is gone. */
  async #findSame({ questionId, operationId }: PostedAnswer): Promise<PostedAnswer | null> {
    const job = await this.#deps.store.find(questionId);
    return job?.operationId === operationId && job.answerIds.length > 0 ? job : null;
  }

  async #withdraw(answer: PostedAnswer, reason: string): Promise<void> {
    for (const answerId of answer.answerIds) await this.#withdrawMessage({ ...answer, answerId }, reason);
  }

  async #withdrawMessage(answer: Standing, reason: string, attempt = 0): Promise<void> {
    const { answers, store, discord, log } = this.#deps;
    const { answerId, channelId, operationId } = answer;
    try {
      await answers.withdraw({ messageId: answerId, channelId, operationId, reason });
      this.#retries.delete(answerId);
      await store.removeAnswer(answerId);
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      log.warn({ code, attempt, reason }, "an answer that has to go could not be withdrawn");
      // The message is gone with its channel. If the bot has only lost access, it may regain it.
      if (discord.directory.isDeleted(channelId)) return void (await store.removeAnswer(answerId));
      this.#retry(answer, reason, attempt);
      if (!REVERSIBLE.includes(reason)) await store.markGone(answerId);
    }
  }

  #isRetried({ answerIds }: PostedAnswer): boolean {
    return answerIds.some((id) => this.#retries.has(id));
  }

  #retry(answer: Standing, reason: string, attempt: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retries.get(answer.answerId));
    const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)];
    const timer = setTimeout(() => void this.#enqueue(() => this.#tryAgain(answer, reason, attempt + 1)), wait);
    timer.unref();
    this.#retries.set(answer.answerId, timer);
  }

  async #tryAgain(answer: Standing, reason: string, attempt: number): Promise<void> {
    if (!REVERSIBLE.includes(reason)) return this.#withdrawMessage(answer, reason, attempt);
    const isThere = (await this.#deps.store.findAnswer(answer.answerId)) !== null;
    const why = isThere ? await this.#whyGone(answer) : null;
    if (why === UNKNOWN) return this.#retry(answer, reason, attempt);
    this.#retries.delete(answer.answerId);
    if (why) await this.#withdrawMessage(answer, why, attempt);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    return this.#queue.run(() => this.#attempt(work));
  }

  #besideQueue(work: Promise<void>): void {
    this.#looked = Promise.all([this.#looked, work]);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.error({ code }, "answers could not be compared with their sources");
    }
  }
}

/** An unknown state is no reason to withdraw. */
function toReason({ answer, reason }: Judgement): string | null {
  if (answer !== "no") return null;
  return reason === "not_for_everyone_there" ? OUT_OF_REACH : reason;
}
