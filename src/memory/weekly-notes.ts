import { setImmediate } from "node:timers/promises";
import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import { Serial } from "../domain/serial.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactStore } from "../ports/fact-store.ts";

const WEEK_MS = 7 * 86_400_000;
const MAX_NOTED = 20_000;
/** How many are written together, and how often: everything else waits for two milliseconds each time. */
const PIECE = 100;
const WRITE_INTERVAL_MS = 1_000;

/**
 * Notes in which week facts about people were last handed out, once a week for each. Written soon after, some at a time, so that nobody waits for it: after
 * a crash the next use in that week is noted instead.
 */
export class WeeklyNotes {
  readonly #facts: Pick<FactStore, "noteUse">;
  readonly #clock: Clock;
  /** By id: the week that is noted. */
  readonly #noted = new BoundedMap<string, number>({ maxEntries: MAX_NOTED });
  /** The same, of those that are not written yet. */
  readonly #waiting = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  readonly #writes = new Serial();

  constructor({ facts, clock }: { readonly facts: Pick<FactStore, "noteUse">; readonly clock: Clock }) {
    this.#facts = facts;
    this.#clock = clock;
  }

  /** Never throws: what could not be noted is noted the next time. */
  noteUsed(facts: readonly Pick<Fact, "id" | "subjectId">[]): void {
    const week = Math.floor(this.#clock.now() / WEEK_MS) * WEEK_MS;
    for (const { id, subjectId } of facts) {
      if (subjectId === null || this.#noted.get(id) === week || this.#waiting.size >= MAX_NOTED) continue;
      this.#noted.set(id, week);
      this.#waiting.set(id, week);
    }
    this.#writeSoon();
  }

  /** Resolves once everything noted so far is written, or could not be. Never throws. */
  async write(): Promise<void> {
    while (this.#waiting.size > 0) {
      await this.#writePiece();
      if (this.#waiting.size > 0) await setImmediate();
    }
    await this.#writes.settled();
  }

  #writeSoon(): void {
    if (this.#waiting.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#writePiece();
      this.#writeSoon();
    }, WRITE_INTERVAL_MS).unref();
  }

  #writePiece(): Promise<void> {
    const [usedAt] = this.#waiting.values();
    if (usedAt === undefined) return this.#writes.settled();
    const ofWeek = this.#waiting.entries().filter(([, week]) => week === usedAt);
    const ids = [...ofWeek.take(PIECE).map(([id]) => id)];
    for (const id of ids) this.#waiting.delete(id);
    return this.#writes.run(() => this.#write(ids, usedAt));
  }

  async #write(ids: readonly string[], usedAt: number): Promise<void> {
    try {
      await this.#facts.noteUse(ids, { usedAt });
    } catch {
      for (const id of ids) this.#noted.delete(id);
    }
  }
}
