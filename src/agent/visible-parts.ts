import { EarshotError } from "../domain/errors.ts";
import { compareIds, type MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { AnswerLeaving, Answers } from "../gate/effects/answers.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import type { Operation } from "../policy/operation.ts";
import type { Operations } from "../policy/operations.ts";
import type { AnswerStore, PostedAnswer } from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Button } from "../ports/discord.ts";
import type { StoredSource } from "../ports/stored-source.ts";
import { AGENT } from "./agent-grant.ts";

export interface VisiblePartsDeps {
  readonly answers: Pick<Answers, "post" | "edit" | "withdraw">;
  readonly operations: Pick<Operations, "openFor">;
  readonly store: AnswerStore;
  readonly sources: {
    note(answer: PostedAnswer): Promise<void>;
    whyToGo(answer: PostedAnswer): string | null;
    withdraw(answer: PostedAnswer, reason: string): Promise<void>;
  };
  readonly lookup: Pick<QuestionLookup, "reread">;
  readonly clock: Clock;
}

/** The target state of an answer, and its operation. */
export interface WantedAnswer {
  readonly operation: Operation;
  readonly texts: readonly string[];
  readonly sources: readonly StoredSource[];
  /** Under the last message. */
  readonly buttons: readonly Button[];
  /** Nothing more will follow. */
  readonly isWhole: boolean;
}

interface Part {
  readonly messageId: MessageId;
  /** Null if unknown. */
  text: string | null;
  hasButtons: boolean;
}

/** A request to Discord; null if the target state is reached. */
type Change = { readonly kind: "post" | "edit" | "remove"; readonly index: number } | null;

/** The messages of one answer. Each is in the store before its text can rest on a source. */
export class VisibleParts {
  readonly #question: Message;
  readonly #deps: VisiblePartsDeps;
  #parts: Part[] = [];
  #noted: readonly StoredSource[] = [];
  /** Id of the last operation with a change. */
  #operationId = "";
  /** A message may have been posted whose id is unknown. */
  #mayHaveLost = false;
  /** One of the messages was removed by others. */
  isGone = false;

  constructor(question: Message, deps: VisiblePartsDeps) {
    this.#question = question;
    this.#deps = deps;
  }

  get isVisible(): boolean {
    return this.#parts.length > 0;
  }

  get ids(): readonly MessageId[] {
    return this.#parts.map(({ messageId }) => messageId);
  }

  /** Takes over the messages of an earlier attempt at the question. */
  async takeOver(): Promise<void> {
    const { store, lookup } = this.#deps;
    const { message_id: messageId, channel_id: channelId } = this.#question;
    const job = await store.find(messageId);
    if (!job || job.state === "claimed") return;
    const { answerIds } = await lookup.reread({ channelId, messageId });
    const ids = [...new Set([...job.answerIds, ...answerIds])].sort(compareIds);
    this.#parts = ids.map((id) => ({ messageId: id, text: null, hasButtons: true }));
  }

  isShown(wanted: WantedAnswer): boolean {
    return this.#nextChange(wanted) === null;
  }

  /** Makes the next change. Throws as the gate does, and `conflict` if one of the messages was removed by others. */
  async approach(wanted: WantedAnswer, leaving: AnswerLeaving): Promise<void> {
    const change = this.#nextChange(wanted);
    this.#operationId = wanted.operation.id;
    if (change?.kind === "post") await this.#post(wanted, change.index, leaving);
    if (change?.kind === "edit") await this.#edit(wanted, change.index, leaving);
    if (change?.kind === "remove") await this.#withdrawFrom(change.index);
  }

  /** Call when all is posted: from now on it follows its sources like any answer. */
  async settle(wanted: WantedAnswer): Promise<void> {
    if (this.isVisible) await this.#deps.sources.note(this.#toAnswer(wanted));
  }

  /**
   * Replaces all of it by a sentence without sources, or removes it if that fails; failed removals are retried until they succeed, even
   * after a restart.
   */
  async replaceBy(sentence: string): Promise<void> {
    await this.#findLost();
    const [first] = this.#parts;
    if (!first) return;
    const operation = this.#deps.operations.openFor(AGENT, this.#question);
    this.#operationId = operation.id;
    const removed = this.#withdrawFrom(1);
    try {
      const isThere = await this.#editOrRepeat(operation, first, sentence);
      this.isGone ||= !isThere;
      await removed;
      // No text is left that rests on a source.
      if (isThere) await this.#deps.store.notePosted(this.#toAnswer({ operation, sources: [] }), { isPartial: true });
      this.#noted = [];
    } catch {
      await this.#withdrawFrom(0);
    }
    await removed;
  }

  async remove(): Promise<void> {
    await this.#findLost();
    await this.#withdrawFrom(0);
  }

  #nextChange({ texts, buttons }: WantedAnswer): Change {
    for (const [index, text] of texts.entries()) {
      const part = this.#parts[index];
      if (!part) return { kind: "post", index };
      const hasButtons = index === texts.length - 1 && buttons.length > 0;
      if (part.text !== text || part.hasButtons !== hasButtons) return { kind: "edit", index };
    }
    return this.#parts.length > texts.length ? { kind: "remove", index: texts.length } : null;
  }

  async #post(wanted: WantedAnswer, index: number, leaving: AnswerLeaving): Promise<void> {
    const { answers, store } = this.#deps;
    const { operation, texts, sources, isWhole } = wanted;
    const { message_id: question, channel_id: channelId } = this.#question;
    const isLast = index === texts.length - 1;
    const isAll = isWhole && isLast && index === 0;
    if (this.isVisible) await this.#noteSources(wanted);
    else {
      this.#noted = sources;
      await store.plan(this.#toAnswer(wanted), { isPartial: !isAll });
    }
    const buttons = isLast ? wanted.buttons : [];
    const draft = {
      ...{ question, channelId, text: texts[index] ?? "", replyTo: question },
      // A later attempt has different parts, which must not be mistaken for these.
      part: index === 0 ? "part 1" : `part ${index + 1} of ${operation.id}`,
      ...(buttons.length > 0 && { buttons }),
    };
    const posted = await this.#postOrFind(
      (onLeave) => answers.post(operation, draft, { ...leaving, onLeave }),
      leaving,
    );
    for (const { message_id: messageId } of posted) {
      this.#parts.push({ messageId, text: draft.text, hasButtons: buttons.length > 0 });
      if (!(isWhole && isLast))
        await store.notePosted(this.#toAnswer({ operation, sources: this.#noted }), { isPartial: true });
    }
    this.#mustStand(wanted);
  }

  /** Looks up a message that may have been posted, instead of posting it again. Throws `outcome_unknown` in an outage of Discord. */
  async #postOrFind(
    post: (onLeave: () => void) => Promise<readonly Message[]>,
    leaving: AnswerLeaving,
  ): Promise<readonly Message[]> {
    const postOnce = async () => {
      let hasLeft = false;
      const onLeave = () => {
        leaving.onLeave?.();
        hasLeft = true;
      };
      return post(onLeave).catch((error: unknown) => {
        // Once it was sent, this cannot be a refusal by the gate.
        const isOutage = hasLeft && error instanceof EarshotError && error.code === "unavailable";
        if (!isOutage && !isUnknown(error)) throw error;
        this.#mayHaveLost = true;
        return null;
      });
    };
    const posted = (await postOnce()) ?? (await postOnce());
    if (posted) {
      this.#mayHaveLost = false;
      return posted;
    }
    if (!(await this.#findLost().catch(() => false)))
      throw new EarshotError("outcome_unknown", "Discord does not say what became of the answer.");
    return [];
  }

  async #edit(wanted: WantedAnswer, index: number, leaving: AnswerLeaving): Promise<void> {
    const { operation, texts } = wanted;
    const part = this.#parts[index];
    const text = texts[index];
    if (!part || text === undefined) return;
    await this.#noteSources(wanted);
    this.#mustStand(wanted);
    const buttons = index === texts.length - 1 ? wanted.buttons : [];
    // The visible text is unknown until Discord answers.
    part.text = null;
    const ref = { channelId: this.#question.channel_id, messageId: part.messageId };
    if (!(await this.#deps.answers.edit(operation, ref, { text, buttons }, leaving))) this.#mustNotBeGone();
    Object.assign(part, { text, hasButtons: buttons.length > 0 });
  }

  #mustNotBeGone(): never {
    this.isGone = true;
    throw new EarshotError("conflict", "Somebody has removed the answer.");
  }

  /** Stores the sources before their text is visible, so that a crash cannot leave text without sources. */
  async #noteSources(wanted: WantedAnswer): Promise<void> {
    const known = new Set(this.#noted.map(({ ref }) => ref));
    if (wanted.sources.every(({ ref }) => known.has(ref))) return;
    // The visible text may still rest on the earlier sources.
    this.#noted = [...new Map([...this.#noted, ...wanted.sources].map((source) => [source.ref, source])).values()];
    await this.#deps.store.plan(this.#toAnswer({ ...wanted, sources: this.#noted }), { isPartial: true });
  }

  /** A deletion a moment ago did not concern this answer yet. */
  #mustStand(wanted: WantedAnswer): void {
    if (this.#deps.sources.whyToGo(this.#toAnswer(wanted)) !== null)
      throw new EarshotError("forbidden", "Something that the answer rests on is gone.");
  }

  async #editOrRepeat(operation: Operation, part: Part, text: string): Promise<boolean> {
    const ref = { channelId: this.#question.channel_id, messageId: part.messageId };
    const edit = () => this.#deps.answers.edit(operation, ref, { text });
    part.text = null;
    const isThere = await edit().catch((error: unknown) => {
      if (isUnknown(error)) return edit();
      throw error;
    });
    Object.assign(part, { text, hasButtons: false });
    return isThere;
  }

  /** Looks up a message that was sent without a reply by Discord. Returns whether it exists. */
  async #findLost(): Promise<boolean> {
    if (!this.#mayHaveLost) return false;
    const { message_id: messageId, channel_id: channelId } = this.#question;
    const { answerIds } = await this.#deps.lookup.reread({ channelId, messageId });
    const known = new Set(this.ids);
    const lost = answerIds.filter((id) => !known.has(id)).sort(compareIds);
    this.#parts.push(...lost.map((id) => ({ messageId: id, text: null, hasButtons: true })));
    this.#mayHaveLost = false;
    return lost.length > 0;
  }

  async #withdrawFrom(index: number): Promise<void> {
    const { answers, store, sources } = this.#deps;
    const { channel_id: channelId } = this.#question;
    await Promise.all(
      this.#parts.splice(index).map(async ({ messageId }) => {
        try {
          await answers.withdraw({ channelId, messageId, operationId: this.#operationId, reason: REASON });
          await store.removeAnswer(messageId);
        } catch {
          const answer = this.#toAnswer({ operation: { id: this.#operationId }, sources: [] });
          await store.extend({ ...answer, answerId: messageId });
          // Not awaited, because it may wait for this answer itself.
          void sources.withdraw({ ...answer, answerIds: [messageId] }, REASON);
        }
      }),
    );
  }

  #toAnswer({
    operation,
    sources,
  }: {
    operation: Pick<Operation, "id">;
    sources: readonly StoredSource[];
  }): PostedAnswer {
    const { message_id: questionId, channel_id: channelId, author } = this.#question;
    return {
      ...{ questionId, channelId, actorId: author.id, operationId: operation.id },
      ...{ postedAt: this.#deps.clock.now(), sources, answerIds: this.ids },
    };
  }
}

const REASON = "answer_taken_back";

function isUnknown(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "outcome_unknown";
}
