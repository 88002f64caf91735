import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { MessageId, UserId } from "../domain/ids.ts";
import { type Message, typedText } from "../domain/message.ts";
import { allowsSending } from "../domain/permissions.ts";
import { locateChannel } from "../policy/apply-rules.ts";
import { FairQueue } from "../policy/fair-queue.ts";
import type { Client } from "../policy/operation.ts";
import type { QuestionHolders } from "../policy/question-holders.ts";
import type { AnswerStore } from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { AGENT } from "./agent-grant.ts";
import type { LiveAnswers } from "./live-answer.ts";
import { QUESTION_DELETED, type Reply } from "./reply.ts";

export interface MessageAgentDeps {
  readonly discord: Pick<Discord, "botId" | "directory" | "listen">;
  readonly store: AnswerStore;
  /** `off`: servers, categories, channels and threads in which it stays silent. */
  readonly settings: { readonly off: readonly string[] };
  readonly reply: Reply;
  readonly live: Pick<LiveAnswers, "isGrowing">;
  readonly holders: Pick<QuestionHolders, "offer" | "take" | "settled">;
  /** Whether a client may receive a message. */
  mayHear(client: Client, message: Message): boolean;
  /** Whether a bot's message may be answered. */
  mayAnswerBot(message: Message): boolean;
  /** Schedules a retry of a failed question. */
  retry(questionId: MessageId): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A question that is being answered. */
interface Run {
  readonly message: Message;
  readonly controller: AbortController;
  /** Number of restarts after edits. */
  readonly restarts: number;
  /** Resolves when no work on it is in progress. */
  ended: Promise<void>;
}

interface Beginning {
  readonly restarts: number;
  readonly isLate?: boolean;
  readonly isAgain?: boolean;
  /** Must end before this begins. */
  readonly after?: Promise<void>;
}

const QUEUE = { running: 64, runningPerOwner: 2, waitingPerOwner: 4 };
const MAX_RESTARTS = 2;
const MAX_ANSWERED = 10_000;
/** Interval between two notices to a person that they ask too much. */
const DECLINE_EVERY_MS = 60_000;
const MAX_DECLINED = 10_000;
const EDITED = "The question was edited";
const CLOSED = "The program is stopped";

/** Answers messages to the bot, in their channel. */
export class MessageAgent {
  readonly #deps: MessageAgentDeps;
  readonly #queue = new FairQueue(QUEUE);
  readonly #runs = new Map<MessageId, Run>();
  /** Questions for which an answer of the bot was received as an event. */
  readonly #answered = new BoundedMap<MessageId, true>({ maxEntries: MAX_ANSWERED });
  /** People who got a notice in the last minute that they ask too much. */
  readonly #declined: BoundedMap<UserId, true>;
  readonly #working = new Set<Promise<void>>();
  readonly #stop: () => void;
  readonly #closing = new AbortController();

  constructor(deps: MessageAgentDeps) {
    this.#deps = deps;
    this.#declined = new BoundedMap({ maxEntries: MAX_DECLINED, ttlMs: DECLINE_EVERY_MS, clock: deps.clock });
    this.#stop = deps.discord.listen({
      message: ({ message, addressed }) => this.#hearMessage(message, addressed),
      message_update: ({ message }) => this.#hearEdit(message),
      message_delete: ({ messageIds }) => this.#keep(this.#callOff(messageIds)),
    });
  }

  /** Whether an answer by the bot to that message was received as an event. */
  isAnswered(messageId: MessageId): boolean {
    return this.#answered.has(messageId);
  }

  /** Whether the agent would answer this message now. */
  mayAnswer(message: Message): boolean {
    const { discord, settings, mayAnswerBot } = this.#deps;
    const { author, channel_id, kind, guild_id } = message;
    if (author.id === discord.botId || (kind !== "text" && kind !== "reply")) return false;
    if (author.bot && !mayAnswerBot(message)) return false;
    const place = locateChannel(discord.directory, channel_id);
    if (!place) return false;
    const isOff = [...place.lineage, ...(guild_id === null ? [] : [guild_id])].some((id) => settings.off.includes(id));
    if (isOff) return false;
    const held = discord.directory.permissions(discord.botId, channel_id);
    return guild_id === null || allowsSending(discord.directory.channel(channel_id), held);
  }

  /** Answers a message in its turn, unless that is in progress. Never throws. */
  async answer(message: Message, how: { isLate?: boolean; isAgain?: boolean } = {}): Promise<void> {
    if (!this.#runs.has(message.message_id)) return this.#begin(message, { restarts: 0, ...how });
  }

  /** Replaces an interrupted answer by the statement that no more will follow. */
  async interrupt(message: Message): Promise<void> {
    const { signal } = this.#closing;
    await this.#orDiscount(message, this.#deps.reply.interrupt(message, { signal }));
  }

  /** States that a question whose every attempt was interrupted will not be answered, together with others of that channel. */
  async giveUp(message: Message, others = 0): Promise<void> {
    const { signal } = this.#closing;
    await this.#orDiscount(message, this.#deps.reply.giveUp(message, { signal }, others));
  }

  /** For the erasure of a person: stops answering their questions. Resolves when nothing of such an answer is visible. */
  async letGoOf(person: UserId): Promise<void> {
    this.#declined.delete(person);
    const theirs = [...this.#runs].filter(([, { message }]) => message.author.id === person);
    await this.#callOff(theirs.map(([id]) => id));
    await Promise.all(theirs.map(([, { ended }]) => ended));
  }

  /** Ignores new events, and aborts work in progress, which the next start begins again. Safe to repeat. */
  async close(): Promise<void> {
    this.#closing.abort(CLOSED);
    this.#stop();
    for (const { controller } of this.#runs.values()) controller.abort(CLOSED);
    await Promise.allSettled(this.#working);
  }

  #hearMessage(message: Message, addressed: boolean): void {
    const { discord } = this.#deps;
    if (message.author.id === discord.botId && message.reply_to) this.#answered.set(message.reply_to.message_id, true);
    if (addressed && !this.#runs.has(message.message_id) && this.mayAnswer(message)) void this.answer(message);
  }

  /** A link preview does not count as an edit. */
  #hearEdit(message: Message): void {
    const run = this.#runs.get(message.message_id);
    if (!run || message.edited_ts === null || run.restarts >= MAX_RESTARTS) return;
    if (typedText(message) === typedText(run.message)) return;
    if (this.isAnswered(message.message_id) && !this.#deps.live.isGrowing(message.message_id)) return;
    run.controller.abort(EDITED);
    this.#runs.delete(message.message_id);
    void this.#begin(message, { restarts: run.restarts + 1, isAgain: true, after: run.ended });
  }

  /** For deleted questions. */
  async #callOff(ids: readonly MessageId[]): Promise<void> {
    const { store } = this.#deps;
    for (const id of ids) {
      const run = this.#runs.get(id);
      if (!run) continue;
      run.controller.abort(QUESTION_DELETED);
      await store.finish(id);
    }
  }

  async #begin(message: Message, { restarts, isLate = false, isAgain = false, after }: Beginning): Promise<void> {
    const { reply, log, store } = this.#deps;
    const id = message.message_id;
    if (this.#closing.signal.aborted) return isAgain ? store.discountAttempt(id) : undefined;
    const run: Run = { message, controller: new AbortController(), restarts, ended: Promise.resolve() };
    const { signal } = run.controller;
    this.#runs.set(id, run);
    const owner: UserId = message.author.id;
    let isBegun = false;
    let mustRetry = false;
    const answer = () => {
      isBegun = true;
      const how = { signal, isLate };
      return isAgain ? reply.answerAgain(message, how) : reply.answer(message, how);
    };
    const giveWay = () => (isAgain ? reply.giveWay(message, { signal }) : undefined);
    const work = this.#isLeftToUs(message, signal)
      .then(async (isOurs) => {
        await after;
        await (isOurs ? this.#queue.run(owner, answer, signal) : giveWay());
      })
      .catch(async (error: unknown) => {
        if (signal.reason === CLOSED && (isAgain || isBegun)) await store.discountAttempt(id);
        if (signal.aborted) return;
        const code = error instanceof EarshotError ? error.code : "internal";
        log.warn({ code, message_id: id }, "a question could not be answered");
        if (code === "rate_limited" && !isBegun) await this.#decline(message, { signal, isAgain });
        mustRetry = isBegun && error instanceof EarshotError && error.canRetry;
      })
      .finally(() => {
        if (this.#runs.get(id) === run) this.#runs.delete(id);
        if (mustRetry) void this.#keep(this.#deps.retry(id));
      });
    run.ended = this.#keep(work);
    return run.ended;
  }

  /** Too many questions of this person are queued. They get a notice, but not each time: that would be as many messages as answers. */
  async #decline(message: Message, how: { signal: AbortSignal; isAgain: boolean }): Promise<void> {
    const { id, bot } = message.author;
    if (bot || this.#declined.has(id)) return;
    this.#declined.set(id, true);
    await this.#deps.reply.decline(message, how);
  }

  /** Offers the question first to a connected program that answers people. */
  async #isLeftToUs(message: Message, signal: AbortSignal): Promise<boolean> {
    const { holders, mayHear } = this.#deps;
    const id = message.message_id;
    const isOffered = holders.offer(id, (client) => mayHear(client, message));
    if (isOffered && (await holders.settled(id, signal)) === "answered") return false;
    holders.take(id, AGENT);
    return true;
  }

  /** Settles as `work` does. An attempt aborted by a clean stop does not count. */
  async #orDiscount({ message_id }: Message, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (this.#closing.signal.aborted) await this.#deps.store.discountAttempt(message_id);
      throw error;
    }
  }

  #keep(work: Promise<void>): Promise<void> {
    const noted = work.catch((error: unknown) => {
      this.#deps.log.warn({ code: error instanceof EarshotError ? error.code : "internal" }, "the agent failed");
    });
    this.#working.add(noted);
    void noted.finally(() => this.#working.delete(noted));
    return noted;
  }
}
