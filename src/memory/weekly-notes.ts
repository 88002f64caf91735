import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactStore } from "../ports/fact-store.ts";

const WEEK_MS = 7 * 86_400_000;
const MAX_NOTED = 20_000;

/** Notes in which week facts about people were last handed out, once a week for each. */
export class WeeklyNotes {
  readonly #facts: Pick<FactStore, "noteUse">;
  readonly #clock: Clock;
  /** By id: the week that is noted. */
  readonly #noted = new BoundedMap<string, number>({ maxEntries: MAX_NOTED });

  constructor({ facts, clock }: { readonly facts: Pick<FactStore, "noteUse">; readonly clock: Clock }) {
    this.#facts = facts;
    this.#clock = clock;
  }

  /** Never throws: what could not be noted is noted the next time. */
  async noteUsed(facts: readonly Pick<Fact, "id" | "subjectId">[]): Promise<void> {
    const week = Math.floor(this.#clock.now() / WEEK_MS) * WEEK_MS;
    const isNew = ({ id, subjectId }: Pick<Fact, "id" | "subjectId">) =>
      subjectId !== null && this.#noted.get(id) !== week;
    const ids = facts.filter(isNew).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const id of ids) this.#noted.set(id, week);
    await this.#facts.noteUse(ids, { usedAt: week }).catch(() => {
      for (const id of ids) this.#noted.delete(id);
    });
  }
}
