import { EarshotError } from "../domain/errors.ts";
import { type AnswerJob, type AnswerPosition, type AnswerStore, NEWEST } from "../ports/answer-store.ts";
import type { Log } from "../ports/log.ts";

export interface LookAgainDeps {
  readonly store: Pick<AnswerStore, "citing" | "find">;
  /** Checks whether all sources of an answer still exist. False if that is unknown now. Never throws. */
  lookAt(answer: AnswerJob): Promise<boolean>;
  readonly log: Log;
  /** Interval between two pages; a minute by default. */
  readonly lookAgainMs?: number;
}

/** Each answer takes a request to Discord for each of its sources. */
const PAGE = 50;
const LOOK_AGAIN_MS = 60_000;

/**
 * After events were missed, checks all answers with sources: the newest page at once, the others page by page. If events are missed again
 * meanwhile, the newest page is checked again, the round continues, and another one follows. Answers with an unknown result, such as those
 * in an undescribed server, are checked again after each page.
 */
export class LookAgain {
  readonly #deps: LookAgainDeps;
  #isUnderWay = false;
  /** Events were missed since the round began. */
  #isRepeated = false;
  readonly #untold = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: LookAgainDeps) {
    this.#deps = deps;
  }

  /** Resolves when the newest answers were checked. Never throws. */
  async begin(): Promise<void> {
    this.#isRepeated = this.#isUnderWay;
    if (this.#isUnderWay) return void (await this.#look(NEWEST));
    this.#isUnderWay = true;
    this.#goOn(await this.#look(NEWEST));
  }

  /** Starts a round soon, or after the current one: servers are described many at a time. */
  beginSoon(): void {
    this.#isRepeated = true;
    if (!this.#isUnderWay) this.#goOn(null);
  }

  /** Checks the answer repeatedly until the result is known. */
  add(questionId: string): void {
    this.#untold.add(questionId);
    if (!this.#isUnderWay) this.#goOn(null);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #goOn(next: AnswerPosition | null): void {
    const from = next ?? (this.#isRepeated ? NEWEST : null);
    this.#isUnderWay = from !== null || this.#untold.size > 0;
    if (!this.#isUnderWay || this.#isClosed) return;
    if (next === null) this.#isRepeated = false;
    const look = async () => {
      await this.#lookAtUntold();
      this.#goOn(from && (await this.#look(from)));
    };
    this.#timer = setTimeout(look, this.#deps.lookAgainMs ?? LOOK_AGAIN_MS);
    this.#timer.unref();
  }

  /** Returns the next position; null after the last page. A failed page is retried. */
  async #look(from: AnswerPosition): Promise<AnswerPosition | null> {
    try {
      const page = await this.#deps.store.citing(PAGE, from);
      for (const answer of page) await this.#lookAt(answer);
      return page.length < PAGE ? null : (page.at(-1) ?? null);
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.warn({ code }, "the sources of answers could not be looked at again");
      return from;
    }
  }

  async #lookAtUntold(): Promise<void> {
    for (const id of [...this.#untold].slice(0, PAGE)) {
      const answer = await this.#deps.store.find(id).catch(() => undefined);
      if (answer === undefined) return;
      this.#untold.delete(id);
      if (answer) await this.#lookAt(answer);
    }
  }

  async #lookAt(answer: AnswerJob): Promise<void> {
    if (!this.#isClosed && !(await this.#deps.lookAt(answer))) this.#untold.add(answer.questionId);
  }
}
