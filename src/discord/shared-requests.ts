import { BoundedMap } from "../domain/bounded-map.ts";
import { SingleFlight } from "../domain/single-flight.ts";
import type { Clock } from "../ports/clock.ts";

/** Without events that report changes, an answer is cached for this long. */
const ANSWER_TTL_MS = 30_000;
const MAX_ATTEMPTS = 3;
const MAX_CACHED_ANSWERS = 10_000;

/**
 * Requests to Discord about things that change. One per subject is under way at a time; a change that arrives before the answer makes the
 * answer stale, and the request is repeated. Remembers when each answer came.
 */
export class SharedRequests {
  readonly #underWay = new SingleFlight<string, void>();
  /** Subjects under way that have changed since they were last asked about. */
  readonly #stale = new Set<string>();
  readonly #fresh: BoundedMap<string, true>;

  constructor(clock: Clock) {
    this.#fresh = new BoundedMap({ maxEntries: MAX_CACHED_ANSWERS, ttlMs: ANSWER_TTL_MS, clock });
  }

  /** `use` takes the answer over; it is not called for one that was overtaken by a change. */
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

  /** The subject changed: an answer still under way does not count. */
  noteChange(subject: string): void {
    if (this.#underWay.has(subject)) this.#stale.add(subject);
  }

  /** The subject became known without asking. */
  noteAnswer(subject: string): void {
    this.#fresh.set(subject, true);
  }

  isFresh(subject: string): boolean {
    return this.#fresh.has(subject);
  }
}
