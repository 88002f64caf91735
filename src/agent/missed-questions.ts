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
    /** `others`: how many more of that channel are given up with it. */
    giveUp(message: Message, others?: number): Promise<void>;
  };
  readonly sources: Pick<FollowSources, "noteEarlier" | "withdraw">;
  /** After a longer absence nobody waits for an answer any more. */
  readonly catchUpMs: number;
  /** Questions from before may have been answered without a trace here: the claims come from a backup. */
  readonly restoredAt?: number | undefined;
  /** Waits; with a timer that does not keep the process alive when absent. */
  readonly delay?: ((ms: number) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of the channels in which something was said meanwhile, those with the newest messages; of direct messages, those in which somebody asked last. */
const MAX_CHANNELS = 50;
const MAX_TALKS = 500;
/** What was heard right before the end may not have been begun. What was answered is claimed, and not answered again. */
const LOOK_BACK_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * A question whose answer was cut off may be what ended the process. It is answered again this long after it was last begun, once for each of these, and then
 * given up.
 */
const PAUSES_MS = [0, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
/** After this nobody waits for an answer any more. */
const MAX_AGE_MS = 24 * HOUR_MS;

/** Finds questions that were asked while the bot heard nothing, and those whose answer a crash cut off. */
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

  /** What was begun and not finished when the process ended. Resolves when all of it has come to an end, or this was closed. */
  async recover(): Promise<void> {
    const jobs = (await this.#deps.store.unfinished()).filter(({ questionId }) => isMessageQuestion(questionId));
    const recover = (job: AnswerJob) => this.#attempt(() => this.#recoverOne(job));
    // What is leaving may have left right before the end: each is looked for by itself, and follows its sources.
    const old = jobs.filter((job) => job.state === "claimed" && this.#isOver(job));
    const many = [...Map.groupBy(old, ({ channelId }) => channelId).values()].filter(({ length }) => length > 1);
    await Promise.all(many.map((together) => this.#attempt(() => this.#giveUpTogether(together))));
    const others = jobs.filter((job) => many.every((together) => !together.includes(job)));
    await Promise.all(others.filter(({ attempts }) => attempts <= 1).map(recover));
    // What was cut off twice waits for the end of all others: they must not be cut off with it again.
    const suspects = others.filter(({ attempts }) => attempts > 1).sort((a, b) => dueAt(a) - dueAt(b));
    for (const job of suspects) await this.#attempt(() => this.#recoverWhenDue(job));
  }

  /** Begins a question again whose answer failed, after the pause that is due. Never throws. */
  async retry(questionId: MessageId): Promise<void> {
    await this.#attempt(async () => {
      const job = await this.#deps.store.find(questionId);
      if (job) await this.#recoverWhenDue(job);
    });
  }

  async #recoverWhenDue(job: AnswerJob): Promise<void> {
    const { store, clock, delay = (ms) => sleep(ms, undefined, { ref: false }) } = this.#deps;
    // A clock that was set back makes nobody wait for longer than the pause.
    const waitMs = Math.min(dueAt(job) - clock.now(), pauseBefore(job));
    if (waitMs > 0) await orCancelled(delay(waitMs), this.#closing.signal);
    const current = await store.find(job.questionId);
    if (current) await this.#recoverOne(current);
  }

  #hearGap(gap: Gap): void {
    const { directory } = this.#deps.discord;
    if (Date.parse(gap.to) - Date.parse(gap.from) > this.#deps.catchUpMs) return;
    // After a restart the servers have been described before anybody listens; otherwise that is still to come.
    const isKnown = (id: GuildId) => gap.reason === "restart" && directory.guild(id) !== undefined;
    for (const id of gap.guildIds) if (!isKnown(id)) this.#pending.set(id, gap);
    const known = gap.guildIds.filter(isKnown);
    if (known.length > 0) void this.#attempt(() => this.#look(known, gap));
    if (gap.shard === 0) void this.#attempt(() => this.#lookIntoTalks(gap));
  }

  /** Discord lists no direct messages to bots: only those are known in which somebody has asked before. */
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

  /** What was known before does not say what was said last. */
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
      // `recover` begins a claimed question again, and does nothing while the agent is at it.
      if ((await store.find(message.message_id)) !== null) continue;
      if (agent.mayAnswer(message)) void agent.answer(message, { isLate: true });
    }
  }

  async #recoverOne(job: AnswerJob): Promise<void> {
    const { lookup, store, agent, sources, clock, catchUpMs } = this.#deps;
    const { questionId, channelId, state, attempts, claimedAt } = job;
    // To say that it is given up was an attempt, too.
    if (attempts > PAUSES_MS.length + 1) return store.finish(questionId);
    const isOver = this.#isOver(job);
    // Counted first: whatever is done about the question may end the process.
    if (!(await store.claimAgain(job, clock.now()))) return;
    const { message, answerIds } = await lookup.reread({ channelId, messageId: questionId as MessageId });
    const answer = { ...job, answerIds: [...new Set([...job.answerIds, ...answerIds])] };
    const isSaid = answer.answerIds.length > 0;
    const isPartial = state === "visible";
    // What is visible of it is completed in place.
    if (message && (isPartial || !isSaid) && agent.mayAnswer(message)) {
      const isLate = clock.now() - claimedAt > catchUpMs;
      return isOver ? agent.giveUp(message) : agent.answer(message, { isAgain: true, isLate });
    }
    if (isPartial && isSaid) {
      if (message) return agent.interrupt(message);
      await store.notePosted(answer, { isPartial });
      await sources.withdraw(answer, "question_deleted");
    }
    // It left right before the end: it follows its sources like any other.
    if (state === "leaving" && isSaid) await sources.noteEarlier(answer);
    await store.finish(questionId);
  }

  #isOver({ attempts, claimedAt }: Pick<AnswerJob, "attempts" | "claimedAt">): boolean {
    return attempts > PAUSES_MS.length || this.#deps.clock.now() - claimedAt > MAX_AGE_MS;
  }

  /** Says it once for all questions of a channel: in reply to the newest that still stands and may be answered. */
  async #giveUpTogether(jobs: readonly AnswerJob[]): Promise<void> {
    const { lookup, store, agent, clock } = this.#deps;
    let isTold = false;
    for (const job of jobs.toSorted((a, b) => b.claimedAt - a.claimedAt)) {
      const { questionId, channelId, attempts } = job;
      // To say it was an attempt, too.
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

  /** One channel that cannot be read must not keep the others from being looked at. */
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

/** When a question that was cut off may be begun again. */
function dueAt(job: AnswerJob): number {
  return job.attemptedAt + pauseBefore(job);
}
