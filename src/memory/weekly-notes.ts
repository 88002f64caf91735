import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactStore } from "../ports/fact-store.ts";

const WEEK_MS = 7 * 86_400_000;
const MAX_NOTED = 20_000;
const WRITE_DELAY_MS = 1_000;
/** More are written at once: everything else waits for some milliseconds. */
const MAX_WAITING = 500;

/**
 * Notes in which week facts about people were last handed out, once a week for each. Written a second later, together, so that nobody waits for it: after a crash
 * the next use in that week is noted instead.
 */
export class WeeklyNotes {
  readonly #facts: Pick<FactStore, "noteUse">;
  readonly #clock: Clock;
  /** By id: the week that is noted. */
  readonly #noted = new BoundedMap<string, number>({ maxEntries: MAX_NOTED });
  /** Ids of facts that were handed out in `#week` and are not written yet. */
  #waiting: string[] = [];
  #week = 0;
  #timer: NodeJS.Timeout | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor({ facts, clock }: { readonly facts: Pick<FactStore, "noteUse">; readonly clock: Clock }) {
    this.#facts = facts;
    this.#clock = clock;
  }

  /** Never throws: what could not be noted is noted the next time. */
  noteUsed(facts: readonly Pick<Fact, "id" | "subjectId">[]): void {
    const week = Math.floor(this.#clock.now() / WEEK_MS) * WEEK_MS;
    if (week !== this.#week) void this.write();
    this.#week = week;
    for (const { id, subjectId } of facts) {
      if (subjectId === null || this.#noted.get(id) === week) continue;
      this.#noted.set(id, week);
      this.#waiting.push(id);
    }
    if (this.#waiting.length >= MAX_WAITING) void this.write();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.write(), WRITE_DELAY_MS).unref();
  }

  /** Resolves once everything noted so far is written, or could not be. Never throws. */
  write(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const [ids, usedAt] = [this.#waiting, this.#week];
    this.#waiting = [];
    if (ids.length > 0) this.#lastWrite = this.#lastWrite.then(() => this.#write(ids, usedAt));
    return this.#lastWrite;
  }

  async #write(ids: readonly string[], usedAt: number): Promise<void> {
    try {
      await this.#facts.noteUse(ids, { usedAt });
    } catch {
      for (const id of ids) this.#noted.delete(id);
    }
  }
}
