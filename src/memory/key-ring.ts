import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { UserId } from "../domain/ids.ts";
import { normaliseName } from "../domain/memory/fact.ts";
import type { FactRow, FactSource, FactSubject } from "../ports/fact-store.ts";
import type { KeyStore } from "../ports/key-store.ts";
import { KEY_BYTES } from "./seal.ts";

export type Keys = ReadonlyMap<string, Uint8Array>;

/** The keys of a store, read for each use and overwritten afterwards: opened facts are cached instead. */
export class KeyRing {
  readonly #store: KeyStore;
  /** Number of deletions so far. */
  #deletions = 0;

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /**
   * Calls `work` with the existing keys, read in one query. No key is used after its deletion has returned: `work` is synchronous, and keys
   * read during a deletion are read again.
   */
  async use<Result>(names: readonly string[], work: (keys: Keys) => Result): Promise<Result> {
    for (;;) {
      const deletions = this.#deletions;
      const keys = await this.#store.find(names);
      try {
        if (deletions === this.#deletions) return work(keys);
      } finally {
        for (const key of keys.values()) key.fill(0);
      }
    }
  }

  async add(name: string, key: Uint8Array): Promise<void> {
    await this.#store.add(new Map([[name, key]]));
  }

  /** Throws `unavailable` unless they are certainly deleted. */
  async delete(names: readonly string[]): Promise<void> {
    try {
      await this.#store.delete(names);
    } finally {
      this.#deletions += 1;
    }
  }
}

/** The key for the marks (keyed hashes) of people. */
export const CONSENT = "consent";
export const FACT_PREFIX = "fact:";
export const SUBJECT_PREFIX = "subject:";

export function toFactKeyName(id: string): string {
  return FACT_PREFIX + id;
}

/** The key that hashes the fact names of one person, or of one server with its projects: a channel may move to another project. */
export function toSubjectKeyName({ kind, id }: FactSubject): string {
  return `${SUBJECT_PREFIX}${kind}:${id}`;
}

export function toSubject(keyName: string): FactSubject {
  const [kind = "", ...rest] = keyName.slice(SUBJECT_PREFIX.length).split(":");
  return { kind: kind as FactSubject["kind"], id: rest.join(":") };
}

export function subjectOf({
  scope_type,
  scope_id,
  guild_id,
}: Pick<FactRow, "scope_type" | "scope_id" | "guild_id">): FactSubject {
  return scope_type === "user" || guild_id === null ? { kind: "user", id: scope_id } : { kind: "guild", id: guild_id };
}

/** Equal for names that differ only in case, white space or Unicode form. */
export function hashKeyName(subjectKey: Uint8Array, name: string): string {
  return hash(subjectKey, normaliseName(name));
}

/** Hash of a source's text. Uses a key derived from the fact's key, which itself only seals. */
export function hashSource(factKey: Uint8Array, words: string): string {
  const derived = new Uint8Array(
    hkdfSync("sha256", createSecretKey(factKey), new Uint8Array(), "earshot source hash 1", KEY_BYTES),
  );
  return hash(derived, words);
}

/** Replaces a person's id where no id may be stored: in the list of opt-outs, and for authors of sources. */
export function deriveMark(consentKey: Uint8Array, userId: UserId): string {
  return hash(consentKey, userId);
}

function hash(key: Uint8Array, text: string): string {
  return createHmac("sha256", createSecretKey(key)).update(text, "utf8").digest("hex");
}

/** A source with the words that were read: they are hashed, not kept. */
export interface SourceWithWords extends Omit<FactSource, "hash"> {
  readonly words: string;
}

export function hashSources(key: Uint8Array, sources: readonly SourceWithWords[]): FactSource[] {
  return sources.map(({ words, ...source }) => ({ ...source, hash: hashSource(key, words) }));
}
