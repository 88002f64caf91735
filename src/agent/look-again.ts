import { EarshotError } from "../domain/errors.ts";
import { type AnswerPosition, type AnswerStore, NEWEST, type PostedAnswer } from "../ports/answer-store.ts";
import type { Log } from "../ports/log.ts";

export interface LookAgainDeps {
  readonly store: Pick<AnswerStore, "citing">;
  /** Looks whether everything that an answer rests on is still there. Never throws. */
  lookAt(answer: PostedAnswer): Promise<void>;
  readonly log: Log;
  /** Between two pages; a minute unless given. */
  readonly lookAgainMs?: number;
}

/** Each answer takes a request to Discord for each of its sources. */
const PAGE = 50;
const LOOK_AGAIN_MS = 60_000;

/**
 * After events were missed, goes through all answers that cite something: the newest page at once, the others one by one, so that each is looked at some
 * time. When events are missed again meanwhile, the newest page is looked at, the round goes on, and another one follows.
 */
export class LookAgain {
  readonly #deps: LookAgainDeps;
  #isUnderWay = false;
  /** Something was missed since the round began. */
  #isRepeated = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: LookAgainDeps) {
    this.#deps = deps;
  }

  /** Resolves when the newest answers have been looked at. Never throws. */
  async begin(): Promise<void> {
    this.#isRepeated = this.#isUnderWay;
    if (this.#isUnderWay) return void (await this.#look(NEWEST));
    this.#isUnderWay = true;
    this.#goOn(await this.#look(NEWEST));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #goOn(next: AnswerPosition | null): void {
    this.#isUnderWay = next !== null || this.#isRepeated;
    if (!this.#isUnderWay || this.#isClosed) return;
    if (next === null) this.#isRepeated = false;
    const look = async () => this.#goOn(await this.#look(next ?? NEWEST));
    this.#timer = setTimeout(look, this.#deps.lookAgainMs ?? LOOK_AGAIN_MS);
    this.#timer.unref();
  }

  /** Where to go on; null after the last page. What cannot be read is tried again. */
  async #look(from: AnswerPosition): Promise<AnswerPosition | null> {
    try {
      const page = await this.#deps.store.citing(PAGE, from);
      for (const answer of page) if (!this.#isClosed) await this.#deps.lookAt(answer);
      return page.length < PAGE ? null : (page.at(-1) ?? null);
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.warn({ code }, "the sources of answers could not be looked at again");
      return from;
    }
  }
}
