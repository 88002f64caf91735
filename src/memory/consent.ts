import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { Serial } from "../domain/serial.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConsentChange, ConsentState, OwnConsent } from "../ports/consent.ts";
import type { OptOutStore } from "../ports/opt-out-store.ts";

/** Also decides about people of whom only a keyed hash is known. */
export interface MarkedConsent extends Pick<OwnConsent, "isLeftOut"> {
  isMarkLeftOut(mark: string): boolean;
}

export interface OperatorConsent {
  /** Replaces the operator's list. Listeners are called for everyone whose state changes. */
  leaveOutByOperator(people: readonly UserId[]): void;
}

export interface ConsentDeps {
  readonly store: OptOutStore;
  markOf(userId: UserId): string;
  /** The operator's list: people, bots and webhooks. */
  readonly byOperator: readonly UserId[];
  readonly clock: Clock;
}

/** Ids whose hash need not be computed again. */
const MAX_CACHED = 50_000;
/** Coming back forces a new read, because the cache lacks their messages. The interval limits how often a person can cause that. */
const MIN_INCLUDE_INTERVAL_MS = 10 * 60_000;

export async function openConsent(deps: ConsentDeps): Promise<OwnConsent & MarkedConsent & OperatorConsent> {
  return new StoredConsent(new Set(await deps.store.load()), deps);
}

class StoredConsent implements OwnConsent, MarkedConsent, OperatorConsent {
  readonly #marks: Set<string>;
  readonly #deps: ConsentDeps;
  #byOperator: ReadonlySet<UserId>;
  #operatorsMarks: ReadonlySet<string>;
  readonly #listeners = new Set<(change: ConsentChange) => void>();
  readonly #known = new BoundedMap<UserId, boolean>({ maxEntries: MAX_CACHED });
  readonly #included: BoundedMap<string, true>;
  /** Hashes whose latest request was to be included. */
  readonly #including = new Set<string>();
  /** Changes are stored in the order of their requests, so the last one wins. */
  readonly #changes = new Serial();

  constructor(marks: Set<string>, deps: ConsentDeps) {
    this.#marks = marks;
    this.#deps = deps;
    this.#byOperator = new Set(deps.byOperator);
    this.#operatorsMarks = new Set(deps.byOperator.map((id) => deps.markOf(id)));
    const { clock } = deps;
    this.#included = new BoundedMap({ maxEntries: MAX_CACHED, ttlMs: MIN_INCLUDE_INTERVAL_MS, clock });
  }

  isLeftOut(authorId: UserId): boolean {
    if (this.#byOperator.has(authorId)) return true;
    if (this.#marks.size === 0) return false;
    const known = this.#known.get(authorId);
    if (known !== undefined) return known;
    const isLeftOut = this.#marks.has(this.#deps.markOf(authorId));
    this.#known.set(authorId, isLeftOut);
    return isLeftOut;
  }

  isMarkLeftOut(mark: string): boolean {
    return this.#marks.has(mark) || this.#operatorsMarks.has(mark);
  }

  stateOf(userId: UserId): ConsentState {
    if (this.#byOperator.has(userId)) return "left_out_by_operator";
    return this.isLeftOut(userId) ? "left_out" : "included";
  }

  listen(listener: (change: ConsentChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  leaveOutByOperator(people: readonly UserId[]): void {
    const concerned = [...new Set(people).symmetricDifference(this.#byOperator)];
    const before = new Map(concerned.map((userId) => [userId, this.isLeftOut(userId)]));
    this.#byOperator = new Set(people);
    this.#operatorsMarks = new Set(people.map((id) => this.#deps.markOf(id)));
    for (const [userId, wasLeftOut] of before) this.#tell(userId, wasLeftOut);
  }

  leaveOut(userId: UserId): Promise<void> {
    const mark = this.#deps.markOf(userId);
    this.#including.delete(mark);
    // Takes effect before it is stored, so that nothing of theirs is used meanwhile.
    this.#set(userId, mark, true);
    return this.#changes.run(async () => {
      this.#set(userId, mark, true);
      await this.#deps.store.add(mark, this.#deps.clock.now());
    });
  }

  include(userId: UserId): Promise<void> {
    const mark = this.#deps.markOf(userId);
    this.#including.add(mark);
    return this.#changes.run(async () => {
      if (!this.#marks.has(mark) || !this.#including.has(mark)) return;
      if (this.#included.get(mark)) {
        const problem = "You were included again a moment ago; wait ten minutes before you do it once more.";
        throw new EarshotError("rate_limited", problem, { retryAfter: MIN_INCLUDE_INTERVAL_MS / 1_000 });
      }
      await this.#deps.store.remove(mark);
      // They opted out again meanwhile, which is stored next.
      if (!this.#including.has(mark)) return;
      this.#included.set(mark, true);
      this.#set(userId, mark, false);
    });
  }

  #set(userId: UserId, mark: string, isLeftOut: boolean): void {
    const before = this.isLeftOut(userId);
    if (isLeftOut) this.#marks.add(mark);
    else this.#marks.delete(mark);
    this.#known.delete(userId);
    this.#tell(userId, before);
  }

  #tell(userId: UserId, wasLeftOut: boolean): void {
    const isLeftOut = this.isLeftOut(userId);
    if (isLeftOut !== wasLeftOut) for (const listener of this.#listeners) listener({ userId, isLeftOut });
  }
}
