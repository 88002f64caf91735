import { throwIfCancelled } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Fact, messagesOf, normaliseName, recordsUnder } from "../../domain/memory/fact.ts";
import { toFactSet } from "../../domain/memory/fact-set.ts";
import { type Rankable, rankFacts } from "../../domain/memory/rank-facts.ts";
import type { RecordKind, Source } from "../../domain/source.ts";
import type { OpenPace } from "../../domain/steps/pace.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";
import { toLimited } from "../../memory/fact-history.ts";
import type { Memory } from "../../memory/memory.ts";
import { nameProject } from "../../policy/apply-rules.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { FactQuery, StoredFact } from "../../ports/fact-store.ts";
import type { ProfileValue } from "../../ports/profile-source.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import type { Timelines } from "../../ports/timelines.ts";
import type {
  FactsView,
  FoundFacts,
  HeardFact,
  HeardFacts,
  HeardField,
  HeardPerson,
  HeardProfile,
  ProfileField,
} from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { NameFinder } from "../find/name-finder.ts";
import { type BasisState, checkBasis, readVersion, restsOnMore } from "./check-basis.ts";
import { decideFacts, openCurrent, pickStrongest } from "./current-facts.ts";

export interface FactReadsDeps {
  /** Null if facts are not stored. */
  readonly memory: Memory | null;
  readonly discord: Discord;
  readonly timelines: Pick<Timelines, "message">;
  readonly records: RecordKinds;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly openPace: OpenPace;
  isLeftOut(userId: UserId): boolean;
}

export interface FactCall extends ReadParts {
  readonly operation: Operation;
  readonly signal: AbortSignal | undefined;
}

interface FactReadsCall extends FactCall {
  finder(): { readonly names: NameFinder };
  profiles(): { read(person: UserId, isWanted: (key: string) => boolean): Promise<HeardProfile> };
}

/** Maximum facts per call, which is also the maximum about one person. */
const MAX_FACTS = 500;

/** The facts within one call: each fact passes the five checks, and a fact that passes counts as read. */
export class FactReads implements FactsView {
  readonly #call: FactReadsCall;
  readonly #deps: FactReadsDeps;
  readonly #under = new Map<string, readonly Source<RecordKind>[]>();

  constructor(call: FactReadsCall, deps: FactReadsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /**
   * The current facts that match any query and may be used here, for each query the newest first. Only these decide which one of several is
   * current: a newer hidden fact does not replace an older one.
   */
  async read(queries: readonly FactQuery[], isWanted: (fact: Fact) => boolean): Promise<HeardFacts> {
    const revision = this.#deps.memory?.revision ?? 0;
    const all: Fact[] = [];
    for (const query of queries) all.push(...(await this.#current(query)).filter(isWanted));
    const hasMore = all.length > MAX_FACTS;
    // That there are more discloses something about all of them.
    if (hasMore) this.#consider(all, revision);
    return { facts: await this.#tell(all.slice(0, MAX_FACTS), revision), hasMore };
  }

  /** Profile values replace some of the facts. */
  async about(person: string | undefined, key: string | undefined): Promise<HeardPerson> {
    const { operation, finder, profiles } = this.#call;
    const subjectId = person === undefined ? operation.actor : await finder().names.person(person);
    const isWanted = toKeyFilter(key);
    const { fields, isUnavailable } = await profiles().read(subjectId, (name) => isWanted({ name }));
    const { facts: heard, hasMore } = await this.read([{ scopeType: "user", subjectId }], isWanted);
    const preferred = preferProfile(
      fields,
      heard.map(({ fact }) => fact),
    );
    const left = new Set(preferred.facts);
    return {
      facts: heard.filter(({ fact }) => left.has(fact)),
      profile: preferred.fields,
      hasMore,
      isActor: subjectId === operation.actor,
      isProfileUnavailable: isUnavailable,
    };
  }

  async shared(key: string | undefined, server: string | undefined): Promise<HeardFacts> {
    const guildIds = await this.#call.finder().names.guilds(server);
    const scopes = ["project", "org"] as const;
    const queries = guildIds.flatMap((guildId) => scopes.map((scopeType) => ({ scopeType, guildId })));
    return this.read(queries, toKeyFilter(key));
  }

  async search(words: string, limit: number): Promise<FoundFacts> {
    const { fields: profile, isUnavailable } = await this.#call.profiles().read(this.#call.operation.actor, () => true);
    const { guildId } = this.#call.access.here;
    const revision = this.#deps.memory?.revision ?? 0;
    const own = await this.#current({ subjectId: this.#call.operation.actor });
    const shared = guildId === null ? [] : await this.#current({ guildId });
    const facts = [...new Map([...own, ...shared].map((fact) => [fact.id, fact])).values()];
    // All of them influence the ranking, so all of them limit the answer.
    this.#consider(facts, revision);
    const people = new Set(profile.map(({ person }) => person));
    const about = facts.filter(({ subjectId }) => subjectId !== null && people.has(subjectId));
    const { fields, facts: kept } = preferProfile(profile, about);
    const replaced = new Set(about).difference(new Set(kept));
    const left = facts.filter((fact) => !replaced.has(fact));
    const best = (await this.#rank<Fact | RankedField>(words, [...left, ...fields.map(toRanked)])).slice(0, limit);
    const told = await this.#tell(
      best.flatMap((one) => ("field" in one ? [] : one)),
      revision,
    );
    const heard = new Map(told.map((one) => [one.fact.id, one]));
    const found = best.flatMap((one) => ("field" in one ? one.field : (heard.get(one.id) ?? [])));
    return { found, isProfileUnavailable: isUnavailable };
  }

  /**
   * Facts shared in the server of the request that have a word in common with it, the best first. Never private ones, which are returned
   * only on request. Facts without a common word change nothing here, so they limit nothing.
   */
  async fit(words: string, limit: number): Promise<readonly HeardFact[]> {
    const { guildId } = this.#call.access.here;
    if (guildId === null) return [];
    const revision = this.#deps.memory?.revision ?? 0;
    const shared = await this.#current({ guildId });
    const fitting = await this.#rank(words, await this.#rank(words, shared));
    this.#consider(fitting, revision);
    return this.#tell(fitting.slice(0, limit), revision);
  }

  /** Thousands of facts may be ranked for the first time, so this yields to other work. */
  #rank<Item extends Rankable>(words: string, facts: readonly Item[]): Promise<Item[]> {
    const pace = this.#deps.openPace(() => throwIfCancelled(this.#call.signal));
    return pace.run(rankFacts(words, facts, pace));
  }

  async #current(query: FactQuery): Promise<readonly Fact[]> {
    const { memory } = this.#deps;
    if (!memory) return [];
    const stored = await memory.find(query);
    await this.#learn(stored);
    // Decided without opening, so hidden facts stay sealed.
    const mayHear = this.#decideFacts();
    const audible = stored.filter((one) => mayHear(toLimited(one)));
    const open = await openCurrent(audible, memory);
    const resting = open.filter((fact) => restsOnMore(fact) || memory.isRestored(fact));
    const bases = await this.#checkBases(resting, memory);
    return this.#listHeard(open, bases, memory);
  }

  /** At this moment. Facts with changed sources are returned to their owner only. */
  #listHeard(open: readonly Fact[], bases: ReadonlyMap<Fact, BasisState>, memory: Memory): readonly Fact[] {
    const { rules, discord } = this.#deps;
    const mayHear = this.#decideFacts();
    const heard = open.flatMap((fact) => {
      if (!memory.isConsented(fact) || !mayHear(fact)) return [];
      const basis = bases.get(fact) ?? "standing";
      return basis === "standing" ? fact : (this.#hearOwn(fact, basis) ?? []);
    });
    return pickStrongest(heard, { rules, directory: discord.directory });
  }

  #decideFacts(): ReturnType<typeof decideFacts> {
    const { operation, access } = this.#call;
    const mayHear = access.mayHear.bind(access);
    return decideFacts({ actor: operation.actor, mayHear }, { ...this.#deps, directory: this.#deps.discord.directory });
  }

  /** Records compared, shown or counted facts, with the records that they rest on. */
  #consider(facts: readonly Fact[], revision: number): void {
    const set = toFactSet(facts);
    this.#call.record.consider(set, revision);
    this.#call.record.considerRecords([...this.#under].flatMap(([id, records]) => (set.ids.has(id) ? records : [])));
  }

  /**
   * The records that a fact rests on, in their current version: later changes withdraw the fact, too. The current audience of a record
   * limits the answer, and sharing a fact cannot widen it.
   */
  async #readUnder(fact: Fact): Promise<readonly Source<RecordKind>[]> {
    const readings: Source<RecordKind>[] = [];
    for (const record of recordsUnder(fact)) {
      const version = await readVersion(record, this.#deps.records).catch(() => null);
      const held = this.#deps.records[record.kind];
      const audience = held?.audienceOf(record.ref);
      const audiences = audience ? [audience] : [];
      const subjectId = held?.subjectOf(record.ref) ?? null;
      readings.push({ ...record, version: version ?? "", subjectId, guildId: null, audiences });
    }
    return readings;
  }

  async #tell(facts: readonly Fact[], revision: number): Promise<readonly HeardFact[]> {
    for (const fact of facts) {
      const roles = this.#call.access.rolesIn(fact.guildId);
      this.#call.record.considerRecords(this.#under.get(fact.id) ?? []);
      this.#call.record.readFact(fact, { revision, roles });
    }
    return facts.map((fact) => ({ fact, links: this.#links(fact), project: this.#projectName(fact) }));
  }

  #projectName({ scope, home }: Fact): string | null {
    const { rules, discord } = this.#deps;
    return scope === "project" ? nameProject(home, { rules, directory: discord.directory }) : null;
  }

  /** Links to its messages, if the readers of the answer may read them. */
  #links(fact: Fact): string[] {
    const { directory } = this.#deps.discord;
    return messagesOf(fact).flatMap(({ channelId, messageId }) => {
      if (!this.#call.access.mayReadBack(channelId)) return [];
      // A link discloses the channel.
      this.#call.record.enter(channelId);
      const guildId = directory.channel(channelId)?.guildId;
      return [toMessageLink({ guildId, channelId, messageId }, directory.web)];
    });
  }

  /** Memberships of the actor and of the facts' subjects must be known before any decision. */
  async #learn(stored: readonly StoredFact[]): Promise<void> {
    const { directory } = this.#deps.discord;
    const { actor } = this.#call.operation;
    // A person who cannot be looked up counts as absent.
    for (const [guildId, facts] of Map.groupBy(stored, ({ row }) => row.guild_id)) {
      if (guildId === null) continue;
      const people = new Set(facts.map(({ row }) => row.subject_id ?? actor)).add(actor);
      for (const id of people) await directory.learnMember(id, guildId).catch(() => {});
    }
  }

  async #checkBases(facts: readonly Fact[], memory: Memory): Promise<ReadonlyMap<Fact, BasisState>> {
    const bases = new Map<Fact, BasisState>();
    for (const fact of facts) {
      const under = await this.#readUnder(fact);
      if (under.length > 0) this.#under.set(fact.id, under);
      bases.set(fact, await checkBasis(fact, { ...this.#deps, memory }, this.#call.signal));
    }
    return bases;
  }

  /** A fact with an edited basis, or from a backup, is returned only to its owner until they confirm it again. Null if it may not be
   * used here. */
  #hearOwn(fact: Fact, basis: BasisState): Fact | null {
    const { actor } = this.#call.operation;
    if ((basis !== "edited" && basis !== "restored") || fact.subjectId !== actor || !this.#isPrivate) return null;
    const owner = { type: "person", ref: actor, hash: "", isOwn: false, authorMark: null } as const;
    return { ...fact, basis: [...fact.basis, owner] };
  }

  get #isPrivate(): boolean {
    const { readers } = this.#call.access;
    return readers.every((group) => group.kind === "people" && group.people.size === 1);
  }
}

interface RankedField extends Rankable {
  readonly field: HeardField;
}

/** In a tie, the profile comes first. */
function toRanked(field: HeardField): RankedField {
  const { key: name, value, origin } = field;
  return { id: `${origin}/${name}`, name, value, createdAt: Number.MAX_SAFE_INTEGER, field };
}

/**
 * A profile takes precedence over facts of the same key about that person; the answer only notes whether they differ. Both only as far as
 * they may be used here: hidden ones neither replace nor are replaced.
 */
function preferProfile(
  fields: readonly ProfileField[],
  facts: readonly Fact[],
): { readonly fields: readonly HeardField[]; readonly facts: readonly Fact[] } {
  const isReplaced = (fact: Fact, { person, key }: ProfileField) =>
    fact.scope === "user" && fact.subjectId === person && normaliseName(fact.name) === normaliseName(key);
  return {
    fields: fields.map((field) => {
      const replaced = facts.filter((fact) => isReplaced(fact, field));
      const factsDiffer = replaced.length === 0 ? null : replaced.some(({ value }) => !isSame(value, field.value));
      return { ...field, factsDiffer };
    }),
    facts: facts.filter((fact) => !fields.some((field) => isReplaced(fact, field))),
  };
}

function isSame(remembered: unknown, value: ProfileValue): boolean {
  if (typeof remembered === "object") return false;
  return normaliseName(String(remembered)) === normaliseName(String(value));
}

/** Names are compared without regard to case. */
function toKeyFilter(key: string | undefined): (fact: Pick<Fact, "name">) => boolean {
  return ({ name }) => key === undefined || normaliseName(name) === normaliseName(key);
}
