import { NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Families, Family } from "./families.ts";
import type { Timeline } from "./timeline.ts";

interface FamilyUse {
  readonly family: Family;
  readonly timelines: Map<Timeline, number>;
  bytes: number;
}

interface MemoryBudgetDeps {
  readonly families: Families;
  /** Called when a timeline has no cached messages left. */
  readonly onEmpty: (timeline: Timeline) => void;
}

/** The maximum number of messages evicted at once, so that other work does not wait for the eviction of half the cache. */
const MAX_EVICTED = 200;
/** The quota of one private thread or DM. */
const MAX_PRIVATE_BYTES = 64 * 1024;

/**
 * Keeps every family of channels within its quota by evicting its oldest messages. The cached part of a family depends on its own messages alone, not on reads.
 */
export class MemoryBudget {
  readonly #totalBytes: number;
  readonly #deps: MemoryBudgetDeps;
  readonly #families = new Map<string, FamilyUse>();
  /** Families that still exceed their quota. */
  readonly #overQuota = new Set<string>();
  #publicFamilies = 0;

  constructor(totalBytes: number, deps: MemoryBudgetDeps) {
    this.#totalBytes = totalBytes;
    this.#deps = deps;
  }

  /** Updates the size of the timeline. */
  count(timeline: Timeline): void {
    const use = this.#useOf(timeline);
    use.bytes += timeline.bytes - (use.timelines.get(timeline) ?? 0);
    use.timelines.set(timeline, timeline.bytes);
    // The cache of the family is empty, so the earlier cutoff no longer applies. If a single message was too large, that is known.
    if (use.bytes === 0 && isUnknown(use)) use.family.room.reset();
  }

  /** Updates the size of the timeline after deletions: once all messages are gone, there is room for older ones. */
  countDeleted(timeline: Timeline): void {
    this.count(timeline);
    const use = this.#useOf(timeline);
    if (use.bytes === 0) use.family.room.reset();
  }

  remove(timeline: Timeline): void {
    const { family } = timeline.place;
    const use = this.#families.get(family.id);
    if (!use) return;
    use.bytes -= use.timelines.get(timeline) ?? 0;
    use.timelines.delete(timeline);
    if (use.timelines.size > 0) return;
    this.#families.delete(family.id);
    this.#overQuota.delete(family.id);
    if (!family.isPrivate) this.#publicFamilies -= 1;
    family.room.reset();
  }

  /** Evicts messages of the timeline's family until it is within its quota, or nearer to it; true if more must be evicted. */
  settle(timeline: Timeline, now: number): boolean {
    this.count(timeline);
    const { isPrivate, id } = timeline.place.family;
    if (!isPrivate && this.#publicFamilies > this.#deps.families.slots) this.recount(now);
    this.#evict(id, now);
    if (isPrivate) this.#evictPrivate(now);
    return this.#overQuota.size > 0;
  }

  /** Call when channels may have been added or removed. */
  recount(now: number): void {
    if (!this.#deps.families.recount(this.#publicFamilies)) return;
    for (const use of this.#families.values()) {
      if (use.bytes > this.#quotaOf(use)) this.#overQuota.add(use.family.id);
      // There may be more room than before.
      else use.family.room.reopen();
    }
    this.evictSome(now);
  }

  /** Evicts some messages beyond a quota; false if there are no more. */
  evictSome(now: number): boolean {
    const [id] = this.#overQuota;
    if (id !== undefined) this.#evict(id, now);
    return this.#overQuota.size > 0;
  }

  #useOf({ place: { family } }: Timeline): FamilyUse {
    const known = this.#families.get(family.id);
    if (known) return known;
    const use = { family, timelines: new Map(), bytes: 0 };
    this.#families.set(family.id, use);
    if (!family.isPrivate) this.#publicFamilies += 1;
    return use;
  }

  #evict(id: string, now: number): void {
    const use = this.#families.get(id);
    this.#overQuota.delete(id);
    const surplus = use ? use.bytes - this.#quotaOf(use) : 0;
    if (!use || surplus <= 0) return;
    const cutoff = cutoffFor([...use.timelines.keys()], surplus);
    use.family.room.end(cutoff);
    for (const timeline of [...use.timelines.keys()]) this.#shrink(timeline, cutoff, now);
    if (use.bytes > this.#quotaOf(use)) this.#overQuota.add(id);
  }

  #quotaOf({ family }: FamilyUse): number {
    return family.isPrivate ? this.#quotas.privateFamily : this.#quotas.family;
  }

  /** Limits the number of private threads and DMs; beyond it, the least recently read are evicted completely. */
  #evictPrivate(now: number): void {
    const timelines = [...this.#families.values()]
      .filter(({ family }) => family.isPrivate)
      .flatMap(({ timelines }) => [...timelines.keys()].filter(({ size }) => size > 0))
      .sort((a, b) => a.usedAt - b.usedAt);
    const surplus = timelines.length - this.#quotas.maxPrivateFamilies;
    for (const timeline of timelines.slice(0, Math.max(0, surplus))) this.#shrink(timeline, NEWEST + 1n, now);
  }

  #shrink(timeline: Timeline, cutoff: bigint, now: number): void {
    if (timeline.ids.count(OLDEST, cutoff - 1n) === 0) return;
    timeline.drop({ from: OLDEST, to: cutoff - 1n }, now);
    this.count(timeline);
    if (timeline.isEmpty && !timeline.isWatched) this.#deps.onEmpty(timeline);
  }

  get #quotas() {
    return this.#deps.families.divide(this.#totalBytes, MAX_PRIVATE_BYTES);
  }
}

function isUnknown({ timelines }: FamilyUse): boolean {
  return [...timelines.keys()].every(({ isEmpty }) => isEmpty);
}

/**
 * The id below which the oldest messages of all timelines together weigh as much as the surplus, or reach the maximum evicted at once.
 * Reads only those messages: a channel at its quota with a thousand threads evicts something with every message.
 */
function cutoffFor(timelines: readonly Timeline[], surplus: number): bigint {
  const rows = timelines.map((timeline) => new Row(timeline));
  let left = surplus;
  let cutoff = OLDEST;
  for (let count = 0; left > 0 && count < MAX_EVICTED; count += 1) {
    const row = rows.reduce<Row | undefined>(
      (first, each) => (first && first.next <= each.next ? first : each),
      undefined,
    );
    if (!row || row.next > NEWEST) break;
    cutoff = row.next + 1n;
    left -= row.take();
  }
  return cutoff;
}

/** The messages of a timeline, oldest first. */
class Row {
  readonly #timeline: Timeline;
  #weights: Iterator<number> | null = null;
  /** Above all ids if there are no more. */
  next: bigint;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.next = timeline.ids.at(0) ?? NEWEST + 1n;
  }

  /** Advances to the next message; returns the weight of this one. */
  take(): number {
    this.#weights ??= this.#timeline.weights();
    const { value } = this.#weights.next();
    this.next = this.#timeline.ids.oldest(this.next + 1n, NEWEST, 1)[0] ?? NEWEST + 1n;
    return value ?? 0;
  }
}
