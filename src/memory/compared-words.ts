import { hash } from "node:crypto";
import type { Fact } from "../domain/memory/fact.ts";
import type { Message } from "../domain/message.ts";
import { toMessageReading } from "../domain/message-reading.ts";
import type { FactVault } from "./fact-vault.ts";

/** Of each fact: its sources are few, and seldom edited. */
const MAX_COMPARED = 50;

/** Compares words with those that facts rest on. What was compared before is known by its digest: the comparison itself needs the fact's key, and takes much longer. */
export class ComparedWords {
  readonly #vault: Pick<FactVault, "hashWords">;
  readonly #compared = new WeakMap<Fact, Map<string, boolean>>();
  /** Of messages, which never change: an edit makes another one. */
  readonly #digests = new WeakMap<Message, string>();

  constructor(vault: Pick<FactVault, "hashWords">) {
    this.#vault = vault;
  }

  /** Whether a source of the fact had these words when the fact was remembered. */
  isSame(fact: Fact, { ref, words }: { readonly ref: string; readonly words: string }): Promise<boolean> {
    return this.#compare(fact, { ref, digest: hash("sha256", words), words: () => words });
  }

  /** Whether a message had the words that it has now. */
  isSameMessage(fact: Fact, message: Message): Promise<boolean> {
    const words = () => toMessageReading(message).text;
    const digest = this.#digests.get(message) ?? hash("sha256", words());
    this.#digests.set(message, digest);
    return this.#compare(fact, { ref: `${message.channel_id}/${message.message_id}`, digest, words });
  }

  async #compare(
    fact: Fact,
    { ref, digest, words }: { readonly ref: string; readonly digest: string; words(): string },
  ): Promise<boolean> {
    const compared = `${ref} ${digest}`;
    const known = this.#compared.get(fact) ?? new Map<string, boolean>();
    this.#compared.set(fact, known);
    const before = known.get(compared);
    if (before !== undefined) return before;
    const found = await this.#vault.hashWords(fact.id, words());
    // Of a fact that has ended meanwhile nothing is known.
    if (found === null) return false;
    if (known.size >= MAX_COMPARED) known.clear();
    const isSame = fact.basis.some((one) => one.ref === ref && one.hash === found);
    known.set(compared, isSame);
    return isSame;
  }
}
