import { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import { type Fact, messagesOf, toFactRef } from "../domain/memory/fact.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import { Serial } from "../domain/serial.ts";
import type { Kept } from "../domain/source.ts";
import type { Clock } from "../ports/clock.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import {
  type FactQuery,
  type FactStore,
  type FactUseRow,
  isTrace,
  recordOf,
  type StoredFact,
} from "../ports/fact-store.ts";
import { citedMessages } from "../ports/stored-source.ts";
import { requireFactsUnder, requireRoom } from "./before-remembering.ts";
import type { MarkedConsent } from "./consent.ts";
import type { ForgetReceipt } from "./end-facts.ts";
import {
  type Ends,
  findTooOld,
  limitsOf,
  planEnds,
  toLimited,
  toRecords,
  withConfirmedAgain,
  withReplaced,
} from "./fact-history.ts";
import type { FactVault } from "./fact-vault.ts";
import { ComparedWords } from "./fact-vault.ts";
import type { FactWatch } from "./fact-watch.ts";
import { subjectOf } from "./key-ring.ts";
import { LookedUpFacts } from "./looked-up-facts.ts";
import { toAudienceRef, toBasis, toFact } from "./seal.ts";

export interface MemoryDeps {
  readonly vault: FactVault;
  readonly facts: FactStore;
  readonly watch: FactWatch;
  readonly consent: MarkedConsent;
  markOf(userId: UserId): string;
  readonly clock: Clock;
  /** Facts up to this time come from a backup; 0 for none. */
  readonly restoredUntil?: number;
}

export type DeletionEvent = Extract<DiscordEvent, { readonly type: "message_delete" | "channel_deleted" }>;

/** Whether there still is a message. Throws when that cannot be known. */
export type HasMessage = (message: MessageRef) => Promise<boolean>;

/** Maximum expired facts per batch. */
const MAX_SWEPT = 1_000;

/** All saved facts. Does not check who may know, save or forget them. Failures are `unavailable`. */
export class Memory {
  readonly #deps: MemoryDeps;
  readonly #lookedUp: LookedUpFacts;
  readonly #words: ComparedWords;
  /** One request at a time, because limits are counted before a fact is stored. */
  readonly #changes = new Serial();

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#lookedUp = new LookedUpFacts(deps);
    this.#words = new ComparedWords(deps.vault);
  }

  /** Grows with every change. Note it before looking facts up. */
  get revision(): number {
    return this.#deps.watch.revision;
  }

  /** All versions of the matching facts, sealed, because most need not be opened. The newest first. */
  find(query: FactQuery): Promise<readonly StoredFact[]> {
    return this.#lookedUp.find(query);
  }

  /** The facts that can still be opened, in the order given. */
  open(stored: readonly StoredFact[]): Promise<readonly Fact[]> {
    return this.#lookedUp.open(stored);
  }

  /** At most one, sealed. */
  findById(id: string): Promise<readonly StoredFact[]> {
    return this.#deps.facts.findByIds([id]);
  }

  async openById(id: string): Promise<Fact | null> {
    return (await this.open(await this.findById(id)))[0] ?? null;
  }

  /** Whether a stronger version replaces it for everyone who may know it. Versions with a smaller audience, or about a person who is left
   * out, must not be noticeable. */
  async isReplaced(fact: Fact): Promise<boolean> {
    const limits = limitsOf(fact);
    const [record = []] = toRecords(await this.#deps.facts.recordsOf([fact.id]));
    const at = record.findIndex(({ row }) => row.id === fact.id);
    for (const one of record.slice(0, Math.max(0, at))) {
      const isForAll = limitsOf(toLimited(one)).isSubsetOf(limits);
      if (isForAll && (await this.open([one])).every((stronger) => this.isConsented(stronger))) return true;
    }
    return false;
  }

  /** Ids of the strongest versions in the records of these facts, for people who may know of all versions. */
  async strongest(facts: readonly Pick<Fact, "id">[]): Promise<ReadonlySet<string>> {
    const records = toRecords(await this.#deps.facts.recordsOf(facts.map(({ id }) => id)));
    return new Set(records.flatMap(([first]) => first?.row.id ?? []));
  }

  /** All versions of facts about one person, or in one server, that have this name, whatever their home. */
  async findNamed({
    scope,
    scopeId,
    guildId,
    name,
  }: Pick<RememberRequest, "scope" | "scopeId" | "guildId" | "name">): Promise<readonly StoredFact[]> {
    const subject = subjectOf({ scope_type: scope, scope_id: scopeId, guild_id: guildId });
    const key = await this.#deps.vault.hashName(subject, name);
    return key === null ? [] : this.#lookedUp.readAll({ scopeType: scope, key });
  }

  /** Throws `forbidden` if there are too many facts already, or if a fact that it rests on has ended. */
  remember(request: RememberRequest): Promise<Fact> {
    return this.#changes.run(async () => {
      try {
        return await this.#remember(request);
      } catch (error) {
        // It may have been stored nevertheless.
        this.#lookedUp.clear();
        throw error;
      } finally {
        this.#deps.watch.note([], "changed");
      }
    });
  }

  /** Permanently deletes these versions, everything they replaced, and the stronger ones by which this person confirmed them again. Safe to
   * repeat. */
  forget(facts: readonly Fact[], by: UserId | null = null): Promise<ForgetReceipt> {
    return this.#changes.run(async () => {
      const { facts: store } = this.#deps;
      const ids = await withConfirmedAgain(facts, by, store, (stored) => this.open(stored));
      return this.#endSome({ gone: withReplaced(ids, await store.recordsOf(ids)) });
    });
  }

  /**
   * Deletes everything about a person, and their id as the writer of facts that others may still use. Facts of others that rest on one of
   * theirs end, too: they would be unreadable forever. The receipt does not count those, which may be private.
   */
  erase(userId: UserId): Promise<ForgetReceipt> {
    return this.#changes.run(async () => {
      const about = await this.#lookedUp.readAll({ subjectId: userId });
      // Only they could know these, whatever the subject.
      const forThem = await this.#lookedUp.readAll({ citing: { type: "person", refs: [userId] } });
      const held = new Map([...about, ...forThem].map((one) => [one.row.id, one]));
      const refs = [...held.values()].map(({ row }) => toFactRef(row));
      const dependents = await this.#lookedUp.readAll({ citing: { type: "memory_fact", refs } });
      const lapsing = new Set(dependents.map(({ row }) => row.id));
      const ended = await this.#endSome({ gone: new Set(held.keys()), lapsing });
      // Even if it fails, it may have been stored.
      await this.#deps.facts.forgetWriter(userId).finally(() => this.#lookedUp.clear());
      this.#deps.watch.note([], "changed");
      const isScrubbed = await this.#deps.facts.scrub().catch(() => false);
      return { ...ended, facts: countFacts(held.values()), isScrubbed: ended.isScrubbed && isScrubbed };
    });
  }

  /** A person asks for the removal of a fact that names them. People decide about it, so nothing else changes. Safe to repeat. */
  askRemoval({ id }: Pick<Fact, "id">, userId: UserId): Promise<void> {
    return this.#changes.run(() => this.#deps.facts.askRemoval({ factId: id, userId, at: this.#deps.clock.now() }));
  }

  /** The people who asked for the removal of these facts, by fact id. */
  removalRequests(facts: readonly Pick<Fact, "id">[]): Promise<ReadonlyMap<string, readonly UserId[]>> {
    return this.#deps.facts.removalRequests(facts.map(({ id }) => id));
  }

  /** Deletes everything shared in a server. Private facts stay. */
  forgetGuild(guildId: GuildId): Promise<ForgetReceipt> {
    return this.#changes.run(async () => {
      const ended = await this.#lookedUp.readAll({ guildId });
      return this.#end({ ended, traces: [] });
    });
  }

  /** Ends expired facts, and facts whose key could not be deleted before; returns the number of expired ones. */
  async sweep(): Promise<number> {
    let count = 0;
    await this.#changes.run(async () => {
      const begun = await this.#deps.facts.ending();
      if (begun.length > 0) await this.#deps.vault.end(begun);
    });
    const seen = new Set<string>();
    for (;;) {
      const ids = await this.#deps.facts.expired(this.#deps.clock.now(), MAX_SWEPT);
      // Facts whose rows cannot be deleted now are left for the next sweep.
      if (ids.every((id) => seen.has(id))) return count;
      for (const id of ids) seen.add(id);
      await this.#changes.run(() => this.#endSome({ lapsing: new Set(ids) }));
      count += ids.length;
    }
  }

  /** A fact ends with the last message that it rests on. The others may have been deleted before: they are looked for. */
  async onEvent(event: DeletionEvent, hasMessage: HasMessage): Promise<void> {
    if (event.type === "channel_deleted") {
      const { channelId } = event;
      const isLeft = (message: MessageRef) => message.channelId !== channelId;
      return this.#endWithout({ citing: { channelId } }, { isLeft, hasMessage });
    }
    const gone = new Set(event.messageIds);
    const isLeft = ({ channelId, messageId }: MessageRef) => channelId !== event.channelId || !gone.has(messageId);
    await this.#endWithout({ citing: citedMessages(event.channelId, event.messageIds) }, { isLeft, hasMessage });
  }

  async #endWithout(
    query: FactQuery,
    { isLeft, hasMessage }: { isLeft(message: MessageRef): boolean; hasMessage: HasMessage },
  ): Promise<void> {
    // A fact that is being stored may rest on it, too.
    await this.#changes.settled();
    for (const stored of await this.#lookedUp.readAll(query)) {
      const messages = messagesOf({ basis: stored.sources.map(toBasis) });
      const left = messages.filter(isLeft);
      // If it rests on no deleted message, earshot.db was edited by hand. A fact with unreadable sources can still end.
      if (left.length === messages.length && stored.sources.length > 0) continue;
      if (left.length > 0 && !(await this.#areGone(stored, { left, hasMessage }))) continue;
      await this.#changes.run(() => this.#endSome({ lapsing: new Set([stored.row.id]) }));
    }
  }

  /** False if unknown: the fact stays, and is not used. */
  async #areGone(
    stored: StoredFact,
    { left, hasMessage }: { left: readonly MessageRef[]; hasMessage: HasMessage },
  ): Promise<boolean> {
    const [fact] = await this.open([stored]);
    // Messages by people who are left out are not found either.
    if (!fact || !this.isConsented(fact)) return false;
    for (const message of left) if (await hasMessage(message).catch(() => true)) return false;
    return true;
  }

  /** Whether neither its subject nor any author of its sources is left out. */
  isConsented({ subjectId, basis }: Pick<Fact, "subjectId" | "basis">): boolean {
    const { consent } = this.#deps;
    if (subjectId !== null && consent.isLeftOut(subjectId)) return false;
    return !basis.some(({ authorMark }) => authorMark !== null && consent.isMarkLeftOut(authorMark));
  }

  /** Whether it comes from a backup: decisions since then, by its owner or others concerned, are lost. */
  isRestored = ({ createdAt }: Pick<Fact, "createdAt">) => createdAt <= (this.#deps.restoredUntil ?? 0);

  async noteKept({ id }: Fact): Promise<void> {
    await this.#deps.facts.noteKept(id, this.#deps.clock.now());
  }

  /** Time of the last `noteKept` by fact id. */
  keptAt(facts: readonly Fact[]): Promise<ReadonlyMap<string, number>> {
    return this.#deps.facts.keptAt(facts.map(({ id }) => id));
  }

  uses(facts: readonly Fact[]): Promise<readonly FactUseRow[]> {
    return this.#deps.facts.uses(facts.map(({ id }) => id));
  }

  stateOf(source: Kept<"fact" | "facts">) {
    return this.#deps.watch.stateOf(source);
  }

  /** Whether a message that a fact rests on still has the text that was read. */
  hasSameWords(fact: Fact, message: Message): Promise<boolean> {
    return this.#words.isSameMessage(fact, message);
  }

  /** Whether a record that a fact rests on still has the version that was read. */
  hasSameVersion(fact: Fact, ref: string, version: string): Promise<boolean> {
    return this.#words.isSame(fact, { ref, words: version });
  }

  /** Throws `forbidden` if there are too many facts already. */
  requireRoom(request: Parameters<typeof requireRoom>[0], replaced: number): Promise<void> {
    return requireRoom(request, replaced, this.#deps.facts);
  }

  async #remember(request: RememberRequest): Promise<Fact> {
    const { scope, scopeId, subjectId, createdBy, home, name, basis } = request;
    const { vault, facts, markOf } = this.#deps;
    await requireFactsUnder(request, facts);
    const audienceRef = toAudienceRef(home);
    // Looked up first: between storing the new value and noting what it ends and replaces, nothing may fail.
    const ending = await facts.recordsOf(request.ends);
    const ends = planEnds(ending, { gone: withReplaced(request.ends, ending) });
    const isSameHome = ({ row }: StoredFact) => row.audience_ref === audienceRef;
    const [before = []] = toRecords((await this.findNamed(request)).filter(isSameHome));
    // Facts by others do not count: the room they make would reveal them.
    const own = [...before, ...(await facts.findByIds(request.ends))].filter(({ row }) => row.created_by === createdBy);
    await this.requireRoom(request, new Set(own.map(recordOf)).size);
    const stored = await vault.add({
      row: {
        scope_type: scope,
        scope_id: scopeId,
        subject_id: subjectId,
        guild_id: request.guildId,
        audience_ref: audienceRef,
        visibility: request.visibility,
        created_by: createdBy,
        verification_status: request.verification,
        confidence: request.confidence,
        expires_at: request.expiresAt,
      },
      content: { name, value: request.value, authorMarks: basis.map(({ authorId }) => authorId && markOf(authorId)) },
      sources: basis.map(({ type, ref, isOwn, words }) => ({ type, ref, isOwn, words })),
      ends: ends.ended.map(({ row }) => row.id),
    });
    const replaced = before.filter((one) => !ends.ended.some(({ row }) => row.id === one.row.id));
    // Readers who may not know the new fact must not notice it: for everyone who read the old ones, these still stand.
    const isReplaced = (one: StoredFact) => limitsOf(request).isSubsetOf(limitsOf(toLimited(one)));
    const noticed = replaced.filter(isReplaced).map(({ row }) => row.id);
    this.#deps.watch.note(noticed, "changed");
    this.#lookedUp.apply({ added: [stored] });
    if (ends.ended.length > 0) await this.#end(ends);
    const tooOld = new Set(findTooOld(replaced).map(({ row }) => row.id));
    if (tooOld.size > 0) await this.#endSome({ gone: tooOld });
    const [opened] = await vault.open(await facts.findByIds([stored.row.id]));
    if (!opened)
      throw new EarshotError("unavailable", "The fact was stored and cannot be read again; look at the list of facts.");
    return toFact(opened);
  }

  /** Ends facts, and those that no reader could know any more then. */
  async #endSome(some: Parameters<typeof planEnds>[1]): Promise<ForgetReceipt> {
    const ids = [...(some.gone ?? []), ...(some.lapsing ?? [])];
    return this.#end(planEnds(await this.#deps.facts.recordsOf(ids), some));
  }

  async #end({ ended, traces }: Ends): Promise<ForgetReceipt> {
    const ids = ended.map(({ row }) => row.id);
    // From now on nothing based on them is sent, even if the files cannot be changed.
    this.#noteEnded(ids, traces);
    try {
      return { facts: countFacts(ended), ...(await this.#deps.vault.end(ids, traces)) };
    } finally {
      // They may have been looked up meanwhile.
      this.#noteEnded(ids, traces);
    }
  }

  #noteEnded(ended: readonly string[], traces: readonly StoredFact[]): void {
    this.#deps.watch.note(ended, "deleted");
    this.#lookedUp.apply({ ended, added: traces });
  }
}

function countFacts(stored: Iterable<StoredFact>): number {
  return [...stored].filter((one) => !isTrace(one)).length;
}
