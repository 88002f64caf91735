import { EarshotError } from "../domain/errors.ts";
import { isPostList } from "../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId, toFirstId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import { type AnswerStore, type Claim, isCommand } from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, DiscordEvent, Gap } from "../ports/discord.ts";
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
  };
  readonly sources: Pick<FollowSources, "noteEarlier" | "withdraw">;
  /** After a longer absence nobody waits for an answer any more. */
  readonly catchUpMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of the channels in which something was said meanwhile, those with the newest messages. */
const MAX_CHANNELS = 50;
/** What was heard right before the end may not have been begun. What was answered is claimed, and not answered again. */
const LOOK_BACK_MS = 10_000;
/** A question that could not be answered twice is given up. */
const MAX_ATTEMPTS = 2;

type CutOff = NonNullable<Awaited<ReturnType<AnswerStore["planFor"]>>> & {
  readonly isOver: boolean;
  /** A part of it was seen. */
  readonly isVisible: boolean;
};

/** Finds questions that were asked while the bot heard nothing, and those whose answer a crash cut off. */
export class MissedQuestions {
  readonly #deps: MissedQuestionsDeps;
  readonly #pending = new Map<GuildId, Gap>();
  readonly #stop: () => void;

  constructor(deps: MissedQuestionsDeps) {
    this.#deps = deps;
    this.#stop = deps.discord.listen((event) => this.#hear(event));
  }

  close(): void {
    this.#stop();
  }

  /** What was begun and not finished when the process ended. */
  async recover(): Promise<void> {
    for (const claim of await this.#deps.store.unfinished())
      if (!isCommand(claim.questionId)) await this.#attempt(() => this.#recoverOne(claim));
  }

  #hear(event: DiscordEvent): void {
    if (event.type === "gap") this.#hearGap(event);
    if (event.type !== "guild") return;
    const gap = this.#pending.get(event.guildId);
    this.#pending.delete(event.guildId);
    if (gap) void this.#attempt(() => this.#look([event.guildId], gap));
  }

  #hearGap(gap: Gap): void {
    const { directory } = this.#deps.discord;
    if (Date.parse(gap.to) - Date.parse(gap.from) > this.#deps.catchUpMs) return;
    // After a restart the servers have been described before anybody listens; otherwise that is still to come.
    const isKnown = (id: GuildId) => gap.reason === "restart" && directory.guild(id) !== undefined;
    for (const id of gap.guildIds) if (!isKnown(id)) this.#pending.set(id, gap);
    const known = gap.guildIds.filter(isKnown);
    if (known.length > 0) void this.#attempt(() => this.#look(known, gap));
  }

  async #look(guildIds: readonly GuildId[], gap: Gap): Promise<void> {
    const { directory, botId } = this.#deps.discord;
    const since = toFirstId<MessageId>(Date.parse(gap.from) - LOOK_BACK_MS);
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
    const { lookup, agent, store } = this.#deps;
    const span = { from: since, to: toFirstId<MessageId>(Date.parse(gap.to)) };
    const isOurs = async (id: MessageId) => (await store.findAnswer(id)) !== null;
    for (const message of await lookup.missed(channelId, span, isOurs))
      if (agent.mayAnswer(message)) void agent.answer(message, { isLate: true });
  }

  async #recoverOne({ questionId, channelId, state, attempts, claimedAt }: Claim): Promise<void> {
    const { lookup, store, agent, sources, clock, catchUpMs } = this.#deps;
    const isOver = attempts >= MAX_ATTEMPTS || clock.now() - claimedAt > catchUpMs;
    const plan = await store.planFor(questionId);
    if (plan?.isPartial) return this.#recoverPartial({ ...plan, isOver, isVisible: state === "visible" });
    const isOpen = state !== "visible" && (!isOver || plan !== null);
    const found = isOpen ? await lookup.reread({ channelId, messageId: questionId as MessageId }) : null;
    const isAnswered = found !== null && found.answerIds.length > 0;
    if (!isOver && found?.message && !isAnswered && agent.mayAnswer(found.message))
      return void agent.answer(found.message, { isAgain: true });
    // It left right before the end: it follows its sources like any other.
    for (const answerId of plan && found ? found.answerIds : [])
      if (plan) await sources.noteEarlier({ ...plan, answerId });
    await store.finish(questionId);
  }

  /** More of it was to come. What is visible is completed in place, or says that it was interrupted, or goes with its question. */
  async #recoverPartial(cutOff: CutOff): Promise<void> {
    const { lookup, store, agent, sources } = this.#deps;
    const { questionId, channelId, isOver, isVisible } = cutOff;
    const { message, answerIds } = await lookup.reread({ channelId, messageId: questionId as MessageId });
    const known = await store.answersTo(questionId);
    const ids = new Set([...known.map(({ answerId }) => answerId), ...answerIds]);
    // Somebody removed it: it is not said again.
    const isGone = isVisible && ids.size === 0;
    if (message && !isGone && !isOver && agent.mayAnswer(message)) return void agent.answer(message, { isAgain: true });
    if (message && ids.size > 0) return agent.interrupt(message);
    for (const answerId of ids) {
      const answer = known.find((one) => one.answerId === answerId) ?? { ...cutOff, answerId };
      await store.notePosted(answer);
      await sources.withdraw(answer, "question_deleted");
    }
    await store.finish(questionId);
  }

  /** One channel that cannot be read must not keep the others from being looked at. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.warn({ code }, "missed questions could not be looked for");
    }
  }
}
