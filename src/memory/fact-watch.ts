import { BoundedMap } from "../domain/bounded-map.ts";
import type { FactSource } from "../domain/label.ts";
import { toFactId } from "../domain/memory/fact.ts";
import type { Clock } from "../ports/clock.ts";
import type { MarkedConsent } from "./consent.ts";

export interface FactWatchDeps {
  readonly clock: Clock;
  readonly consent: MarkedConsent;
  /** How long labels live: endings are remembered as long. */
  readonly keptMs: number;
}

const MAX_REMEMBERED = 20_000;

/** Remembers which facts ended or were followed by others lately, so that nothing based on them is said any more. */
export class FactWatch {
  readonly #deps: FactWatchDeps;
  readonly #changes: BoundedMap<string, { readonly change: "deleted" | "changed"; readonly revision: number }>;
  /** Counts changes. A clock would not do: it may be set back, and much happens within a millisecond. */
  #revision = 1;
  /** Changes up to this one have been forgotten. */
  #forgottenUntil = 0;

  constructor(deps: FactWatchDeps) {
    this.#deps = deps;
    this.#changes = new BoundedMap({ maxEntries: MAX_REMEMBERED, ttlMs: deps.keptMs, clock: deps.clock });
  }

  get revision(): number {
    return this.#revision;
  }

  /** `changed`: another one follows it. Those who may not hear that one go on hearing it. */
  note(ids: readonly string[], change: "deleted" | "changed"): void {
    this.#revision += 1;
    for (const id of ids) {
      if (this.#changes.size >= MAX_REMEMBERED && !this.#changes.has(id)) this.#forgottenUntil = this.#revision;
      if (this.#changes.get(id)?.change !== "deleted") this.#changes.set(id, { change, revision: this.#revision });
    }
  }

  /** Whether a fact that was read may still be repeated. */
  stateOf(source: FactSource): "standing" | "deleted" | "changed" | "uncertain" {
    const { factId, facts, subjectId, authorMarks, expiresAt, revision } = source;
    const { clock, consent } = this.#deps;
    for (const id of [factId, ...facts.map(toFactId)]) {
      const known = this.#changes.get(id);
      if (known && (known.change === "deleted" || revision < known.revision)) return known.change;
    }
    if (expiresAt !== null && expiresAt <= clock.now()) return "deleted";
    if (subjectId !== null && consent.isLeftOut(subjectId)) return "deleted";
    if (authorMarks.some((mark) => consent.isMarkLeftOut(mark))) return "deleted";
    return revision < this.#forgottenUntil ? "uncertain" : "standing";
  }
}
