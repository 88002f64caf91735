import { EarshotError, type ErrorCode } from "../domain/errors.ts";
import type { Message } from "../domain/message.ts";
import type { Answers } from "../gate/effects/answers.ts";
import type { Gate } from "../gate/gate.ts";
import type { Operation } from "../policy/operation.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { react } from "../tools/react.ts";
import { AGENT } from "./agent-grant.ts";
import { type Answering, readMessage, type Spoken, toPlainText } from "./answering.ts";
import type { LiveAnswer, LiveAnswerDeps, LiveAnswers } from "./live-answer.ts";
import type { Turns } from "./turns.ts";

export interface ReplyDeps extends LiveAnswerDeps {
  readonly discord: Pick<Discord, "botId" | "directory">;
  readonly gate: Pick<Gate, "callTool">;
  readonly answers: Answers;
  readonly answering: Answering;
  readonly turns: Turns;
  readonly live: LiveAnswers;
  /** Whether an answer by the bot to that message was received as an event. */
  isAnswered(messageId: Message["message_id"]): boolean;
  readonly log: Log;
}

export interface ReplyOptions {
  /** If aborted with `QUESTION_DELETED`, the whole answer is removed; otherwise it is written again later. */
  readonly signal: AbortSignal;
  /** The question was missed, and is answered late. */
  readonly isLate?: boolean;
}

export const QUESTION_DELETED = "The question was deleted";

const LATE = "-# You asked this while I was away; this is my answer from now.\n";
const NOTHING_HERE = toPlainText("I can't answer that here.");
const TOO_MANY = toPlainText(
  "You are asking faster than I can answer. I leave out this question, and any more until I have caught up; please ask again then.",
);
/** Replaces an answer that the gate refused after a part of it was visible. */
const TAKEN_BACK = "I took this answer back.";
const AGAIN = "One moment, I am answering this again.";
const INTERRUPTED = "I was interrupted before this answer was finished. Ask me again.";
/** `others`: number of further questions of the same channel. */
const givenUp = (others: number) => {
  const many = others === 1 ? " and another question here" : ` and ${others} other questions here`;
  return `I was interrupted each time I tried to answer this${others === 0 ? "" : many}, and will not try again. Ask me again, perhaps in another way.`;
};
const REFUSALS: readonly ErrorCode[] = ["forbidden", "not_found", "unavailable"];

/** Answers a message in its channel, once. */
export class Reply {
  readonly #deps: ReplyDeps;

  constructor(deps: ReplyDeps) {
    this.#deps = deps;
  }

  /** Does nothing if the question is claimed already. Throws `cancelled` when the signal aborts. */
  async answer(message: Message, options: ReplyOptions): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    if (!(await this.#claim(message, operation))) return;
    await this.#within(message, options, (live) => this.#attempt(message, operation, { ...options, live }));
  }

  /** Replies that the question is not answered because its author asks too much. `isAgain`: it was claimed before. */
  async decline(message: Message, { signal, isAgain }: ReplyOptions & { isAgain: boolean }): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    if (!isAgain && !(await this.#claim(message, operation))) return;
    await this.#within(message, { signal }, async (live) => {
      live.begin(operation);
      await live.finish(TOO_MANY);
    });
  }

  /** Retries an answer that was not completed, in the same messages if some are visible. */
  async answerAgain(message: Message, options: ReplyOptions): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    // A question that was edited while queued is not claimed yet.
    await this.#claim(message, operation);
    await this.#within(message, options, async (live) => {
      await live.takeOver(AGAIN);
      if (!live.isOver) await this.#attempt(message, operation, { ...options, live });
    });
  }

  /** Replaces an interrupted answer by the statement that no more will follow. */
  async interrupt(message: Message, options: ReplyOptions): Promise<void> {
    await this.#within(message, options, (live) => live.takeOver(INTERRUPTED));
  }

  /** States that the question will not be answered, because every attempt was interrupted: in place of their visible text, if any. */
  async giveUp(message: Message, options: ReplyOptions, others: number): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    await this.#within(message, options, async (live) => {
      await live.takeOver(givenUp(others));
      if (live.isVisible || live.isOver) return;
      live.begin(operation);
      await live.finish(toPlainText(givenUp(others)));
    });
  }

  /** Removes the visible part of an answer that another program gives. */
  async giveWay(message: Message, options: ReplyOptions): Promise<void> {
    await this.#within(message, options, async (live) => {
      await live.takeOver(TAKEN_BACK);
      await live.remove();
    });
  }

  #claim(message: Message, { id: operationId }: Operation): Promise<boolean> {
    const { store, clock } = this.#deps;
    const { message_id: questionId, channel_id: channelId, author } = message;
    return store.claim({ questionId, channelId, actorId: author.id, operationId, claimedAt: clock.now() });
  }

  async #within(message: Message, options: ReplyOptions, work: (live: LiveAnswer) => Promise<void>): Promise<void> {
    const { live: all, store } = this.#deps;
    const { signal, isLate = false } = options;
    const live = all.open(message, { preface: isLate ? LATE : "", signal }, this.#deps);
    try {
      await work(live);
      await store.finish(message.message_id);
    } catch (error) {
      await live.settled();
      if (signal.reason === QUESTION_DELETED) await live.remove();
      else if (!signal.aborted && live.isVisible) await live.replaceBy(INTERRUPTED);
      else throw error;
      await store.finish(message.message_id);
      throw error;
    } finally {
      all.close(message.message_id, live);
    }
  }

  /**
   * Sources may change before the answer is posted, which is then refused. A new operation starts without sources: the first one retries,
   * the second states that there is no answer.
   */
  async #attempt(message: Message, operation: Operation, options: Attempt): Promise<void> {
    const { live, signal } = options;
    const openAnother = () => this.#deps.operations.openFor(AGENT, message);
    const stopTyping = startTyping(async () => {
      if (!live.isVisible) await this.#deps.answers.showTyping(operation, signal);
    });
    try {
      if (await this.#tryWithin(operation, message, options)) return;
      if (await this.#tryWithin(openAnother(), message, options)) return;
      // Visible text already states that the answer was taken back.
      if (live.isVisible || live.isOver) return;
      live.begin(openAnother());
      await live.finish(NOTHING_HERE);
    } finally {
      stopTyping();
    }
  }

  /** False if the answer was refused and its visible text removed. */
  async #tryWithin(operation: Operation, message: Message, options: Attempt): Promise<boolean> {
    const { live } = options;
    try {
      await this.#answerWithin(operation, message, options);
      return true;
    } catch (thrown) {
      const error = live.problem ?? thrown;
      if (live.isOver) {
        await live.remove();
        return true;
      }
      this.#mustBeRefused(error);
      await live.replaceBy(TAKEN_BACK);
      return live.isOver;
    }
  }

  async #answerWithin(operation: Operation, message: Message, { live, signal }: Attempt): Promise<void> {
    const asked = readMessage(message, this.#deps.discord);
    const spoken = await this.#answer(message, operation, { ...asked, live });
    // An answer received as an event may be the start of this one, whose send is still in progress.
    await live.settled();
    if (!live.isVisible && this.#deps.isAnswered(message.message_id)) return;
    if (spoken.kind === "reaction") return this.#react(message, operation, { live, emoji: spoken.emoji, signal });
    await live.finish(spoken);
    const { turns } = this.#deps;
    const questions = spoken.choices.map(({ question }) => question);
    turns.noteChoices(operation, questions, live.messageIds);
    if (!asked.isIsolated) turns.note(operation, spoken.turn, live.messageIds);
  }

  #mustBeRefused(error: unknown): void {
    if (!(error instanceof EarshotError) || !REFUSALS.includes(error.code)) throw error;
    this.#deps.log.info({ code: error.code }, "an answer was refused when it was to be sent");
  }

  async #answer(
    message: Message,
    operation: Operation,
    { text, isIsolated, live }: { text: string; isIsolated: boolean; live: LiveAnswer },
  ): Promise<Spoken> {
    const { turns, answering } = this.#deps;
    const repliesTo = message.reply_to?.state === "known" ? message.reply_to.message_id : null;
    const isToUs = repliesTo !== null && (await this.#isOurs(repliesTo));
    const about = repliesTo !== null && !isToUs ? { channelId: message.channel_id, messageId: repliesTo } : null;
    const before = isIsolated ? null : turns.before(operation, repliesTo);
    const attempt = live.begin(operation);
    return answering.answer({ operation, text, isIsolated, about, before, isPosted: true, ...attempt });
  }

  async #isOurs(messageId: Message["message_id"]): Promise<boolean> {
    return (await this.#deps.store.findAnswer(messageId)) !== null;
  }

  async #react(
    { message_id, channel_id }: Message,
    operation: Operation,
    { live, emoji, signal }: { live: LiveAnswer; emoji: string; signal: AbortSignal },
  ): Promise<void> {
    await live.discard();
    await this.#deps.gate.callTool({
      name: react.name,
      args: { channel: channel_id, message_id, emoji },
      operation,
      signal,
    });
  }
}

interface Attempt extends ReplyOptions {
  readonly live: LiveAnswer;
}

/** Delay before the indicator: fast answers need none. */
const FIRST_MS = 400;
/** Discord shows it for ten seconds. */
const AGAIN_MS = 8_000;

/** Shows the typing indicator after a delay, until stopped. Returns the function that stops it. */
function startTyping(show: () => Promise<void>): () => void {
  let timer = setTimeout(tick, FIRST_MS);
  let isOver = false;
  function tick(): void {
    // Failures are ignored.
    void show().catch(() => undefined);
    timer = setTimeout(tick, AGAIN_MS);
    if (isOver) clearTimeout(timer);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
