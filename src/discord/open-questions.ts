import type { Clock } from "../ports/clock.ts";

/** Where nobody tells of changes, what was asked for is believed so long. */
const ANSWER_TTL_MS = 30_000;
const MAX_ATTEMPTS = 3;
const MAX_CACHED_ANSWERS = 10_000;

/**
 * Questions to Discord about changing things. One is under way per subject at a time; a change that arrives before the answer makes the
 * answer stale, and it is asked again. Remembers when each answer came.
 */
export class OpenQuestions {
  readonly #clock: Clock;
  readonly #underWay = new Map<string, { answer: Promise<void>; stale: boolean }>();
  readonly #answeredAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `use` takes the answer over; it is not called for one that was overtaken by a change. */
  async ask<Answer>(subject: string, question: () => Promise<Answer>, use: (answer: Answer) => void): Promise<void> {
    const running = this.#underWay.get(subject);
    if (running) return running.answer;
    const entry = { stale: false, answer: Promise.resolve() };
    const run = async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        entry.stale = false;
        const answer = await question();
        if (entry.stale) continue;
        use(answer);
        this.noteAnswer(subject);
        return;
      }
    };
    entry.answer = run().finally(() => this.#underWay.delete(subject));
    this.#underWay.set(subject, entry);
    return entry.answer;
  }

  /** The subject changed: an answer still under way does not count. */
  noteChange(subject: string): void {
    const running = this.#underWay.get(subject);
    if (running) running.stale = true;
  }

  /** The subject became known without asking. */
  noteAnswer(subject: string): void {
    this.#answeredAt.delete(subject);
    this.#answeredAt.set(subject, this.#clock.now());
    if (this.#answeredAt.size > MAX_CACHED_ANSWERS) {
      const oldest = this.#answeredAt.keys().next();
      if (!oldest.done) this.#answeredAt.delete(oldest.value);
    }
  }

  isFresh(subject: string): boolean {
    const at = this.#answeredAt.get(subject);
    return at !== undefined && this.#clock.now() - at < ANSWER_TTL_MS;
  }
}
