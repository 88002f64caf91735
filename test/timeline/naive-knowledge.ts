/**
 * Which messages must be at hand, reckoned one id at a time. Two ids are neighbours when no other was ever minted between them, so
 * nothing can hide there.
 */
export class NaiveKnowledge {
  readonly #truth: { readonly everMinted: readonly string[]; messages(): { id: string }[] };
  readonly #most: number;
  #ids = new Set<string>();
  /** Nothing before the oldest message is unknown. */
  #toTheBottom = false;
  /** Everything after the newest will be heard. */
  #live = false;

  constructor(truth: { readonly everMinted: readonly string[]; messages(): { id: string }[] }, most: number) {
    this.#truth = truth;
    this.#most = most;
  }

  hear(id: string): void {
    this.#ids.add(id);
    this.#live = true;
  }

  forgetAll(): void {
    this.#ids = new Set();
    this.#toTheBottom = false;
    this.#live = false;
  }

  /** Only so many of the newest are kept, and nothing is known of what lies before them. */
  trim(): void {
    const held = this.#truth.messages().filter(({ id }) => this.#ids.has(id));
    if (held.length <= this.#most) return;
    const oldest = held[held.length - this.#most]?.id ?? "0";
    this.#ids = new Set([...this.#ids].filter((id) => BigInt(id) >= BigInt(oldest)));
    this.#toTheBottom = false;
  }

  /** How many pages of a hundred somebody must ask for who knows this, and then knows more. */
  pagesFor(
    step: { read: string; which?: number; limit?: number; scan?: number },
    scanned: number,
    pick: (which: number) => string,
  ): number {
    const id = step.which === undefined ? null : pick(step.which);
    // One further, to know whether there is more, unless that would cost a page for somebody who knows nothing.
    const wanted = scanned + (scanned % 100 === 0 ? 0 : 1);
    switch (step.read) {
      case "recent":
      case "search":
        return this.#back(null, { wanted, scanned });
      default:
        return id === null ? 0 : 0;
    }
  }

  #back(_before: string | null, _budget: { wanted: number; scanned: number }): number {
    return 0;
  }
}
