import { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import { type Fact, messagesOf, normaliseName } from "../domain/memory/fact.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import { Serial } from "../domain/serial.ts";
import type { Kept } from "../domain/source.ts";
import type { Clock } from "../ports/clock.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import type { FactQuery, FactStore, FactUseRow, StoredFact } from "../ports/fact-store.ts";
import { citedMessages } from "../ports/stored-source.ts";
import { requireFactsUnder, requireRoom } from "./before-remembering.ts";
import type { MarkedConsent } from "./consent.ts";
import type { Followers, ForgetReceipt } from "./end-facts.ts";
import {
  findDependents,
  findFollowers,
  findLapsing,
  findTooOld,
  limitsOf,
  toLimited,
  withConfirmedAgain,
  withHistory,
} from "./fact-history.ts";
import type { FactVault } from "./fact-vault.ts";
import { ComparedWords } from "./fact-vault.ts";
import type { FactWatch } from "./fact-watch.ts";
import { follow, LookedUpFacts } from "./looked-up-facts.ts";
import { type OpenedFact, toAudienceRef, toBasis, toFact } from "./seal.ts";

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

  /** All matching facts, sealed, because most need not be opened. The newest first. */
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

  /** Whether a later fact supersedes it for everyone who may know it. Later facts with a smaller audience, or about a person who is left
   * out, must not be noticeable. */
  async isFollowed(fact: Fact): Promise<boolean> {
    const limits = limitsOf(fact);
    const looked = new Set<string>();
    for (let next = fact.supersededBy; next !== null && !looked.has(next); ) {
      looked.add(next);
      const [follower] = await this.findById(next);
      if (!follower) return false;
      const isForAll = limitsOf(toLimited(follower)).isSubsetOf(limits);
      if (isForAll && (await this.open([follower])).every((one) => this.isConsented(one))) return true;
      next = follower.row.superseded_by;
    }
    return false;
  }

  /**
   * Facts of one subject and name, the newest first. For a project, also those of the same home channel from its time in another project,
   * and those that `isSameProject` accepts: names are hashed per subject, so these must be opened to compare them.
   */
  async findNamed(
    { scope, scopeId, guildId, home, name }: Pick<RememberRequest, "scope" | "scopeId" | "guildId" | "home" | "name">,
    {
      isSameProject,
      ...more
    }: Pick<FactQuery, "withSuperseded"> & { readonly isSameProject?: (fact: StoredFact) => boolean } = {},
  ): Promise<readonly StoredFact[]> {
    const { vault } = this.#deps;
    const key = await vault.hashName({ scope_type: scope, scope_id: scopeId }, name);
    const named = key === null ? [] : await this.#lookedUp.readAll({ scopeType: scope, scopeId, key, ...more });
    if (scope !== "project" || guildId === null) return named;
    const audienceRef = toAudienceRef(home) ?? "";
    const elsewhere = isSameProject
      ? (await this.#lookedUp.readAll({ scopeType: scope, guildId, ...more })).filter(
          (one) => one.row.scope_id !== scopeId && (one.row.audience_ref === audienceRef || isSameProject(one)),
        )
      : await this.#lookedUp.readAll({ scopeType: scope, audienceRef, otherThanScopeId: scopeId, ...more });
    const isSame = ({ content }: OpenedFact) => normaliseName(content.name) === normaliseName(name);
    const moved = (await vault.open(elsewhere)).filter(isSame).map(({ fact }) => fact);
    return [...named, ...moved].sort((one, other) => other.row.created_at - one.row.created_at);
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

  /** Permanently deletes these facts, everything they superseded, and the later facts by which this person confirmed them again. Safe to
   * repeat. */
  forget(facts: readonly Fact[], by: UserId | null = null): Promise<ForgetReceipt> {
    return this.#changes.run(async () => {
      const ids = await withConfirmedAgain(facts, by, (id) => this.openById(id));
      return this.#end(await withHistory(ids, this.#deps.facts));
    });
  }

  /**
   * Deletes everything about a person, and their id as the writer of facts that others may still use. Facts of others that rest on one of
   * theirs end, too: they would be unreadable forever. The receipt does not count those, which may be private.
   */
  erase(userId: UserId): Promise<ForgetReceipt> {
    return this.#changes.run(async () => {
      const about = await this.#lookedUp.readAll({ subjectId: userId, withSuperseded: true });
      // Only they could know these, whatever the subject.
      const forThem = await this.#lookedUp.readAll({
        citing: { type: "person", refs: [userId] },
        withSuperseded: true,
      });
      const ids = new Set([...about, ...forThem].map(({ row }) => row.id));
      const dependents = await findDependents(ids, this.#deps.facts, this.#lookedUp);
      const lapsing = [...dependents, ...forThem.map(({ row }) => row.id)];
      const ended = await this.#lapse(lapsing, ids);
      // Even if it fails, it may have been stored.
      await this.#deps.facts.forgetWriter(userId).finally(() => this.#lookedUp.clear());
      this.#deps.watch.note([], "changed");
      const isScrubbed = await this.#deps.facts.scrub().catch(() => false);
      return { ...ended, facts: ids.size, isScrubbed: ended.isScrubbed && isScrubbed };
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
      const shared = await this.#lookedUp.readAll({ guildId, withSuperseded: true });
      return this.#end(shared.map(({ row }) => row.id));
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
      await this.#changes.run(() => this.#lapse(ids));
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
    for (const stored of await this.#lookedUp.readAll({ ...query, withSuperseded: true })) {
      const messages = messagesOf({ basis: stored.sources.map(toBasis) });
      const left = messages.filter(isLeft);
      // If it rests on no deleted message, earshot.db was edited by hand. A fact with unreadable sources can still end.
      if (left.length === messages.length && stored.sources.length > 0) continue;
      if (left.length > 0 && !(await this.#areGone(stored, { left, hasMessage }))) continue;
      await this.#changes.run(() => this.#lapse([stored.row.id]));
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
    const all = await this.findNamed(request, { withSuperseded: true });
    const isReplaced = ({ row }: StoredFact) => row.superseded_by === null && row.audience_ref === audienceRef;
    const supersedes = all.filter(isReplaced).map(({ row }) => row.id);
    // Facts by others do not count: the room they make would reveal them.
    const own = (await facts.findByIds([...supersedes, ...request.ends])).filter(
      ({ row }) => row.created_by === createdBy,
    );
    await this.requireRoom(request, own.length);
    const ends = await withHistory(request.ends, facts);
    const superseded = supersedes.filter((id) => !request.ends.includes(id));
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
      supersedes: superseded,
      ends,
    });
    const followers = new Map(superseded.map((id) => [id, stored.row.id]));
    const history = all.filter(({ row }) => !ends.includes(row.id)).map((one) => follow(one, followers));
    // Readers who may not know the new fact must not notice it: for everyone who read the old ones, these still stand.
    const limits = limitsOf(request);
    const isFollowed = (one: StoredFact) =>
      one.row.audience_ref === audienceRef && limits.isSubsetOf(limitsOf(toLimited(one)));
    this.#deps.watch.note(
      history.filter(isFollowed).map(({ row }) => row.id),
      "changed",
    );
    this.#lookedUp.apply({ added: stored, superseded: followers });
    if (ends.length > 0) await this.#end(ends);
    const tooOld = findTooOld(history);
    if (tooOld.size > 0) await this.#end([...tooOld], findFollowers(history, tooOld));
    const [opened] = await vault.open(await facts.findByIds([stored.row.id]));
    if (!opened)
      throw new EarshotError("unavailable", "The fact was stored and cannot be read again; look at the list of facts.");
    return toFact(opened);
  }

  /** Ends facts without a person's request, together with some that a person chose to forget. */
  async #lapse(ids: readonly string[], ended: ReadonlySet<string> = new Set()): Promise<ForgetReceipt> {
    const history = await this.#deps.facts.findByIds(await withHistory(ids, this.#deps.facts));
    const ending = ended.union(findLapsing(history, new Set(ids)));
    return this.#end([...ending], findFollowers(history, ending));
  }

  async #end(ids: readonly string[], followers: Followers = new Map()): Promise<ForgetReceipt> {
    // From now on nothing based on them is sent, even if the files cannot be changed.
    this.#noteEnded(ids, followers);
    try {
      return { facts: ids.length, ...(await this.#deps.vault.end(ids, followers)) };
    } finally {
      // They may have been looked up meanwhile.
      this.#noteEnded(ids, followers);
    }
  }

  #noteEnded(ids: readonly string[], superseded: Followers): void {
    this.#deps.watch.note(ids, "deleted");
    this.#lookedUp.apply({ ended: ids, superseded });
  }
}
