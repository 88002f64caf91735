import type { UserId } from "../domain/ids.ts";
import type { Label } from "../sources/label.ts";

/** All labels in use: by an operation, a session that outlives its operations, or a confined client. */
export class LiveLabels {
  readonly #refs = new Set<WeakRef<Label>>();
  readonly #known = new WeakSet<Label>();
  readonly #collected = new FinalizationRegistry<WeakRef<Label>>((ref) => this.#refs.delete(ref));

  add(label: Label): void {
    if (this.#known.has(label)) return;
    const ref = new WeakRef(label);
    this.#known.add(label);
    this.#refs.add(ref);
    this.#collected.register(label, ref);
  }

  forgetWordsOf(authorId: UserId): void {
    for (const ref of this.#refs) ref.deref()?.forgetWordsOf(authorId);
  }
}
