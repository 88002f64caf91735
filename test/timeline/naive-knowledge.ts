/** The server's side: every id there ever was, and what stands there now, both oldest first. */
export interface Records {
  readonly everMinted: readonly string[];
  messages(): { readonly id: string }[];
}

/** A read as it must go: where it starts, how many messages it examines, and whether its budget or the history ends it. */
export type Walk = Straight | Around | One;

interface Straight {
  readonly kind: "back" | "forward";
  /** Null for the newest of all. */
  readonly from: string | null;
  readonly scanned: number;
  readonly spent: boolean;
}

interface Around {
  readonly kind: "around";
  readonly id: string;
  readonly newer: number;
  readonly older: number;
  readonly limit: number;
}

interface One {
  readonly kind: "one";
  readonly id: string;
}

const PAGE = 100;

/**
 * What must be at hand, reckoned point by point: each id that was ever minted is a point, and so is the space before it, in which a
 * message could hide, and the space after the newest, which is known as long as everything new is heard.
 */
export class NaiveKnowledge {
  readonly #records: Records;
  readonly #most: number;
  #known = new Set<string>();
  /** There were too many messages: from then on those before this one are not kept, even where others went. */
  #cutoff = 0n;

  constructor(records: Records, most: number) {
    this.#records = records;
    this.#most = most;
  }

  hear(id: string): void {
    if (this.#known.has("space top")) this.#known.add(`space ${id}`);
    this.#known.add(id).add("space top");
    this.#trim();
  }

  forgetAll(): void {
    this.#known.clear();
    this.#cutoff = 0n;
  }

  /** How many pages somebody must ask for who knows this; afterwards that too is known. */
  pagesFor(walk: Walk): number {
    if ("spent" in walk) {
      const { from } = walk;
      const downwards = this.#points().reverse();
      const start = from === null ? 0 : downwards.indexOf(`space ${from}`);
      return this.#walk(walk.kind === "back" ? downwards.slice(start) : this.#above(from ?? ""), walk, true);
    }
    const pages = this.#known.has(walk.id) ? 0 : this.#learnAround(walk.id);
    if (walk.kind === "one") return pages;
    const wantedNewer = Math.floor((walk.limit - 1) / 2);
    const up = { scanned: walk.newer, spent: walk.newer === wantedNewer };
    const down = { scanned: walk.older, spent: walk.older === walk.limit - walk.newer };
    const points = this.#points().reverse();
    const upwards = this.#walk(this.#above(walk.id), up, false);
    return pages + upwards + this.#walk(points.slice(points.indexOf(walk.id)), down, false);
  }

  /** All points, oldest first. */
  #points(): string[] {
    return [...this.#records.everMinted.flatMap((id) => [`space ${id}`, id]), "space top"];
  }

  #above(id: string): string[] {
    const points = this.#points();
    return points.slice(points.indexOf(id) + 1);
  }

  #walk(
    points: readonly string[],
    { scanned, spent }: { scanned: number; spent: boolean },
    looksFurther: boolean,
  ): number {
    const standing = new Set(this.#records.messages().map(({ id }) => id));
    // One further tells whether there is more; but not where somebody who knows nothing would need a page for it.
    const enough = !spent ? Number.POSITIVE_INFINITY : scanned + (looksFurther && scanned % PAGE !== 0 ? 1 : 0);
    let passed = 0;
    let pages = 0;
    let atHand = new Set<string>();
    for (const [index, point] of points.entries()) {
      if (passed >= enough) break;
      if (!this.#known.has(point) && !atHand.has(point)) {
        pages += 1;
        atHand = pageFrom(points.slice(index), standing);
        this.#learn(atHand);
      }
      if (standing.has(point)) passed += 1;
    }
    return pages;
  }

  #learnAround(id: string): number {
    const standing = this.#records.messages().map((message) => message.id);
    const older = standing.filter((each) => BigInt(each) < BigInt(id)).slice(-PAGE / 2);
    const newer = standing.filter((each) => BigInt(each) > BigInt(id));
    const given = [...older, id, ...newer.slice(0, PAGE / 2 - (standing.includes(id) ? 1 : 0))];
    const points = this.#points();
    this.#learn(new Set(points.slice(points.indexOf(given[0] ?? id), points.indexOf(given.at(-1) ?? id) + 1)));
    return 1;
  }

  #learn(points: ReadonlySet<string>): void {
    const standing = this.#records.messages().filter(({ id }) => points.has(id) && BigInt(id) < this.#cutoff);
    const tooOld = new Set(this.#points().slice(0, this.#points().indexOf(standing.at(-1)?.id ?? "") + 1));
    for (const point of points) if (!tooOld.has(point)) this.#known.add(point);
    this.#trim();
  }

  /** Only so many of the newest are kept, and nothing is known of what lies before them. */
  #trim(): void {
    const held = this.#records.messages().filter(({ id }) => this.#known.has(id));
    const oldest = held[held.length - this.#most]?.id;
    if (held.length <= this.#most || oldest === undefined) return;
    this.#cutoff = BigInt(oldest);
    const points = this.#points();
    for (const point of points.slice(0, points.indexOf(oldest))) this.#known.delete(point);
  }
}

/** From the first point to the hundredth message, or to the end. */
function pageFrom(points: readonly string[], standing: ReadonlySet<string>): Set<string> {
  const page = new Set<string>();
  let given = 0;
  for (const point of points) {
    page.add(point);
    if (standing.has(point)) given += 1;
    if (given === PAGE) break;
  }
  return page;
}
