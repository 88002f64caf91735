import type { ChannelId, MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { createDisplayNames, type DisplayNames } from "../../domain/names/display-names.ts";
import { escapeName } from "../../domain/text/escape.ts";
import type { Decision } from "../../policy/decide.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Loaded } from "./audit-rows.ts";

/** A message, a name, a fact or a record that an answer has handed out. */
export interface ToldSource extends Pick<Loaded, "type" | "scope"> {
  readonly id: string;
}

type Agent = Pick<Discord, "botId" | "botName">;

/** The short names given within one operation, to decisions (d1), sources (s1), messages (m1), facts (f1), passages of documents (p1) and cursors (c1): nothing is written down twice, and a handle keeps its meaning. */
export class OperationIds {
  /** Ids of decisions, by what was decided. */
  readonly #decisions = new Map<string, string>();
  /** What was read, in the very form in which it was read. */
  readonly #sources = new Set<string>();
  /** What answers have handed out, by type and reference. */
  readonly #told = new Map<string, ToldSource>();
  readonly #handles = new Map<MessageId, string>();
  readonly #messages: MessageId[] = [];
  readonly #channels = new Map<MessageId, ChannelId>();
  /** Ids of facts; the first is f1. */
  readonly #facts: string[] = [];
  /** References of passages; the first is p1. */
  readonly #passages: string[] = [];
  /** The first is c1. */
  readonly #cursors: string[] = [];

  /** How people are written in all that is said within the operation. */
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

  /** The id for a source, unique within the operation; null when it was read in this form before. */
  source(ref: string): string | null {
    if (this.#sources.has(ref)) return null;
    this.#sources.add(ref);
    return `s${this.#sources.size}`;
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

  /** What a handle stands for: the id of a message, a fact or a passage. Undefined for one that was never given. */
  idOf(handle: string): string | undefined {
    if (/^p[1-9]\d{0,6}$/.test(handle)) return this.#passages[Number(handle.slice(1)) - 1];
    return /^f[1-9]\d{0,6}$/.test(handle) ? this.#facts[Number(handle.slice(1)) - 1] : this.messageOf(handle);
  }

  /** Undefined for a handle that was never given. */
  messageOf(handle: string): MessageId | undefined {
    return /^m[1-9]\d{0,6}$/.test(handle) ? this.#messages[Number(handle.slice(1)) - 1] : undefined;
  }

  /** Where a message stands that was given a handle. */
  channelOf(messageId: MessageId): ChannelId | undefined {
    return this.#channels.get(messageId);
  }
}

/** The same ids for the same operation, for as long as it lives. */
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
