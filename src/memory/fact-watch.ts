import { BoundedMap } from "../domain/bounded-map.ts";
import { toFactId } from "../domain/memory/fact.ts";
import type { Kept } from "../domain/source.ts";
import type { Clock } from "../ports/clock.ts";
import type { MarkedConsent } from "./consent.ts";

export interface FactWatchDeps {
  readonly clock: Clock;
  readonly consent: MarkedConsent;
  /** How long labels live; endings are remembered for the same time. */
  readonly keptMs: number;
}

interface Change {
  readonly id: string;
  readonly change: "deleted" | "changed";
  readonly revision: number;
}

const MAX_REMEMBERED = 20_000;

/** Remembers which facts lately ended or were superseded, so that nothing based on them is repeated. */
export class FactWatch {
  readonly #deps: FactWatchDeps;
  readonly #changes: BoundedMap<string, Change>;
  /** Counts changes. A clock is unsuitable: it may be set back, and many changes share a millisecond. */
  #revision = 1;
  /** Changes up to this revision were dropped. */
  #forgottenUntil = 0;

  constructor(deps: FactWatchDeps) {
    this.#deps = deps;
    this.#changes = new BoundedMap({ maxEntries: MAX_REMEMBERED, ttlMs: deps.keptMs, clock: deps.clock });
  }

  get revision(): number {
    return this.#revision;
  }

  /** `changed`: another fact supersedes it. People who may not know that one are not affected. */
  note(ids: readonly string[], change: "deleted" | "changed"): void {
    this.#revision += 1;
    for (const id of ids) {
      if (this.#changes.size >= MAX_REMEMBERED && !this.#changes.has(id)) this.#forgottenUntil = this.#revision;
      if (this.#changes.get(id)?.change !== "deleted") this.#changes.set(id, { id, change, revision: this.#revision });
    }
  }

  /** Whether a fact, or every fact of a set, may still be repeated. */
  stateOf(source: Kept<"fact" | "facts">): "standing" | "deleted" | "changed" | "uncertain" {
    const { revision } = source;
    const { clock, consent } = this.#deps;
    let isChanged = false;
    for (const { change, revision: changedAt } of "set" in source ? this.#changesIn(source) : this.#changesOf(source)) {
      if (change === "deleted") return change;
      if (revision < changedAt) isChanged = true;
    }
    const { expiresAt, authorMarks } = "set" in source ? source.set : source;
    if (expiresAt !== null && expiresAt <= clock.now()) return "deleted";
    for (const { subjectId } of "set" in source ? source.set.subjects : [source])
      if (subjectId !== null && consent.isLeftOut(subjectId)) return "deleted";
    for (const mark of authorMarks) if (consent.isMarkLeftOut(mark)) return "deleted";
    if (isChanged) return "changed";
    return revision < this.#forgottenUntil ? "uncertain" : "standing";
  }

  #changesOf({ factId, facts }: Kept<"fact">): readonly Change[] {
    return [factId, ...facts.map(toFactId)].flatMap((id) => this.#changes.get(id) ?? []);
  }

  /** Usually there are fewer changes than facts in a set. */
  #changesIn({ set: { ids, idsUnder } }: Kept<"facts">): readonly Change[] {
    if (this.#changes.size < ids.size)
      return [...this.#changes.values().filter(({ id }) => ids.has(id) || idsUnder.has(id))];
    return [...ids, ...idsUnder].flatMap((id) => this.#changes.get(id) ?? []);
  }
}
