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
  /** The answers that are being written. */
  readonly live: {
    /** Stops an answer whose source is gone. Resolves when nothing of it is visible that rests on the source; null if it is not being written. */
    stop(questionId: string): Promise<void> | null;
  };
  /** How often it is looked at who can read what; half a minute unless given. */
  readonly checkMs?: number;
}

/** One message of an answer. */
type Standing = PostedAnswer & { readonly answerId: MessageId };

/** Discord limits how often old messages are changed; after the last of these it is tried again as seldom as that, until the answer is gone. */
const RETRY_MS = [2_000, 10_000, 60_000, 300_000, 900_000, 2_400_000];
/** At a time, in turn. */
const MAX_CHECKED = 1_000;
const PAGE = 100;
const MAX_DELETED = 10_000;
/** Nobody announces who can read what: it is looked at again this often. */
const CHECK_MS = 30_000;
/** Not everybody who sees the answer may know what it rests on. */
const OUT_OF_REACH = "source_out_of_reach";
/** In the place of a reason: whether the answer has to go cannot be told now. */
const UNKNOWN = "unknown";
/** May be otherwise by the time of another attempt: nothing is kept of them, and they are looked at again. */
const REVERSIBLE: readonly string[] = [OUT_OF_REACH, "access_lost", "channel_deleted", "guild_removed"];

/**
 * An answer follows its question and its sources: when the question is deleted, when a message that it cites is deleted, its author is erased or wants to be left out, or not everybody who
 * sees the answer can read the message any more, the answer is withdrawn. So it is with facts, profiles and passages of documents. What is not known is no
 * reason: an answer waits for a server that is out of reach or not described yet, for its member list, and for the members of a private thread.
 */
export class FollowSources {
  readonly #deps: FollowSourcesDeps;
  readonly #stops: readonly (() => void)[];
  readonly #deleted = new BoundedMap<string, true>({ maxEntries: MAX_DELETED });
  /** Answers that could not be withdrawn yet. */
  readonly #retries = new Map<MessageId, NodeJS.Timeout>();
  /** One after the other: an answer must not be withdrawn twice. */
  readonly #queue = new Serial();
  readonly #lookAgain: LookAgain;
  #looked: Promise<unknown> = Promise.resolve();
  /** Where the next check goes on. */
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

  /** Resolves when everything that was to go so far has gone, or could not. */
  async settled(): Promise<void> {
    await this.#looked;
    await this.#queue.settled();
  }

  /** For the erasure of a person: what cites them goes. */
  async erase(person: UserId): Promise<void> {
    await this.#withdrawWordsOf(person, "author_erased");
    await this.#deps.store.erase(person);
  }

  /** Kept from now on. What was deleted between its sending and now was not known to concern it. That it goes is not waited for: who writes it may have to stop first. */
  async note(answer: PostedAnswer): Promise<void> {
    await this.#deps.store.notePosted(answer);
    await this.#endUnlessFounded(answer);
  }

  /** The same for an answer whose message stands there without words, which are about to come. */
  async noteLeaving(answer: PostedAnswer): Promise<void> {
    await this.#deps.store.plan(answer);
    await this.#endUnlessFounded(answer);
  }

  async #endUnlessFounded(answer: PostedAnswer): Promise<void> {
    const reason = await this.#whyToGoNow(answer);
    if (reason) void this.#enqueue(() => this.#end(answer, reason));
  }

  /** Withdraws an answer whatever it rests on. */
  withdraw(answer: PostedAnswer, reason: string): Promise<void> {
    return this.#enqueue(() => this.#withdraw(answer, reason));
  }

  /** Null for an answer that may stand, as far as is known without asking Discord. */
  whyToGo(answer: PostedAnswer): string | null {
    const question = toRef({ channelId: answer.channelId, messageId: answer.questionId as MessageId });
    if (this.#deleted.has(question)) return "question_deleted";
    const isGone = answer.sources.some(({ type, ref }) => type === "gone" || this.#deleted.has(ref));
    return isGone ? "source_deleted" : toReason(this.#deps.answerSources.judgeMessages(answer));
  }

  /** As `note`, for an answer that was said before this process began. */
  async noteEarlier(answer: PostedAnswer): Promise<void> {
    await this.note(answer);
    await this.#lookUntilTold(answer);
  }

  /** What cites a message in a thread names the thread, by a title that may be theirs. */
  async #leaveOut(person: UserId): Promise<void> {
    const reason = "author_left_out";
    const threads = this.#deps.discord.directory.threadsTitledBy(person);
    await this.#withdrawWordsOf(person, reason);
    for (const channelId of threads) await this.withdrawCiting({ channelId }, reason);
  }

  /** What cites them, and what answers their own questions where others read it: that repeats words of theirs, too. */
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

  /** Withdraws the next answers whose sources are gone, or no longer flow to where it stands. */
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

  /** Facts, profiles and passages do not say in which channels they may be heard. Channels are often lost many at a time. */
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
      // An answer may follow hundreds of messages: others are served between two pages.
      await setImmediate();
    }
  }

  async #check(answer: PostedAnswer): Promise<void> {
    if (this.#isRetried(answer)) return;
    const reason = await this.#whyToGoNow(answer);
    if (reason) await this.#takeBack(answer, reason);
  }

  /** A private thread that is archived is not described: only Discord can say whether it is lost. */
  async #hearLoss(channelId: ChannelId): Promise<void> {
    for (const answer of await this.#deps.store.answersCiting({ channelId })) await this.#lookUntilTold(answer);
  }

  async #lookUntilTold(answer: PostedAnswer): Promise<void> {
    if (!(await this.#lookAgainAt(answer))) this.#lookAgain.add(answer.questionId);
  }

  /** Whether something was deleted while nothing was heard. Discord is asked outside the queue: of thousands of sources that takes a while. False if it could not be told. */
  async #lookAgainAt(answer: PostedAnswer): Promise<boolean> {
    /** It is being withdrawn, is gone, or was written again since. */
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

  /** Asks Discord. Null for an answer that may stand. */
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

  /** Null for a channel that the bot can read. */
  #whyUnreadable(channelId: ChannelId): string | null {
    const { directory, botId } = this.#deps.discord;
    if (directory.canRead(botId, channelId)) return null;
    return directory.isDeleted(channelId) ? "channel_deleted" : "access_lost";
  }

  /** An answer goes with its question. That somebody removed the answer itself is noted. */
  async #hearDeletion(ids: readonly MessageId[]): Promise<void> {
    const { store } = this.#deps;
    for (const id of ids) {
      const job = await store.find(id);
      if (job) await this.#withdraw(job, "question_deleted");
      await store.removeAnswer(id);
    }
  }

  /** By facts, profiles and passages as well. */
  async #whyToGoNow(answer: PostedAnswer): Promise<string | null> {
    const reason = this.whyToGo(answer);
    return reason !== null && reason !== OUT_OF_REACH ? reason : toReason(await this.#deps.answerSources.judge(answer));
  }

  #end(answer: PostedAnswer, reason: string): Promise<void> {
    return reason === "question_deleted" ? this.#withdraw(answer, reason) : this.#takeBack(answer, reason);
  }

  /** An answer that is being written is stopped where it is, and written again without the source. */
  async #takeBack(answer: PostedAnswer, reason: string): Promise<void> {
    const stopping = this.#deps.live.stop(answer.questionId);
    await stopping;
    const now = stopping ? await this.#findSame(answer) : answer;
    if (now) await this.#withdraw(now, reason);
  }

  /** As it stands now; null if it was written again since, or is gone. */
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
      // It stands nowhere any more. Where the bot only cannot look, it may again one day.
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

/** What is unknown is no reason. */
function toReason({ answer, reason }: Judgement): string | null {
  if (answer !== "no") return null;
  return reason === "not_for_everyone_there" ? OUT_OF_REACH : reason;
}
