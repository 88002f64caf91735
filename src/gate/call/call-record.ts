import type { Channel } from "../../domain/guild.ts";
import type { ChannelId, GuildId, MessageId, RoleId } from "../../domain/ids.ts";
import { type Fact, toFactReading, toFactRef } from "../../domain/memory/fact.ts";
import type { Message } from "../../domain/message.ts";
import { toMessageReading } from "../../domain/message.ts";
import { type FactSet, RECORD_TYPES, type RecordKind, type Source } from "../../domain/source.ts";
import { extractLinksWithTrimmed } from "../../domain/text/links.ts";
import type { Audit } from "../../policy/audit.ts";
import type { CallRefusal, Decision, DecisionInput } from "../../policy/decide.ts";
import type { Operation } from "../../policy/operation.ts";
import type { AuditEntry } from "../../ports/audit-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AllowedRead } from "../../ports/packed-reads.ts";
import { kindOf } from "../../sources/kinds/index.ts";
import { Label } from "../../sources/label.ts";
import type { OperationIds } from "./audit-rows.ts";
import { type Loaded, MAX_SOURCES, toFactTarget, toInputs, toReads, toScope } from "./audit-rows.ts";

export interface RecordDeps {
  readonly audit: Audit;
  readonly clock: Clock;
  /** Created when something is first decided or read. */
  ids(): OperationIds;
}

export interface RecordRead {
  readonly content: string;
  readonly roles: ReadonlySet<RoleId> | undefined;
}

interface FactRead extends Pick<RecordRead, "roles"> {
  /** The memory's revision when the fact was looked up. */
  readonly revision: number;
}

const ALLOWED: Decision = { allowed: true, failed: null, reason: "all_checks_passed" };

/** The decisions and reads of one call. A read counts, and is written to the audit, when the call returns it. */
export class CallRecord {
  readonly #operation: Operation;
  readonly #tool: string;
  readonly #deps: RecordDeps;
  /** Each source once, by its kind and key. */
  readonly #sources = new Map<unknown, Source>();
  /** The messages read that the answer contains; null for all of them. */
  #shown: ReadonlySet<MessageId> | null = null;
  readonly #loaded: Loaded[] = [];
  /** Allowed reads that are not in the audit yet. */
  readonly #allowed: AllowedRead[] = [];
  readonly #begunAt: number;
  /** Messages examined. */
  scanned = 0;

  constructor({ operation, tool }: { operation: Operation; tool: string }, deps: RecordDeps) {
    this.#operation = operation;
    this.#tool = tool;
    this.#deps = deps;
    this.#begunAt = deps.clock.now();
  }

  /** Records a decision, unless it was recorded within this operation before; returns its id. */
  decided(id: ChannelId, question: DecisionInput, decision: Decision): string {
    const { effect, roles } = question;
    // Most decisions are allowed reads. Their other inputs are in the operation and its earlier sources, or true.
    const isAllowedRead = decision.allowed && effect === "read";
    const inputs = isAllowedRead ? { roles: roles && [...roles] } : toInputs(question, this.#operation.label);
    return this.#decide(`channel:${id}`, decision, { effect, inputs });
  }

  /** Records that the tool itself was refused, independent of any channel. */
  refused(reason: CallRefusal): void {
    this.#decide(`tool:${this.#tool}`, { allowed: false, failed: "scope", reason }, { effect: "call", inputs: {} });
  }

  /**
   * Records the channels that a search covers, with or without hits. They join the operation's label at once, because even progress, or the
   * absence of hits, reveals a little. `read` records the hits.
   */
  searched(channelIds: readonly ChannelId[]): void {
    const sources = channelIds.map((channelId) => ({ kind: "searched" as const, channelId }));
    for (const source of sources) this.#add(source);
    this.#operation.label.add(sources, this.#deps.clock.now());
    // The label of a confined client is restored from the audit after a restart, so it needs every channel.
    const most = this.#operation.client.grant.confined ? channelIds.length : MAX_SOURCES;
    this.event("searched", { channels: channelIds.length, channel_ids: channelIds.slice(0, most) });
  }

  /** Begins a read of one channel, which counts as told at once: even progress comes from this channel alone. */
  enter(channelId: ChannelId): void {
    const sources = [{ kind: "told" as const, channelId }];
    for (const source of sources) this.#add(source);
    this.#operation.label.add(sources, this.#deps.clock.now());
  }

  /** Drops everything read so far, because it is not returned. */
  forget(): void {
    this.#sources.clear();
    this.#loaded.length = 0;
  }

  read(channel: Channel, messages: readonly Message[], decisionId: string): void {
    this.#add({ kind: "told", channelId: channel.id });
    const scope = { type: "channel", id: channel.id } as const;
    for (const message of messages) {
      this.#add({ kind: "message", ...toMessageReading(message) });
      const { content, edited_ts } = message;
      const ref = `${message.channel_id}/${message.message_id}${edited_ts === null ? "" : `@${edited_ts}`}`;
      this.#loaded.push({ type: "discord_message", ref, content, scope, decisionId });
    }
  }

  /** Marks the messages whose ids occur in the answer as shown. If none occurs, all count as shown. */
  answers(value: unknown): void {
    const ids = new Set([...this.#sources.values()].flatMap((one) => (one.kind === "message" ? one.messageId : [])));
    const shown = new Set<MessageId>();
    const collect = (part: unknown): void => {
      if (typeof part === "string" && ids.has(part as MessageId)) shown.add(part as MessageId);
      if (typeof part === "object" && part !== null) for (const inner of Object.values(part)) collect(inner);
    };
    if (ids.size > 0) collect(value);
    this.#shown = shown.size > 0 ? shown : null;
  }

  /** A channel's name and topic count as read. */
  named(channel: Channel, decisionId: string): void {
    this.#add({ kind: "told", channelId: channel.id });
    const content = `${channel.name}\n${channel.topic ?? ""}`;
    const scope = { type: "channel", id: channel.id } as const;
    const type = channel.thread ? "discord_thread" : "discord_channel";
    this.#loaded.push({ type, ref: channel.id, content, scope, decisionId });
  }

  /** A server's name, and that the actor is in it. */
  namedGuild(id: GuildId, name: string): void {
    this.#add({ kind: "server", guildId: id });
    const decisionId = this.#allowRead(`guild:${id}`);
    this.#loaded.push({ type: "discord_guild", ref: id, content: name, scope: { type: "guild", id }, decisionId });
  }

  /** Records facts that were compared with a query, even if only some are returned. They join the operation's label at once. */
  consider(set: FactSet, revision: number): void {
    const sources = [{ kind: "facts" as const, set, revision }];
    for (const source of sources) this.#add(source);
    this.#operation.label.add(sources, this.#begunAt);
    // The label of a confined client is restored from the audit after a restart. Only the fact of a comparison is noted, because the audit
    // does not contain the audience of facts.
    if (set.ids.size > 0 && this.#operation.client.grant.confined)
      this.event("facts_compared", { facts: set.ids.size });
  }

  /**
   * Records a decision about a fact; facts of one subject and audience share a decision, as messages of one channel do. The hash is of the
   * sealed form: once the fact's key is deleted, a short value cannot be guessed from the hash.
   */
  readFact(fact: Fact, { revision, roles }: FactRead): void {
    this.#add({ kind: "fact", ...toFactReading(fact, revision) });
    const decisionId = this.#allowRead(toFactTarget(fact, this.#operation), roles);
    const scope = toScope(fact.guildId, fact.guildId ?? fact.scopeId);
    const content = JSON.stringify(fact.value);
    this.#loaded.push({ type: "memory_fact", ref: toFactRef(fact), content, sealed: fact.sealed, scope, decisionId });
  }

  /** Records that a call searched, or on which its results rest. They join the operation's label at once. */
  considerRecords(records: readonly Source<RecordKind>[]): void {
    if (records.length === 0) return;
    for (const record of records) this.#add(record);
    this.#operation.label.add(records, this.#begunAt);
    const refs = records.map(({ kind, ref }) => `${RECORD_TYPES[kind]} ${ref}`);
    // The label of a confined client is restored from the audit after a restart, so it needs every record.
    const most = this.#operation.client.grant.confined ? refs.length : MAX_SOURCES;
    this.event("records_searched", { records: refs.length, record_refs: refs.slice(0, most) });
  }

  /** Records a record that was decided about, with its text. */
  readRecord(record: Source<RecordKind>, { content, roles }: RecordRead): void {
    const { kind, ref, guildId, subjectId } = record;
    const type = RECORD_TYPES[kind];
    this.#add(record);
    const decisionId = this.#allowRead(`${type}:${ref}`, roles);
    const scope = toScope(guildId, subjectId ?? this.#operation.actor);
    this.#loaded.push({ type, ref, content, scope, decisionId });
  }

  event(name: string, detail: Readonly<Record<string, unknown>>): void {
    const row = {
      operation_id: this.#operation.id,
      name,
      detail_json: JSON.stringify({ tool: this.#tool, ...detail }),
      happened_at: this.#deps.clock.now(),
    };
    this.#note({ kind: "event", row });
  }

  get hasRead(): boolean {
    return this.#loaded.length > 0;
  }

  /** Everything that the call read, as a label of its own, dated when the call began. */
  get label(): Label {
    const label = new Label();
    label.add(this.#listSources(), this.#begunAt);
    return label;
  }

  /** Sets of compared facts come first, because they replace single facts. */
  #listSources(): Source[] {
    const shown = this.#shown;
    const all = [...this.#sources.values()].map((source) =>
      source.kind === "message" && shown ? { ...source, isShown: shown.has(source.messageId) } : source,
    );
    return [...all.filter(({ kind }) => kind === "facts"), ...all.filter(({ kind }) => kind !== "facts")];
  }

  /** Messages use their id as the key without a prefix, because they are the most numerous. */
  #add(source: Source): void {
    const key = source.kind === "message" ? source.messageId : kindOf(source).key(source);
    const isOwn = source.kind === "message" || typeof key !== "string";
    this.#sources.set(isOwn ? key : `${source.kind} ${key}`, source);
  }

  commit(): void {
    const { label } = this.#operation;
    const now = this.#deps.clock.now();
    const loaded = this.#loaded.filter((one) => this.#deps.ids().isNewSource(one));
    this.#noteReads(loaded);
    const links = loaded.flatMap(({ content }) => extractLinksWithTrimmed(content));
    label.addLinks(links, now);
    // Sources count as read when the call began: a deletion missed while the call waited for Discord may concern one of its messages.
    // Compared facts joined the label at the comparison; the actor may have been asked to start over since.
    const sources = this.#listSources();
    label.add(sources.filter(isPlace), now);
    label.add(
      sources.filter((source) => !isPlace(source)),
      this.#begunAt,
    );
  }

  /** Marks everything read as contained in an answer. Items that may no longer be known never get here. */
  told(): void {
    for (const { type, ref, scope } of this.#loaded) {
      const id = toSourceId(type, ref);
      if (type !== "discord_message" || this.#shown?.has(id as MessageId) !== false)
        this.#deps.ids().tell({ type, id, scope });
    }
  }

  #allowRead(target: string, roles?: ReadonlySet<RoleId>): string {
    return this.#decide(target, ALLOWED, { effect: "read", inputs: { roles: roles && [...roles] } });
  }

  #decide(target: string, decision: Decision, { effect, inputs }: { effect: string; inputs: object }): string {
    const { clock, ids } = this.#deps;
    const { id, isNew } = ids().decision(`${this.#tool} ${effect} ${target}`, decision);
    if (!isNew) return id;
    if (decision.allowed && effect === "read") {
      this.#allowed.push({ id, target, inputs });
      // The label of a confined client is restored from the audit after a restart, and even progress tells it something.
      if (this.#operation.client.grant.confined) this.#noteReads([]);
      return id;
    }
    const { allowed, failed: failed_check, reason } = decision;
    const call = { operation_id: this.#operation.id, tool: this.#tool, decided_at: clock.now() };
    const decided = { effect, target, allowed, failed_check, reason, inputs_json: JSON.stringify(inputs) };
    this.#note({ kind: "decision", row: { id, ...call, ...decided } });
    return id;
  }

  #noteReads(loaded: readonly Loaded[]): void {
    const decisions = this.#allowed.splice(0);
    if (decisions.length + loaded.length === 0) return;
    const { audit, clock } = this.#deps;
    const row = { operation_id: this.#operation.id, tool: this.#tool, read_at: clock.now() };
    this.#note({ kind: "reads", row: { ...row, ...toReads(decisions, loaded, audit) } });
  }

  #note(entry: AuditEntry): void {
    this.#deps.audit.note(entry, { isAhead: this.#operation.client.postsAnswers });
  }
}

function isPlace({ kind }: Source): boolean {
  return kind === "told" || kind === "searched" || kind === "server";
}

/** A message's own id, or a fact's id without its version. */
function toSourceId(type: string, ref: string): string {
  const end = ref.indexOf("@");
  return ref.slice(type === "discord_message" ? ref.indexOf("/") + 1 : 0, end === -1 ? undefined : end);
}
