import { BoundedMap } from "../domain/bounded-map.ts";
import { SingleFlight } from "../domain/single-flight.ts";
import type { Clock } from "../ports/clock.ts";

/** Without events that report changes, an answer is cached for this long. */
const ANSWER_TTL_MS = 30_000;
const MAX_ATTEMPTS = 3;
const MAX_CACHED_ANSWERS = 10_000;

/**
 * Requests to Discord about things that change. One per subject is in progress at a time; a change that arrives before the answer makes the
 * answer stale, and the request is repeated. Remembers the time of each answer.
 */
export class SharedRequests {
  readonly #underWay = new SingleFlight<string, void>();
  /** Subjects that have changed since their request was sent. */
  readonly #stale = new Set<string>();
  readonly #fresh: BoundedMap<string, true>;

  constructor(clock: Clock) {
    this.#fresh = new BoundedMap({ maxEntries: MAX_CACHED_ANSWERS, ttlMs: ANSWER_TTL_MS, clock });
  }

  /** `use` processes the answer; it is not called for a stale one. */
  async run<Answer>(subject: string, request: () => Promise<Answer>, use: (answer: Answer) => void): Promise<void> {
    return this.#underWay.run(subject, async () => {
      try {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
          this.#stale.delete(subject);
          const answer = await request();
          if (this.#stale.has(subject)) continue;
          use(answer);
          this.noteAnswer(subject);
          return;
        }
      } finally {
        this.#stale.delete(subject);
      }
    });
  }

  /** Call when the subject changed: an answer in progress is stale. */
  noteChange(subject: string): void {
    if (this.#underWay.has(subject)) this.#stale.add(subject);
  }

  /** Call when the subject became known without a request. */
  noteAnswer(subject: string): void {
    this.#fresh.set(subject, true);
  }

  isFresh(subject: string): boolean {
    return this.#fresh.has(subject);
  }
}
