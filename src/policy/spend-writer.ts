import { BoundedMap } from "../domain/bounded-map.ts";
import type { UserId } from "../domain/ids.ts";
import { Serial } from "../domain/serial.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SpendStore, SpendWindow, SpentDay } from "../ports/spend-store.ts";

/** A window in progress. */
export interface CountedWindow extends SpendWindow {
  endsAt: number;
  tokens: number;
  /** False once its person was erased: it is counted in memory only. */
  isStored: boolean;
  /** The day of the server that a member's window belongs to. */
  within?: CountedWindow | undefined;
}

export interface SpendWriterDeps {
  readonly store: SpendStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A killed program loses at most this much usage. */
const WRITE_INTERVAL_MS = 1_000;
/** After a failed write. Each attempt at a locked file blocks the whole program for a second. */
const RETRY_INTERVAL_MS = 60_000;
/** Windows of people that have ended are removed at this interval, even without requests. */
const PRUNE_INTERVAL_MS = 600_000;
const MAX_UNWRITTEN = 50_000;

export function toWindowKey({ kind, id }: Pick<SpendWindow, "kind" | "id">): string {
  return `${kind} ${id}`;
}

export function toMemberId(guildId: string, person: string): string {
  return `${guildId}/${person}`;
}

export function guildOfMember(memberId: string): string {
  return memberId.split("/")[0] ?? "";
}

/** Whether the window counts this person's usage. */
export function isOfPerson({ kind, id }: Pick<SpendWindow, "kind" | "id">, person: UserId): boolean {
  return kind === "person" ? id === person : kind === "member" && id === toMemberId(guildOfMember(id), person);
}

/** Writes changes once a second, in the background. A failed write is logged once and retried. */
export class SpendWriter {
  readonly #deps: SpendWriterDeps;
  readonly #timer: NodeJS.Timeout;
  #windows = emptyWindows();
  #day: SpentDay | null = null;
  readonly #writes = new Serial();
  #lastSavedAt = 0;
  #failedAt: number | null = null;

  constructor(deps: SpendWriterDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#writeIfDue(), WRITE_INTERVAL_MS);
    this.#timer.unref();
  }

  note(window: CountedWindow): void {
    this.#windows.set(toWindowKey(window), window);
  }

  noteDay(day: SpentDay): void {
    this.#day = day;
  }

  /** Waits for writes in progress. @see Spending.erase */
  erase(person: UserId): Promise<{ isScrubbed: boolean }> {
    const { store } = this.#deps;
    return this.#writes.run(async () => {
      this.#windows.deleteWhere((window) => isOfPerson(window, person));
      const hadAny = await store.erase(person);
      return { isScrubbed: !hadAny || (await store.scrub().catch(() => false)) };
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#hasChanges()) this.#write();
    await this.#writes.settled();
  }

  #writeIfDue(): void {
    const now = this.#deps.clock.now();
    const since = (time: number) => Math.abs(now - time);
    if (this.#failedAt !== null && since(this.#failedAt) < RETRY_INTERVAL_MS) return;
    if (this.#hasChanges() || since(this.#lastSavedAt) >= PRUNE_INTERVAL_MS) this.#write();
  }

  #hasChanges(): boolean {
    return this.#windows.size > 0 || this.#day !== null;
  }

  #write(): void {
    void this.#writes.run(() => this.#save());
  }

  async #save(): Promise<void> {
    const { store, clock, log } = this.#deps;
    const now = clock.now();
    const changed = [...this.#windows.values()].filter(({ isStored }) => isStored);
    const day = this.#day;
    this.#windows = emptyWindows();
    this.#day = null;
    try {
      const windows = changed.map(({ kind, id, endsAt, tokens }) => ({ kind, id, endsAt, tokens }));
      await store.save({ windows, day, now });
      this.#failedAt = null;
      this.#lastSavedAt = now;
    } catch (error) {
      if (this.#failedAt === null)
        log.error({ error: String(error) }, "what the model used cannot be stored; it is counted in memory");
      this.#failedAt = now;
      // A later change takes precedence.
      for (const window of changed) if (!this.#windows.has(toWindowKey(window))) this.note(window);
      this.#day ??= day;
    }
  }
}

function emptyWindows(): BoundedMap<string, CountedWindow> {
  return new BoundedMap({ maxEntries: MAX_UNWRITTEN });
}
