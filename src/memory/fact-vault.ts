import { hash } from "node:crypto";
import { BoundedMap } from "../domain/bounded-map.ts";
import type { Fact } from "../domain/memory/fact.ts";
import { type Message, toMessageReading } from "../domain/message.ts";
import { Serial } from "../domain/serial.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactRow, FactSubject, StoredFact } from "../ports/fact-store.ts";
import type { Log } from "../ports/log.ts";
import { type Ending, endFacts } from "./end-facts.ts";
import {
  CONSENT,
  hashKeyName,
  hashSource,
  hashSources,
  KeyRing,
  type SourceWithWords,
  subjectOf,
  toFactKeyName,
  toSubjectKeyName,
} from "./key-ring.ts";
import { type FactContent, KEY_BYTES, NONCE_BYTES, type OpenedFact, openFact, toStoredFact } from "./seal.ts";
import { checkStores, tidyStores, type VaultStores } from "./start-vault.ts";

export interface VaultDeps extends VaultStores {
  readonly chance: { bytes(count: number): Uint8Array; id(): string };
  readonly clock: Clock;
  readonly log: Log;
  /** Erases facts whose keys are lost; otherwise they prevent the start. */
  readonly erasesLostFacts?: boolean;
}

export interface NewFact {
  readonly row: Pick<FactRow, "scope_type" | "scope_id" | "subject_id" | "guild_id" | "audience_ref" | "visibility"> &
    Pick<FactRow, "created_by" | "verification_status" | "confidence" | "expires_at">;
  readonly content: FactContent;
  /** At least one. */
  readonly sources: readonly SourceWithWords[];
  /** Ids of facts that are no longer read once this one is stored. They must still be ended. */
  readonly ends?: readonly string[];
}

const MAX_REPORTED = 10_000;
/** How many of the newest rows are tried until one can be opened. */
const MAX_NEWEST = 100;

/** Throws `misconfigured` if the keys belong to other facts, `unavailable` if a store fails. */
export async function openFactVault(deps: VaultDeps): Promise<FactVault> {
  await checkStores(deps);
  await tidyStores(deps, deps);
  const newest = await deps.facts.find({}, { limit: MAX_NEWEST });
  // A row changed by hand may have any time.
  const [opened] = await new FactVault(deps, 0).open(newest);
  return new FactVault(deps, opened?.fact.row.created_at ?? 0);
}

/** Keeps facts and their keys in step; the only holder of keys. Failures are `unavailable`. */
export class FactVault {
  readonly #deps: VaultDeps;
  readonly #ring: KeyRing;
  /** Ids of damaged facts that were reported to the operator. */
  readonly #reported = new BoundedMap<string, true>({ maxEntries: MAX_REPORTED });
  #damagedCount = 0;
  readonly #endedSubjects = new Set<string>();
  /** Time of the newest fact. Later facts get a later time, even if the clock was set back. */
  #newestAt: number;
  /** One change at a time: a subject's key must not be deleted while a fact of that subject is added. */
  readonly #changes = new Serial();

  constructor(deps: VaultDeps, newestAt: number) {
    this.#deps = deps;
    this.#newestAt = newestAt;
    this.#ring = new KeyRing(deps.keys);
  }

  /** Time of the newest fact that can be opened; 0 for none. Facts added later have a later time. */
  get newestAt(): number {
    return this.#newestAt;
  }

  /** Number of facts that could not be opened although their key exists. */
  get damagedCount(): number {
    return this.#damagedCount;
  }

  /** Atomic, even if it throws. */
  add(fact: NewFact): Promise<StoredFact> {
    return this.#changes.run(() => this.#add(fact));
  }

  /**
   * Ends facts permanently: they are no longer read, even after a restart. The traces replace some of them. Throws `unavailable` if that
   * could not be stored. Safe to repeat; a repetition finishes the rest.
   */
  end(ids: readonly string[], traces: readonly StoredFact[] = []): Promise<Ending> {
    const deps = { ...this.#deps, ring: this.#ring, subjects: this.#endedSubjects };
    return this.#changes.run(() => endFacts(ids, traces, deps));
  }

  /** In the order given, without facts that have ended, and without damaged ones, which are reported to the operator. */
  async open(facts: readonly StoredFact[]): Promise<readonly OpenedFact[]> {
    const names = facts.map(({ row }) => toFactKeyName(row.id));
    return this.#ring.use(names, (keys) => {
      const opened: OpenedFact[] = [];
      for (const [at, fact] of facts.entries()) {
        const key = keys.get(names[at] ?? "");
        const content = key && this.#openOne(fact, key);
        if (content) opened.push({ fact, content });
      }
      return opened;
    });
  }

  /** For `FactQuery.key`. Null if this subject has no fact. */
  async hashName(subject: FactSubject, name: string): Promise<string | null> {
    return this.#useKey(toSubjectKeyName(subject), (key) => hashKeyName(key, name));
  }

  /** For comparison with the `hash` of a fact's sources. Null if the fact has ended. */
  async hashWords(factId: string, words: string): Promise<string | null> {
    return this.#useKey(toFactKeyName(factId), (key) => hashSource(key, words));
  }

  /** Created on first use, and never deleted. */
  consentKey(): Promise<Uint8Array> {
    return this.#changes.run(() => this.#useOrMakeKey(CONSENT, (key) => key.slice()));
  }

  async #add({ row, content, sources, ends = [] }: NewFact): Promise<StoredFact> {
    const { chance, clock, facts, keys } = this.#deps;
    const id = chance.id();
    const key = chance.bytes(KEY_BYTES);
    const now = Math.max(clock.now(), this.#newestAt + 1);
    this.#newestAt = now;
    const subjectKeyName = toSubjectKeyName(subjectOf(row));
    const nameHash = await this.#useOrMakeKey(subjectKeyName, (each) => hashKeyName(each, content.name));
    const hashed = hashSources(key, sources);
    let fact: StoredFact | undefined;
    const seal = (version: number) => {
      const draft = { row: { ...row, created_at: now, version, id, key: nameHash }, sources: hashed, content };
      // A new nonce each time: a repeated transaction may give another number.
      fact = toStoredFact(draft, { key, storeId: keys.storeId, nonce: chance.bytes(NONCE_BYTES) });
      return fact;
    };
    // The key comes first: a fact without a key could never be opened.
    await this.#ring.add(toFactKeyName(id), key);
    try {
      // In one change, so that both values are never read together.
      await facts.change({ next: { key: nameHash, seal }, beginToEnd: { ids: ends, at: now } });
    } catch (cause) {
      // If that is unknown, the next start deletes a key without a fact.
      const found = await facts.findByIds([id]).catch(() => null);
      if (found?.[0]) return found[0];
      if (found) await this.#ring.delete([toFactKeyName(id)]).catch(() => {});
      throw cause;
    }
    return fact as StoredFact;
  }

  #openOne(fact: StoredFact, key: Uint8Array): FactContent | null {
    const content = openFact(fact, { key, storeId: this.#deps.keys.storeId });
    if (content !== "damaged") return content;
    if (!this.#reported.has(fact.row.id)) {
      this.#reported.set(fact.row.id, true);
      this.#damagedCount += 1;
      this.#deps.log.warn(
        { fact: fact.row.id },
        "A fact is damaged and is left out; was the database changed by hand?",
      );
    }
    return null;
  }

  /** Null if the key does not exist. */
  async #useKey<Result>(name: string, work: (key: Uint8Array) => Result): Promise<Result | null> {
    return this.#ring.use([name], (keys) => {
      const key = keys.get(name);
      return key ? work(key) : null;
    });
  }

  async #useOrMakeKey<Result extends string | object>(
    name: string,
    work: (key: Uint8Array) => Result,
  ): Promise<Result> {
    const result = await this.#useKey(name, work);
    if (result !== null) return result;
    const key = this.#deps.chance.bytes(KEY_BYTES);
    await this.#ring.add(name, key);
    return work(key);
  }
}

/** Per fact: it has few sources, which are rarely edited. */
const MAX_COMPARED = 50;

/** Compares text with a fact's sources. Results are cached by digest, because a comparison needs the fact's key and is slow. */
export class ComparedWords {
  readonly #vault: Pick<FactVault, "hashWords">;
  readonly #compared = new WeakMap<Fact, Map<string, boolean>>();
  /** Message objects never change: an edit creates another one. */
  readonly #digests = new WeakMap<Message, string>();

  constructor(vault: Pick<FactVault, "hashWords">) {
    this.#vault = vault;
  }

  /** Whether a source of the fact had this text when the fact was saved. */
  isSame(fact: Fact, { ref, words }: { readonly ref: string; readonly words: string }): Promise<boolean> {
    return this.#compare(fact, { ref, digest: hash("sha256", words), words: () => words });
  }

  /** Whether a message still has the text that the fact rests on. */
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
    // The fact has ended meanwhile, so nothing is known of it.
    if (found === null) return false;
    if (known.size >= MAX_COMPARED) known.clear();
    const isSame = fact.basis.some((one) => one.ref === ref && one.hash === found);
    known.set(compared, isSame);
    return isSame;
  }
}
