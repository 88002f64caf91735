import type { ChannelId } from "../domain/ids.ts";
import type { Families } from "./families.ts";
import type { Timeline } from "./timeline.ts";

interface FamilyUse {
  readonly isPrivate: boolean;
  /** What each timeline contributes. */
  readonly timelines: Map<Timeline, number>;
  bytes: number;
}

interface MemoryBudgetDeps {
  readonly families: Families;
  /** Nothing is held of it any more. */
  readonly onEmpty: (timeline: Timeline) => void;
  /** Every family has another quota now. */
  readonly onRecount: () => void;
}

/** At most so many messages are evicted at a time. */
const MAX_EVICTED_AT_ONCE = 100;
/** So much of a private thread or DM is held. */
const MAX_PRIVATE_BYTES = 64 * 1024;

/** Keeps every family of channels within its quota, by evicting the oldest messages of whichever of its timelines was read longest ago. */
export class MemoryBudget {
  readonly #totalBytes: number;
  readonly #deps: MemoryBudgetDeps;
  readonly #families = new Map<ChannelId, FamilyUse>();

  constructor(totalBytes: number, deps: MemoryBudgetDeps) {
    this.#totalBytes = totalBytes;
    this.#deps = deps;
  }

  /** Takes note of how much the timeline holds now. */
  count(timeline: Timeline): void {
    const { family } = timeline.place;
    const use = this.#families.get(family.id) ?? { isPrivate: family.isPrivate, timelines: new Map(), bytes: 0 };
    this.#families.set(family.id, use);
    use.bytes += timeline.bytes - (use.timelines.get(timeline) ?? 0);
    use.timelines.set(timeline, timeline.bytes);
  }

  remove(timeline: Timeline): void {
    const { id } = timeline.place.family;
    const use = this.#families.get(id);
    if (!use) return;
    use.bytes -= use.timelines.get(timeline) ?? 0;
    use.timelines.delete(timeline);
    if (use.timelines.size === 0) this.#families.delete(id);
  }

  /** Brings the timeline's family back within its quota. */
  settle(timeline: Timeline, now: number): void {
    this.count(timeline);
    const { isPrivate, id } = timeline.place.family;
    if (!isPrivate && this.#publicFamilies > this.#deps.families.slots) this.recount(now);
    this.#evict(id, now);
    if (isPrivate) this.#evictPrivate(now);
  }

  /** To be called when channels may have come or gone. */
  recount(now: number): void {
    if (!this.#deps.families.recount(this.#publicFamilies)) return;
    for (const id of [...this.#families.keys()]) this.#evict(id, now);
    this.#deps.onRecount();
  }

  get #publicFamilies(): number {
    let count = 0;
    for (const { isPrivate } of this.#families.values()) if (!isPrivate) count += 1;
    return count;
  }

  #evict(id: ChannelId, now: number): void {
    const use = this.#families.get(id);
    const { family, privateFamily } = this.#quotas;
    while (use && use.bytes > (use.isPrivate ? privateFamily : family)) {
      const timeline = leastRecentlyRead(use);
      if (!timeline) return;
      this.#shrink(timeline, { count: Math.min(MAX_EVICTED_AT_ONCE, Math.ceil(timeline.size / 8)), now });
    }
  }

  /** There is room for so many private threads and DMs; beyond that, those read longest ago go whole. */
  #evictPrivate(now: number): void {
    const held = [...this.#families.values()].filter(({ isPrivate }) => isPrivate).map(leastRecentlyRead);
    const timelines = held.filter((timeline) => timeline !== undefined).sort((a, b) => a.usedAt - b.usedAt);
    const surplus = timelines.length - this.#quotas.maxPrivateFamilies;
    for (const timeline of timelines.slice(0, Math.max(0, surplus)))
      this.#shrink(timeline, { count: timeline.size, now });
  }

  #shrink(timeline: Timeline, { count, now }: { count: number; now: number }): void {
    timeline.dropOldest(count, now);
    this.count(timeline);
    if (timeline.isEmpty && !timeline.isWatched) this.#deps.onEmpty(timeline);
  }

  get #quotas() {
    return this.#deps.families.divide(this.#totalBytes, MAX_PRIVATE_BYTES);
  }
}

function leastRecentlyRead({ timelines }: FamilyUse): Timeline | undefined {
  let least: Timeline | undefined;
  for (const timeline of timelines.keys())
    if (timeline.size > 0 && (!least || timeline.usedAt < least.usedAt)) least = timeline;
  return least;
}
