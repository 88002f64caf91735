import { EarshotError, type ErrorCode } from "../domain/errors.ts";
import type { Message } from "../domain/message.ts";
import type { Answers } from "../gate/effects/answers.ts";
import type { Gate } from "../gate/gate.ts";
import type { Operation } from "../policy/operation.ts";
import type { Operations } from "../policy/operations.ts";
import { type AnswerSource, type AnswerStore, toFactSource } from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { react } from "../tools/react.ts";
import { answerButtons } from "./agent-buttons.ts";
import { AGENT } from "./agent-grant.ts";
import type { Answering, Spoken, SpokenText } from "./answering.ts";
import type { FollowSources } from "./follow-sources.ts";
import { readMessage } from "./read-question.ts";
import type { Turns } from "./turns.ts";
import { startTyping } from "./typing-sign.ts";

export interface ReplyDeps {
  readonly discord: Pick<Discord, "botId" | "directory">;
  readonly gate: Pick<Gate, "callTool">;
  readonly answers: Answers;
  readonly operations: Pick<Operations, "openFor">;
  readonly store: AnswerStore;
  readonly sources: Pick<FollowSources, "note">;
  readonly answering: Answering;
  readonly turns: Turns;
  /** Whether an answer of the bot's own to that message was heard. */
  isAnswered(messageId: Message["message_id"]): boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ReplyOptions {
  readonly signal: AbortSignal;
  /** The question was missed and is answered only now. */
  readonly isLate?: boolean;
}

const LATE = "-# You asked this while I was away; this is my answer from now.\n";
const WITHOUT_SOURCES = { kind: "text", cited: [], facts: [], unknown: 0, turn: null, choices: [] } as const;
const NOTHING_HERE: SpokenText = { ...WITHOUT_SOURCES, text: "I can't answer that here." };
const TOO_MANY: SpokenText = {
  ...WITHOUT_SOURCES,
  text: "You are asking faster than I can answer. I leave out this question, and any more until I have caught up; please ask again then.",
};
const REFUSALS: readonly ErrorCode[] = ["forbidden", "not_found", "unavailable"];

/** Answers a message where it was written, once. */
export class Reply {
  readonly #deps: ReplyDeps;

  constructor(deps: ReplyDeps) {
    this.#deps = deps;
  }

  /** Does nothing if somebody else has claimed the question. Throws `cancelled` when the signal aborts. */
  async answer(message: Message, options: ReplyOptions): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    if (await this.#claim(message, operation)) await this.#work(message, operation, options);
  }

  /** Says that the question is not answered because its author has asked too many. `isAgain`: it was claimed before. */
  async decline(message: Message, { signal, isAgain }: ReplyOptions & { isAgain: boolean }): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    if (!isAgain && !(await this.#claim(message, operation))) return;
    await this.#post(message, operation, TOO_MANY, { signal });
    await this.#deps.store.finish(message.message_id);
  }

  /** What was claimed before and never said. */
  async answerAgain(message: Message, options: ReplyOptions): Promise<void> {
    const operation = this.#deps.operations.openFor(AGENT, message);
    await this.#deps.store.claimAgain(message.message_id, operation.id);
    await this.#work(message, operation, options);
  }

  #claim(message: Message, { id: operationId }: Operation): Promise<boolean> {
    const { store, clock } = this.#deps;
    const { message_id: questionId, channel_id: channelId, author } = message;
    return store.claim({ questionId, channelId, actorId: author.id, operationId, claimedAt: clock.now() });
  }

  async #work(message: Message, operation: Operation, options: ReplyOptions): Promise<void> {
    const { answers, store } = this.#deps;
    const { signal } = options;
    const stopTyping = startTyping(() => answers.showTyping(operation, signal));
    try {
      await this.#attempt(message, operation, options);
      await store.finish(message.message_id);
    } finally {
      stopTyping();
    }
  }

  /**
   * What was read may change before it is said, and is then refused. A new operation has read nothing: the first one looks again, the second says
   * that nothing can be said.
   */
  async #attempt(message: Message, operation: Operation, options: ReplyOptions): Promise<void> {
    const openAnother = () => this.#deps.operations.openFor(AGENT, message);
    try {
      await this.#answerWithin(operation, message, options);
    } catch (first) {
      this.#mustBeRefused(first);
      try {
        await this.#answerWithin(openAnother(), message, options);
      } catch (second) {
        this.#mustBeRefused(second);
        await this.#post(message, openAnother(), NOTHING_HERE, options);
      }
    }
  }

  async #answerWithin(operation: Operation, message: Message, options: ReplyOptions): Promise<void> {
    const spoken = await this.#answer(message, operation, options.signal);
    if (!this.#deps.isAnswered(message.message_id)) await this.#say(message, operation, spoken, options);
  }

  #mustBeRefused(error: unknown): void {
    if (!(error instanceof EarshotError) || !REFUSALS.includes(error.code)) throw error;
    this.#deps.log.info({ code: error.code }, "an answer was refused when it was to be sent");
  }

  async #answer(message: Message, operation: Operation, signal: AbortSignal): Promise<Spoken> {
    const { discord, turns, answering } = this.#deps;
    const { text, isIsolated } = readMessage(message, discord);
    const repliesTo = message.reply_to?.state === "known" ? message.reply_to.message_id : null;
    const place = { actor: message.author.id, channelId: message.channel_id, isPrivate: message.guild_id === null };
    const isToUs = repliesTo !== null && (await this.#isOurs(repliesTo));
    const about = repliesTo !== null && !isToUs ? { channelId: message.channel_id, messageId: repliesTo } : null;
    const before = isIsolated ? null : turns.before({ ...place, repliesTo });
    const spoken = await answering.answer({ operation, text, isIsolated, about, before, signal });
    if (!isIsolated && spoken.kind === "text") turns.note(place, spoken.turn);
    return spoken;
  }

  async #isOurs(messageId: Message["message_id"]): Promise<boolean> {
    return (await this.#deps.store.findAnswer(messageId)) !== null;
  }

  async #say(message: Message, operation: Operation, spoken: Spoken, options: ReplyOptions): Promise<void> {
    if (spoken.kind === "text") return this.#post(message, operation, spoken, options);
    const { message_id, channel_id } = message;
    const args = { channel_id, message_id, emoji: spoken.emoji };
    await this.#deps.gate.callTool({ name: react.name, args, operation, signal: options.signal });
  }

  async #post(
    message: Message,
    operation: Operation,
    spoken: SpokenText,
    { signal, isLate = false }: ReplyOptions,
  ): Promise<void> {
    const { answers, store, sources, turns, clock } = this.#deps;
    const { message_id: questionId, channel_id: channelId, author, guild_id } = message;
    const isPublic = guild_id !== null;
    const { choices, cited } = spoken;
    const buttons = answerButtons({ hasSources: cited.length > 0, question: isPublic ? message : null, choices });
    const draft = {
      question: questionId,
      channelId,
      text: isLate ? LATE + spoken.text : spoken.text,
      replyTo: questionId,
      ...(buttons.length > 0 && { buttons }),
    };
    const plan = {
      questionId,
      channelId,
      actorId: author.id,
      operationId: operation.id,
      postedAt: clock.now(),
      sources: toAnswerSources(spoken),
    };
    await store.plan(plan);
    const posted = await answers.post(operation, draft, signal).catch((error: unknown) => {
      if (!(error instanceof EarshotError) || error.code !== "outcome_unknown") throw error;
      // It is looked for first: what was sent is not sent again.
      return answers.post(operation, draft, signal);
    });
    for (const { message_id: answerId } of posted) {
      await sources.note({ ...plan, answerId });
      turns.noteChoices(answerId, { actor: author.id, questions: choices.map(({ question }) => question) });
      if (spoken.turn) turns.note({ actor: author.id, channelId, isPrivate: !isPublic, answerId }, spoken.turn);
    }
  }
}

export function toAnswerSources({ cited, facts }: Pick<SpokenText, "cited" | "facts">): AnswerSource[] {
  const messages = cited.map(({ message_id, channel_id, author }) => ({
    messageId: message_id,
    channelId: channel_id,
    authorId: author.id,
  }));
  return [...messages, ...facts.map(toFactSource)];
}
