import { toAudienceKey } from "../../domain/audience.ts";
import type { ChannelId, GuildId, MessageId } from "../../domain/ids.ts";
import { audiencesOf, type Fact } from "../../domain/memory/fact.ts";
import type { Message } from "../../domain/message.ts";
import { createDisplayNames, type DisplayNames } from "../../domain/names/resolve-name.ts";
import { escapeName } from "../../domain/text/escape.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Audit } from "../../policy/audit.ts";
import type { Decision, DecisionInput } from "../../policy/decide.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Discord } from "../../ports/discord.ts";
import { type AllowedRead, type PackedSource, packReads } from "../../ports/packed-reads.ts";
import type { Label } from "../../sources/label.ts";

/** An item that a call read. */
export interface Loaded extends Omit<PackedSource, "tokens"> {
  readonly content: string;
  /** Hashed instead of the content. */
  readonly sealed?: string;
}

/** Maximum per row. */
export const MAX_SOURCES = 50;
/** 128 bits: enough to prevent finding other texts with the same keyed hash. */
const HASH_LENGTH = 32;

/** Everything that a call newly read and was allowed to read, for one row. */
export function toReads(decisions: readonly AllowedRead[], loaded: readonly Loaded[], audit: Pick<Audit, "hash">) {
  const texts = JSON.stringify(loaded.map(({ sealed, content }) => sealed ?? content));
  const sources = loaded.map((one) => ({ ...one, tokens: estimateTokens(one.content) }));
  return { texts_hash: audit.hash(texts).slice(0, HASH_LENGTH), reads_json: packReads(decisions, sources) };
}

/** All inputs of a decision, with what the operation has read so far. */
export function toInputs(question: DecisionInput, { channels, integrity }: Label): object {
  const { origin, destination, roles, actorReads, botReads } = question;
  const read = [...channels].slice(0, MAX_SOURCES);
  const held = roles && [...roles];
  return { origin, destination: destination ?? "actor", roles: held, actorReads, botReads, read, integrity };
}

/** The scope of an item: a server, else a person. */
export function toScope(guildId: GuildId | null | undefined, personId: string): Loaded["scope"] {
  return guildId ? { type: "guild", id: guildId } : { type: "person", id: personId };
}

/** Such as `facts of actor for person` or `facts of project:5 for channel:7`. Decision rows never name people. */
export function toFactTarget(fact: Fact, { actor }: Pick<Operation, "actor">): string {
  const { scope, scopeId, subjectId } = fact;
  const person = subjectId === actor ? "actor" : "person";
  const audiences = audiencesOf(fact).map((ref) => (ref.kind === "person" ? ref.kind : toAudienceKey(ref)));
  return `facts of ${scope === "user" ? person : `${scope}:${scopeId}`} for ${audiences.join(" and ")}`;
}

/** A message, name, fact or record that an answer contained. */
export interface ToldSource extends Pick<Loaded, "type" | "scope"> {
  readonly id: string;
}

type Agent = Pick<Discord, "botId" | "botName">;

/** The ids used within one operation, for decisions (d1), messages (m1), facts (f1), passages of documents (p1) and
 * cursors (c1): rows are not repeated, and a handle keeps its meaning. */
export class OperationIds {
  /** Ids of decisions, by subject and reason. */
  readonly #decisions = new Map<string, string>();
  readonly #sources = new Set<string>();
  /** The items that answers contained, by type and reference. */
  readonly #told = new Map<string, ToldSource>();
  readonly #handles = new Map<MessageId, string>();
  readonly #messages: MessageId[] = [];
  readonly #channels = new Map<MessageId, ChannelId>();
  /** Ids of facts; the first is f1. */
  readonly #facts: string[] = [];
  /** References of passages; the first is p1. */
  readonly #passages: string[] = [];
  readonly #cursors: string[] = [];

  /** How people's names are written within the operation. */
  readonly displayNames: DisplayNames;

  constructor({ nonce }: Pick<Operation, "nonce">, agent: Agent) {
    this.displayNames = createDisplayNames({
      agent: { id: agent.botId, name: agent.botName },
      escape: (name) => escapeName(name, nonce),
    });
  }

  /** The id of a decision, unique within the operation, and whether it is the first of its kind. */
  decision(what: string, { reason }: Decision): { id: string; isNew: boolean } {
    const key = `${what} ${reason}`;
    const known = this.#decisions.get(key);
    if (known !== undefined) return { id: known, isNew: false };
    const id = `d${this.#decisions.size + 1}`;
    this.#decisions.set(key, id);
    return { id, isNew: true };
  }

  /** Whether this version of a source was not read before. */
  isNewSource({ type, ref }: Pick<Loaded, "type" | "ref">): boolean {
    const { size } = this.#sources;
    return this.#sources.add(`${type} ${ref}`).size > size;
  }

  get told(): readonly ToldSource[] {
    return [...this.#told.values()];
  }

  tell(source: ToldSource): void {
    const { type, id, scope } = source;
    this.#told.set(`${type} ${id}`, { type, id, scope });
  }

  /** A short name for a message, such as m7: the same for the same message. */
  handle({ message_id, channel_id }: Pick<Message, "message_id" | "channel_id">): string {
    const known = this.#handles.get(message_id);
    if (known !== undefined) return known;
    const handle = `m${this.#messages.push(message_id)}`;
    this.#handles.set(message_id, handle);
    this.#channels.set(message_id, channel_id);
    return handle;
  }

  /** A short name for a fact, such as f2: the same for the same fact. */
  factHandle(factId: string): string {
    const known = this.#facts.indexOf(factId);
    return `f${known === -1 ? this.#facts.push(factId) : known + 1}`;
  }

  /** A short name for a passage of a document, such as p1: the same for the same passage. */
  passageHandle(ref: string): string {
    const known = this.#passages.indexOf(ref);
    return `p${known === -1 ? this.#passages.push(ref) : known + 1}`;
  }

  /** A short name for a cursor, such as c1: the same for the same cursor. */
  cursorHandle(cursor: string): string {
    const known = this.#cursors.indexOf(cursor);
    return `c${known === -1 ? this.#cursors.push(cursor) : known + 1}`;
  }

  /** Undefined for a handle that was never given. */
  cursorOf(handle: string): string | undefined {
    return /^c[1-9]\d{0,6}$/.test(handle) ? this.#cursors[Number(handle.slice(1)) - 1] : undefined;
  }

  /** The id behind a handle: of a message, a fact or a passage. Undefined for a handle that was never given. */
  idOf(handle: string): string | undefined {
    if (/^p[1-9]\d{0,6}$/.test(handle)) return this.#passages[Number(handle.slice(1)) - 1];
    return /^f[1-9]\d{0,6}$/.test(handle) ? this.#facts[Number(handle.slice(1)) - 1] : this.messageOf(handle);
  }

  /** Undefined for a handle that was never given. */
  messageOf(handle: string): MessageId | undefined {
    return /^m[1-9]\d{0,6}$/.test(handle) ? this.#messages[Number(handle.slice(1)) - 1] : undefined;
  }

  channelOf(messageId: MessageId): ChannelId | undefined {
    return this.#channels.get(messageId);
  }
}

/** Returns the same ids for an operation as long as it exists. */
export function createOperationIds(agent: Agent): (operation: Operation) => OperationIds {
  const all = new WeakMap<Operation, OperationIds>();
  return (operation) => {
    const known = all.get(operation);
    if (known) return known;
    const ids = new OperationIds(operation, agent);
    all.set(operation, ids);
    return ids;
  };
}
