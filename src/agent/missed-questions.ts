import { setTimeout as sleep } from "node:timers/promises";
import { EarshotError } from "../domain/errors.ts";
import { isPostList } from "../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId, toFirstId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { orCancelled } from "../domain/or-cancelled.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import { type AnswerJob, type AnswerStore, isMessageQuestion } from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, Gap } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { FollowSources } from "./follow-sources.ts";

export interface MissedQuestionsDeps {
  readonly discord: Pick<Discord, "botId" | "directory" | "listen">;
  readonly lookup: QuestionLookup;
  readonly store: AnswerStore;
  readonly agent: {
    mayAnswer(message: Message): boolean;
    answer(message: Message, how: { isLate?: boolean; isAgain?: boolean }): Promise<void>;
    interrupt(message: Message): Promise<void>;
    /** `others`: number of further questions of that channel that are given up, too. */
    giveUp(message: Message, others?: number): Promise<void>;
  };
  readonly sources: Pick<FollowSources, "noteEarlier" | "withdraw">;
  /** After a longer absence, people no longer wait for an answer. */
  readonly catchUpMs: number;
  /** Time of a restored backup: earlier questions may have been answered without a claim in it. */
  readonly restoredAt?: number | undefined;
  /** By default uses a timer that does not keep the process alive. */
  readonly delay?: ((ms: number) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Guild channels with new messages, the newest first; DMs with the latest questions. */
const MAX_CHANNELS = 50;
const MAX_TALKS = 500;
/** Overlap with the time before the stop: a question received then may not have been begun. Answered questions are claimed, and not
 * answered again. */
const LOOK_BACK_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * A question whose answer was interrupted may have caused the crash. It is retried after each of these pauses, counted from its last
 * attempt, and then given up.
 */
const PAUSES_MS = [0, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
/** After this time, people no longer wait for an answer. */
const MAX_AGE_MS = 24 * HOUR_MS;

/** Finds questions from gaps, and questions whose answer a crash interrupted. */
export class MissedQuestions {
  readonly #deps: MissedQuestionsDeps;
  readonly #pending = new Map<GuildId, Gap>();
  readonly #stop: () => void;
  readonly #closing = new AbortController();

  constructor(deps: MissedQuestionsDeps) {
    this.#deps = deps;
    this.#stop = deps.discord.listen({
      gap: (gap) => this.#hearGap(gap),
      guild: ({ guildId }) => {
        const gap = this.#pending.get(guildId);
        this.#pending.delete(guildId);
        if (gap) void this.#attempt(() => this.#look([guildId], gap));
      },
    });
  }

  close(): void {
    this.#closing.abort();
    this.#stop();
  }

  /** Resumes unfinished questions of the previous process. Resolves when all of them have ended, or this was closed. */
  async recover(): Promise<void> {
    const jobs = (await this.#deps.store.unfinished()).filter(({ questionId }) => isMessageQuestion(questionId));
    const recover = (job: AnswerJob) => this.#attempt(() => this.#recoverOne(job));
    // A `leaving` answer may have been sent right before the crash: each is looked up separately, and follows its sources.
    const old = jobs.filter((job) => job.state === "claimed" && this.#isOver(job));
    const many = [...Map.groupBy(old, ({ channelId }) => channelId).values()].filter(({ length }) => length > 1);
    await Promise.all(many.map((together) => this.#attempt(() => this.#giveUpTogether(together))));
    const others = jobs.filter((job) => many.every((together) => !together.includes(job)));
    await Promise.all(others.filter(({ attempts }) => attempts <= 1).map(recover));
    // Questions interrupted twice wait for the end of all others, which must not be interrupted with them again.
    const suspects = others.filter(({ attempts }) => attempts > 1).sort((a, b) => dueAt(a) - dueAt(b));
    for (const job of suspects) await this.#attempt(() => this.#recoverWhenDue(job));
  }

  /** Retries a failed question after its pause. Never throws. */
  async retry(questionId: MessageId): Promise<void> {
    await this.#attempt(async () => {
      const job = await this.#deps.store.find(questionId);
      if (job) await this.#recoverWhenDue(job);
    });
  }

  async #recoverWhenDue(job: AnswerJob): Promise<void> {
    const { store, clock, delay = (ms) => sleep(ms, undefined, { ref: false }) } = this.#deps;
    // A clock that was set back prolongs no pause.
    const waitMs = Math.min(dueAt(job) - clock.now(), pauseBefore(job));
    if (waitMs > 0) await orCancelled(delay(waitMs), this.#closing.signal);
    const current = await store.find(job.questionId);
    if (current) await this.#recoverOne(current);
  }

  #hearGap(gap: Gap): void {
    const { directory } = this.#deps.discord;
    if (Date.parse(gap.to) - Date.parse(gap.from) > this.#deps.catchUpMs) return;
    // After a restart, servers are described before listeners are called; otherwise only later.
    const isKnown = (id: GuildId) => gap.reason === "restart" && directory.guild(id) !== undefined;
    for (const id of gap.guildIds) if (!isKnown(id)) this.#pending.set(id, gap);
    const known = gap.guildIds.filter(isKnown);
    if (known.length > 0) void this.#attempt(() => this.#look(known, gap));
    if (gap.shard === 0) void this.#attempt(() => this.#lookIntoTalks(gap));
  }

  /** Discord lists no DMs to bots: only DMs with earlier questions are known. */
  async #lookIntoTalks(gap: Gap): Promise<void> {
    const { store, discord, log } = this.#deps;
    const since = this.#sinceOf(gap);
    const ids = await store.channelsAskedIn(MAX_TALKS);
    const talks = ids.filter((id) => (discord.directory.channel(id)?.guildId ?? null) === null);
    if (talks.length > MAX_CHANNELS) log.warn({}, "questions in older direct messages were not looked for");
    for (const id of talks.slice(0, MAX_CHANNELS))
      await this.#attempt(async () => {
        if (await this.#hasNews(id, since)) await this.#lookInto(id, since, gap);
      });
  }

  #sinceOf({ from }: Gap): MessageId {
    return toFirstId(Math.max(Date.parse(from) - LOOK_BACK_MS, this.#deps.restoredAt ?? 0));
  }

  /** The last message of a channel known before may be outdated, so this counts as news. */
  async #hasNews(id: ChannelId, since: MessageId): Promise<boolean> {
    const { directory, botId } = this.#deps.discord;
    if (directory.channel(id)) return true;
    await directory.learn(botId, id);
    const talk = directory.channel(id);
    return talk?.guildId === null && compareIds(talk.lastMessageId ?? since, since) >= 0;
  }

  async #look(guildIds: readonly GuildId[], gap: Gap): Promise<void> {
    const { directory, botId } = this.#deps.discord;
    const since = this.#sinceOf(gap);
    const changed = guildIds
      .flatMap((id) => directory.channels(id))
      .filter((channel) => !isPostList(channel) && directory.canRead(botId, channel.id))
      .flatMap(({ id, lastMessageId }) => (lastMessageId ? [{ id, lastMessageId }] : []))
      .filter(({ lastMessageId }) => compareIds(lastMessageId, since) > 0)
      .sort((a, b) => compareIds(b.lastMessageId, a.lastMessageId))
      .slice(0, MAX_CHANNELS);
    for (const { id } of changed) await this.#attempt(() => this.#lookInto(id, since, gap));
  }

  async #lookInto(channelId: ChannelId, since: MessageId, gap: Gap): Promise<void> {
    const { lookup, agent, store, log } = this.#deps;
    const span = { from: since, to: toFirstId<MessageId>(Date.parse(gap.to)) };
    const isOurs = async (id: MessageId) => (await store.findAnswer(id)) !== null;
    const { questions, isCut } = await lookup.missed(channelId, span, isOurs);
    if (isCut) log.warn({ channel_id: channelId }, "too much was said meanwhile: older questions were not looked for");
    for (const message of questions) {
      // `recover` retries a claimed question, and does nothing while the agent answers it.
      if ((await store.find(message.message_id)) !== null) continue;
      if (agent.mayAnswer(message)) void agent.answer(message, { isLate: true });
    }
  }

  async #recoverOne(job: AnswerJob): Promise<void> {
    const { lookup, store, agent, sources, clock, catchUpMs } = this.#deps;
    const { questionId, channelId, state, attempts, claimedAt } = job;
    // The notice of giving up counts as an attempt, too.
    if (attempts > PAUSES_MS.length + 1) return store.finish(questionId);
    const isOver = this.#isOver(job);
    // Counted first, because any step may crash the process.
    if (!(await store.claimAgain(job, clock.now()))) return;
    const { message, answerIds } = await lookup.reread({ channelId, messageId: questionId as MessageId });
    const answer = { ...job, answerIds: [...new Set([...job.answerIds, ...answerIds])] };
    const isSaid = answer.answerIds.length > 0;
    const isPartial = state === "visible";
    // A visible part is completed in place.
    if (message && (isPartial || !isSaid) && agent.mayAnswer(message)) {
      const isLate = clock.now() - claimedAt > catchUpMs;
      return isOver ? agent.giveUp(message) : agent.answer(message, { isAgain: true, isLate });
    }
    if (isPartial && isSaid) {
      if (message) return agent.interrupt(message);
      await store.notePosted(answer, { isPartial });
      await sources.withdraw(answer, "question_deleted");
    }
    // It was sent right before the crash, and follows its sources like any other.
    if (state === "leaving" && isSaid) await sources.noteEarlier(answer);
    await store.finish(questionId);
  }

  #isOver({ attempts, claimedAt }: Pick<AnswerJob, "attempts" | "claimedAt">): boolean {
    return attempts > PAUSES_MS.length || this.#deps.clock.now() - claimedAt > MAX_AGE_MS;
  }

  /** Posts one notice for all questions of a channel: in reply to the newest that still exists and may be answered. */
  async #giveUpTogether(jobs: readonly AnswerJob[]): Promise<void> {
    const { lookup, store, agent, clock } = this.#deps;
    let isTold = false;
    for (const job of jobs.toSorted((a, b) => b.claimedAt - a.claimedAt)) {
      const { questionId, channelId, attempts } = job;
      // The notice counts as an attempt, too.
      const isTried = isTold || attempts > PAUSES_MS.length + 1;
      if (!isTried && (await store.claimAgain(job, clock.now()))) {
        const { message, answerIds } = await lookup.reread({ channelId, messageId: questionId as MessageId });
        if (message && answerIds.length === 0 && agent.mayAnswer(message)) {
          await agent.giveUp(message, jobs.length - 1);
          isTold = true;
        }
      }
      await store.finish(questionId);
    }
  }

  /** An unreadable channel must not prevent checks of the others. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.warn({ code }, "missed questions could not be looked for");
    }
  }
}

function pauseBefore({ attempts }: AnswerJob): number {
  return PAUSES_MS[attempts - 1] ?? 0;
}

/** The earliest time for the next attempt of an interrupted question. */
function dueAt(job: AnswerJob): number {
  return job.attemptedAt + pauseBefore(job);
}
