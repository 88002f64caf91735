import { EMPTY_LAYOUT, layOutAnswer } from "../domain/answer/answer-layout.ts";
import { shownPart } from "../domain/answer/shown-part.ts";
import { EarshotError, type ErrorCode } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { AnswerLeaving } from "../gate/effects/answers.ts";
import type { Operation } from "../policy/operation.ts";
import { answerButtons } from "./agent-buttons.ts";
import type { AnswerDraft, Citable } from "./answerer.ts";
import type { SpokenText } from "./answering.ts";
import { beforeUnknownCitation, linkCitations, toFollowed } from "./citations.ts";
import type { EditPace } from "./edit-pace.ts";
import { VisibleParts, type VisiblePartsDeps, type WantedAnswer } from "./visible-parts.ts";

export interface LiveAnswerDeps extends VisiblePartsDeps {
  readonly pace: EditPace;
}

export interface LiveAnswerOptions {
  readonly preface: string;
  readonly signal: AbortSignal;
}

/** One attempt to write the answer, within its own operation. */
interface Writing {
  readonly operation: Operation;
  /** Aborts the whole attempt. */
  readonly controller: AbortController;
  /** Aborts showing partial text. */
  readonly growth: AbortController;
}

const MAX_FAILURES = 12;
/** Errors after which a retry may succeed. */
const PASSING: readonly ErrorCode[] = ["rate_limited", "outcome_unknown"];

/**
 * An answer that is shown while it is being written, by edits of its messages. The gate decides each edit. The reason for an early end of
 * an attempt is its `problem`.
 */
export class LiveAnswer {
  readonly #question: Message;
  readonly #options: LiveAnswerOptions;
  readonly #deps: LiveAnswerDeps;
  readonly #parts: VisibleParts;
  #writing: Writing | null = null;
  #layout = EMPTY_LAYOUT;
  /** A sentence to show until there is text. */
  #waiting: string | null = null;
  #newest: { readonly text: string; readonly sources: ReadonlyMap<string, Citable> } | null = null;
  /** Authors cited by any text that the attempt has begun to show. */
  readonly #authors = new Set<UserId>();
  #working: Promise<void> | null = null;
  #failures = 0;
  #stopped = Promise.withResolvers<void>();
  #isDone = false;
  /** The reason why the attempt ended; null while it runs. */
  problem: Error | null = null;

  constructor(question: Message, options: LiveAnswerOptions, deps: LiveAnswerDeps) {
    this.#question = question;
    this.#options = options;
    this.#deps = deps;
    this.#parts = new VisibleParts(question, deps);
  }

  get isVisible(): boolean {
    return this.#parts.isVisible;
  }

  /** The answer was removed by others, or had to be removed: nothing more may be posted. */
  get isOver(): boolean {
    return this.#parts.isGone;
  }

  /** A part is visible, and more will follow. */
  get isGrowing(): boolean {
    return this.isVisible && !this.#isDone;
  }

  get isWriting(): boolean {
    return this.#writing !== null;
  }

  /** Whether visible text may rest on a message by this person. */
  cites(person: UserId): boolean {
    return this.#authors.has(person);
  }

  get messageIds(): VisibleParts["ids"] {
    return this.#parts.ids;
  }

  /** Begins an attempt. The returned signal aborts when the attempt is given up. */
  begin(operation: Operation): { readonly signal: AbortSignal; readonly draft: AnswerDraft } {
    const controller = new AbortController();
    const writing = { operation, controller, growth: new AbortController() };
    this.#writing = writing;
    this.#layout = EMPTY_LAYOUT;
    this.#newest = null;
    this.#authors.clear();
    this.#waiting = null;
    this.#failures = 0;
    this.problem = null;
    this.#stopped = Promise.withResolvers();
    // A model may go on writing after its attempt was given up. The next attempt has not read the sources of that text, and must not show
    // it.
    const ifCurrent = (change: () => void) => {
      if (this.#writing !== writing) return;
      change();
      this.#show(writing);
    };
    return {
      signal: AbortSignal.any([this.#options.signal, controller.signal]),
      draft: {
        grow: (text, sources) =>
          ifCurrent(() => {
            this.#newest = { text, sources };
          }),
        wait: (sentence) =>
          ifCurrent(() => {
            this.#waiting = sentence;
          }),
      },
    };
  }

  #show(writing: Writing): void {
    if (this.#isCalledOff(writing) || writing.growth.signal.aborted) return;
    if (this.#working || !this.#next(writing)) return;
    this.#working = this.#work(writing).finally(() => {
      this.#working = null;
    });
  }

  /** Shows the complete answer. Throws the attempt's problem. */
  async finish(spoken: SpokenText): Promise<void> {
    const writing = await this.#endGrowth();
    const isPublic = this.#question.guild_id !== null;
    const { choices, cited } = spoken;
    // The remark on missing sources comes first, before the text that is visible already.
    this.#layout = layOutAnswer(this.#options.preface + spoken.text, spoken.isUncited ? EMPTY_LAYOUT : this.#layout);
    const wanted = {
      operation: writing.operation,
      texts: this.#layout.parts,
      sources: spoken.isOwnWords ? [] : toFollowed(writing.operation, spoken),
      buttons: answerButtons({ hasSources: cited.length > 0, question: isPublic ? this.#question : null, choices }),
      isWhole: true,
    };
    while (!this.#parts.isShown(wanted)) {
      const signal = AbortSignal.any([this.#options.signal, writing.controller.signal]);
      if (this.isVisible)
        await this.#deps.pace.turn(this.#question.channel_id, { isFinal: true, signal }).catch(this.#fail);
      await this.#approach(writing, wanted);
    }
    if (this.problem) throw this.problem;
    this.close();
    await this.#parts.settle(wanted);
  }

  async discard(): Promise<void> {
    await this.#endGrowth();
    await this.#parts.remove();
  }

  /** Takes over the messages of an earlier attempt, and replaces them by a sentence. */
  async takeOver(sentence: string): Promise<void> {
    await this.#parts.takeOver();
    if (this.isVisible) await this.replaceBy(sentence);
  }

  /** Replaces the visible text of a failed attempt by a sentence. If `isOver`, nothing may be posted afterwards. */
  async replaceBy(sentence: string): Promise<void> {
    await this.#working;
    const wasVisible = this.isVisible;
    await this.#parts.replaceBy(sentence);
    if (wasVisible && !this.isVisible) this.#parts.isGone = true;
    this.#writing = null;
    this.#stopped.resolve();
  }

  async remove(): Promise<void> {
    await this.#working;
    await this.#parts.remove();
  }

  /** Call when a source is gone. Resolves when nothing that rests on it is visible. */
  async stop(): Promise<void> {
    this.#giveUp(new EarshotError("forbidden", "Something that the answer rests on is gone."));
    await this.#stopped.promise;
  }

  /** Resolves when no request is in progress. */
  async settled(): Promise<void> {
    this.#writing?.growth.abort();
    await this.#working;
  }

  close(): void {
    this.#isDone = true;
    this.#writing = null;
    this.#stopped.resolve();
  }

  async #endGrowth(): Promise<Writing> {
    const writing = this.#writing;
    if (!writing) throw new Error("no attempt was begun");
    writing.growth.abort();
    await this.#working;
    if (this.problem) throw this.problem;
    return writing;
  }

  /** One edit after the other, always towards the newest text. */
  async #work(writing: Writing): Promise<void> {
    const { growth, controller } = writing;
    const signal = AbortSignal.any([this.#options.signal, growth.signal, controller.signal]);
    try {
      while (this.#next(writing)) {
        await this.#deps.pace.turn(this.#question.channel_id, { signal });
        const next = this.#next(writing);
        if (!next) return;
        this.#layout = next.layout;
        await this.#approach(writing, next.wanted);
      }
    } catch (error) {
      if (!signal.aborted) this.#giveUp(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #next({ operation }: Writing) {
    const { text, sources } = this.#newest ?? { text: "", sources: new Map() };
    const shown = shownPart(beforeUnknownCitation(text, sources));
    const isEmpty = shown.trim() === "";
    if (isEmpty && this.#waiting === null) return null;
    const linked = linkCitations(isEmpty ? "" : shown, sources);
    // The answer replaces the sentence, so its earlier layout is discarded.
    const layout = isEmpty ? EMPTY_LAYOUT : layOutAnswer(this.#options.preface + linked.text, this.#layout);
    const texts = isEmpty ? [this.#waiting ?? ""] : layout.parts;
    const followed = isEmpty ? [] : toFollowed(operation, linked);
    const wanted: WantedAnswer = { operation, texts, sources: followed, buttons: [], isWhole: false };
    return this.#parts.isShown(wanted) ? null : { layout, wanted };
  }

  async #approach(writing: Writing, wanted: WantedAnswer): Promise<void> {
    const { pace } = this.#deps;
    const { channel_id: channelId } = this.#question;
    for (const { personId } of wanted.sources) if (personId) this.#authors.add(personId);
    try {
      await this.#parts.approach(wanted, this.#toLeaving(writing));
      this.#failures = 0;
      pace.recover(channelId);
    } catch (error) {
      const isPassing = error instanceof EarshotError && PASSING.includes(error.code);
      this.#failures += 1;
      if (!isPassing || !this.isVisible || this.#failures > MAX_FAILURES) throw this.problem ?? error;
      pace.slowDown(channelId);
    }
  }

  /** A sent request is not aborted, because its outcome must be known before the next step. */
  #toLeaving(writing: Writing): AnswerLeaving {
    const waiting = new AbortController();
    const callOff = () => waiting.abort();
    const signals = [this.#options.signal, writing.controller.signal];
    for (const signal of signals) signal.addEventListener("abort", callOff, { once: true });
    if (this.#isCalledOff(writing)) callOff();
    return {
      signal: waiting.signal,
      onLeave: () => {
        if (this.#isCalledOff(writing)) throw new EarshotError("cancelled", "The answer was called off.");
        for (const signal of signals) signal.removeEventListener("abort", callOff);
      },
    };
  }

  #isCalledOff({ controller }: Writing): boolean {
    return this.#options.signal.aborted || controller.signal.aborted;
  }

  #giveUp(problem: Error): void {
    this.problem ??= problem;
    this.#writing?.controller.abort();
  }

  #fail = (error: unknown): never => {
    throw this.problem ?? error;
  };
}

/** Answers that are being written, by question. */
export class LiveAnswers {
  readonly #live = new Map<string, LiveAnswer>();

  open(question: Message, options: LiveAnswerOptions, deps: LiveAnswerDeps): LiveAnswer {
    const live = new LiveAnswer(question, options, deps);
    this.#live.set(question.message_id, live);
    return live;
  }

  /** A part is visible, and more will follow. */
  isGrowing(questionId: string): boolean {
    return this.#live.get(questionId)?.isGrowing ?? false;
  }

  /** @see FollowSourcesDeps */
  stop(questionId: string): Promise<void> | null {
    const live = this.#live.get(questionId);
    return live?.isWriting ? live.stop() : null;
  }

  /** Stops answers that cite a person. Resolves when none of their text is visible. */
  async stopCiting(person: UserId): Promise<void> {
    const citing = [...this.#live.values()].filter((live) => live.isWriting && live.cites(person));
    await Promise.all(citing.map((live) => live.stop()));
  }

  close(questionId: string, live: LiveAnswer): void {
    live.close();
    if (this.#live.get(questionId) === live) this.#live.delete(questionId);
  }
}
