import { type ChannelId, type GuildId, idTime, type MessageId, type RoleId, type UserId } from "./ids.ts";
import type { MessageReading } from "./message-reading.ts";

/** Whether everything read so far is our own text, or some of it was written by people, who may write anything. */
export type Integrity = "trusted" | "untrusted";

/** Whether what was read still stands as it was read. `uncertain`: it may have changed unheard. */
export type SourceState = "standing" | "deleted" | "changed" | "uncertain";

/** For whom a fact is meant: a person, the members of a server, or those who can read a channel. */
export type FactHome =
  | { readonly kind: "person"; readonly id: UserId }
  | { readonly kind: "guild"; readonly id: GuildId }
  | { readonly kind: "channel"; readonly id: ChannelId };

/** One of those to whom a fact or a record is limited; also the members of a server who have a role. */
export type AudienceRef = FactHome | { readonly kind: "role"; readonly guildId: GuildId; readonly id: RoleId };

/** Equal for equal ones. */
export function toAudienceKey(ref: AudienceRef): string {
  return ref.kind === "role" ? `role:${ref.guildId}/${ref.id}` : `${ref.kind}:${ref.id}`;
}

/** Each once, in the order in which they first come. */
export function listAudiences(sources: Iterable<Pick<FactReading, "audiences">>): readonly AudienceRef[] {
  const refs = new Map<string, AudienceRef>();
  for (const { audiences } of sources) for (const ref of audiences ?? []) refs.set(toAudienceKey(ref), ref);
  return [...refs.values()];
}

/** A remembered fact, as it was when it was read. */
export interface FactReading {
  readonly factId: string;
  readonly version: number;
  /** The person it is about; null for projects and servers. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for a private fact. */
  readonly guildId: GuildId | null;
  /** Only who is in all of these may hear it. Null when that is no longer known. */
  readonly audiences: readonly AudienceRef[] | null;
  /** What it rests on. */
  readonly messages: readonly { readonly channelId: ChannelId; readonly messageId: MessageId }[];
  /** Other facts that it rests on, each as `<id>@<version>`. */
  readonly facts: readonly string[];
  /** Keyed hashes of the ids of those who wrote them. */
  readonly authorMarks: readonly string[];
  readonly expiresAt: number | null;
  /** Of the memory, when it was looked up: what changed later may concern it. */
  readonly revision: number;
}

/** Facts that were compared with a query, which can be thousands: what has to be known of all of them, each once. Never changes. */
export interface FactSet {
  readonly ids: ReadonlySet<string>;
  /** Ids of other facts that they rest on. */
  readonly idsUnder: ReadonlySet<string>;
  /** Whom they are about and in which servers they are shared, each pair once. */
  readonly subjects: readonly Pick<FactReading, "subjectId" | "guildId">[];
  /** Only who is in all of these may know which one fits best. */
  readonly audiences: readonly AudienceRef[];
  readonly messages: FactReading["messages"];
  readonly authorMarks: ReadonlySet<string>;
  /** When the first of them expires; null when none does. */
  readonly expiresAt: number | null;
  /** One by one. */
  list(revision: number): readonly FactReading[];
}

/** A set of facts, as it was when it was looked up. */
export interface FactSetReading {
  readonly set: FactSet;
  /** Of the memory, at that time. */
  readonly revision: number;
}

/** Something that a folder or a service of the operator's holds, as it was when it was read: a passage of a document, or a profile. */
export interface RecordReading {
  readonly type: "docs" | "crm";
  /** Which one. Names nothing in words: it is kept in the audit. */
  readonly ref: string;
  /** A hash of what was read; null for what was only searched, of which only the audience matters. */
  readonly version: string | null;
  /** The person it is about; null for documents. */
  readonly subjectId: UserId | null;
  /** The server in which it is shared; null for what is shared in none. */
  readonly guildId: GuildId | null;
  /** Only who is in all of these may hear it. Null when that is no longer known. */
  readonly audiences: readonly AudienceRef[] | null;
}

/** The sources of one read. */
export interface Reading {
  /** Channels of which something was disclosed: a message, their name, their existence. */
  readonly channels: Iterable<ChannelId>;
  /** Channels that were searched without disclosing anything of them. */
  readonly searched?: Iterable<ChannelId>;
  /** Servers whose name or membership was disclosed. */
  readonly guilds: Iterable<GuildId>;
  readonly messages: Iterable<MessageReading>;
  readonly facts?: Iterable<FactReading>;
  /** Facts that were compared, whether or not they are told. */
  readonly considered?: Iterable<FactSetReading>;
  readonly records?: Iterable<RecordReading>;
  /** Links in what was read, verbatim. */
  readonly links: Iterable<string>;
}

export interface FactSource extends FactReading {
  readonly readAt: number;
  /** The latest time at which it can have been read. */
  readonly countsFrom: number;
}

export interface FactSetSource extends FactSetReading {
  readonly readAt: number;
  /** The latest time at which it can have been read. */
  readonly countsFrom: number;
}

export interface RecordSource extends RecordReading {
  readonly readAt: number;
  /** The latest time at which it can have been read. */
  readonly countsFrom: number;
}

const NONE: readonly never[] = [];
/** Shared: a label can have hundreds of sources, and labels are kept for a day with the questions that people asked. */
const NO_TEXTS: ReadonlySet<string> = new Set();

/** A message that was read, with every version that was read. */
export interface MessageSource extends MessageReading {
  /** When it was last known to be unchanged since it was read. */
  readonly readAt: number;
  /** The latest time at which it can have been read. */
  readonly countsFrom: number;
  /** All versions; `text` is the one read last. */
  readonly texts: ReadonlySet<string>;
  /** Whether any answer had it. */
  readonly isShown: boolean;
}

/**
 * Everything that has been read, each source with the time it was last read. Its audience is the intersection of the audiences of its sources:
 * content may be disclosed only to people who can read each of them. It only grows, unless its owner calls `forgetBefore`.
 */
export class Label {
  readonly #channels = new Map<ChannelId, number>();
  readonly #disclosed = new Map<ChannelId, number>();
  readonly #searched = new Map<ChannelId, number>();
  readonly #guilds = new Map<GuildId, number>();
  readonly #messages = new Map<MessageId, MessageSource>();
  readonly #facts = new Map<string, FactSource>();
  readonly #considered = new Map<FactSet, FactSetSource>();
  readonly #records = new Map<string, RecordSource>();
  readonly #links = new Map<string, number>();

  /** All channels that were read or searched. */
  readonly channels: ReadonlyMap<ChannelId, number> = this.#channels;
  /** Channels of which something was disclosed. When such a channel is deleted, the content may not be repeated. */
  readonly disclosed: ReadonlyMap<ChannelId, number> = this.#disclosed;
  /** Channels that were searched, whatever was found. */
  readonly searched: ReadonlyMap<ChannelId, number> = this.#searched;
  readonly guilds: ReadonlyMap<GuildId, number> = this.#guilds;
  readonly messages: ReadonlyMap<MessageId, MessageSource> = this.#messages;
  /**
   * Each version of a fact by itself, once for each way in which it is limited: those that were told, and some that were compared, unless they are in a set that
   * was compared later and limits as much.
   */
  readonly facts: ReadonlyMap<string, FactSource> = this.#facts;
  /** Facts that were compared: thousands of them count as one source. No fact is in two of them. */
  readonly considered: ReadonlyMap<FactSet, FactSetSource> = this.#considered;
  /** Each version of a record by itself. */
  readonly records: ReadonlyMap<string, RecordSource> = this.#records;

  /** The part that limits what the actor confirms to the byte: all of it, unless they started over. */
  get sinceStart(): Label {
    return this;
  }

  get hasStartedOver(): boolean {
    return false;
  }

  /** The messages that an answer had: their deletion or edit changes what may be repeated. */
  shown(): Iterable<MessageSource> {
    return this.#messages.values().filter(({ isShown }) => isShown);
  }

  hasLink(link: string): boolean {
    return this.#links.has(link);
  }

  /** All facts that were told or compared, each version by itself. That can be thousands: most that is asked of them, their sets can say. */
  listFacts(): ReadonlyMap<string, FactSource> {
    const all = new Map<string, FactSource>();
    for (const { set, revision, readAt, countsFrom } of this.#considered.values())
      for (const fact of set.list(revision)) all.set(toFactRef(fact), { ...fact, readAt, countsFrom });
    for (const fact of this.#facts.values()) all.set(toFactRef(fact), limitBoth(fact, all.get(toFactRef(fact))));
    return all;
  }

  /** Everything that comes from Discord, names included, was written by people, and so were facts and records. */
  get integrity(): Integrity {
    const sources = [this.#channels, this.#guilds, this.#messages, this.#facts, this.#considered, this.#records];
    return sources.every(({ size }) => size === 0) ? "trusted" : "untrusted";
  }

  /** Adds what was read at a time; if that is not known exactly, `countsFrom` is the latest time it can have been. */
  join(reading: Partial<Reading>, at: number, countsFrom = at): void {
    const { channels = NONE, searched = NONE, guilds = NONE, links = NONE } = reading;
    const { messages = NONE, facts = NONE, considered = NONE, records = NONE } = reading;
    for (const id of channels) {
      setLatest(this.#disclosed, id, countsFrom);
      setLatest(this.#channels, id, countsFrom);
    }
    for (const message of messages) {
      const { messageId, channelId, authorId, text, added } = message;
      const before = this.#messages.get(messageId);
      const known = before?.texts ?? NO_TEXTS;
      const texts = text === null || known.has(text) ? known : new Set([...known, text]);
      const isShown = before?.isShown === true || message.isShown !== false;
      const source = { messageId, channelId, authorId, text, readAt: at, countsFrom, texts, isShown };
      this.#messages.set(messageId, added === undefined ? source : { ...source, added });
      setLatest(this.#disclosed, channelId, countsFrom);
      setLatest(this.#channels, channelId, countsFrom);
    }
    for (const id of searched) {
      setLatest(this.#searched, id, countsFrom);
      setLatest(this.#channels, id, countsFrom);
    }
    for (const id of guilds) setLatest(this.#guilds, id, countsFrom);
    for (const fact of facts) this.#facts.set(toFactKey(fact), { ...fact, readAt: at, countsFrom });
    for (const { set, revision } of considered) {
      if (set.ids.size === 0) continue;
      this.#dropCompared(set);
      this.#considered.set(set, { set, revision, readAt: at, countsFrom });
    }
    for (const record of records) this.#records.set(toRecordKey(record), { ...record, readAt: at, countsFrom });
    for (const link of links) this.#links.set(link, countsFrom);
  }

  /** Adds everything that was read under another label, as it stood when it was read there, without its words: any edit since then counts as a change. */
  joinSources(other: Label, countsFrom: number): void {
    if (other === this) return;
    const { disclosed, searched, guilds, messages, facts, considered, records } = other;
    this.join({ channels: disclosed.keys(), searched: searched.keys(), guilds: guilds.keys() }, countsFrom);
    for (const source of messages.values())
      this.join({ messages: [{ ...source, text: null }] }, source.readAt, countsFrom);
    for (const source of facts.values()) this.join({ facts: [source] }, source.readAt, countsFrom);
    for (const source of considered.values()) this.join({ considered: [source] }, source.readAt, countsFrom);
    for (const source of records.values()) this.join({ records: [source] }, source.readAt, countsFrom);
  }

  /** Whether something in it was written by this person, or is about them. */
  concerns(person: UserId): boolean {
    const about = [
      ...this.#facts.values(),
      ...this.#records.values(),
      ...this.#considered.keys().flatMap((set) => set.subjects),
    ];
    return (
      this.#messages.values().some(({ authorId }) => authorId === person) ||
      about.some(({ subjectId }) => subjectId === person)
    );
  }

  /** What is compared again need not be kept twice: of earlier sets only the other facts stay, each by itself, and those that were limited to others. */
  #dropCompared({ ids, audiences: limits }: FactSet): void {
    const limited = new Set(limits.map(toAudienceKey));
    const isLimited = (audiences: FactReading["audiences"]) =>
      audiences?.every((ref) => limited.has(toAudienceKey(ref))) === true;
    const isCovered = ({ factId, audiences }: FactReading) => ids.has(factId) && isLimited(audiences);
    for (const [key, fact] of this.#facts) if (isCovered(fact)) this.#facts.delete(key);
    for (const [earlier, { revision, readAt, countsFrom }] of this.#considered) {
      if (earlier.ids.isDisjointFrom(ids)) continue;
      this.#considered.delete(earlier);
      if (earlier.ids.isSubsetOf(ids) && isLimited(earlier.audiences)) continue;
      for (const fact of earlier.list(revision)) {
        const key = toFactKey(fact);
        if (!isCovered(fact) && !this.#facts.has(key)) this.#facts.set(key, { ...fact, readAt, countsFrom });
      }
    }
  }

  /** Records that the message was fetched again and has not changed since it was read. */
  confirm(messageId: MessageId, at: number): void {
    const known = this.#messages.get(messageId);
    if (known) this.#messages.set(messageId, { ...known, readAt: at });
  }

  /** Forgets the words of what somebody wrote, and the links in them. It stays a source, which has to be looked up again and counts as changed by any edit. */
  forgetWordsOf(authorId: UserId): void {
    for (const [id, message] of this.#messages) {
      if (message.authorId !== authorId) continue;
      const { added, ...rest } = message;
      this.#messages.set(id, { ...rest, readAt: Number.NEGATIVE_INFINITY, text: null, texts: NO_TEXTS });
      const texts = [...message.texts];
      for (const link of this.#links.keys()) if (texts.some((text) => text.includes(link))) this.#links.delete(link);
    }
  }

  /** Removes sources last read before a time. */
  forgetBefore(time: number): void {
    for (const times of [this.#channels, this.#disclosed, this.#searched, this.#guilds, this.#links])
      for (const [key, at] of times) if (at < time) (times as Map<unknown, number>).delete(key);
    for (const [id, { countsFrom }] of this.#messages) if (countsFrom < time) this.#messages.delete(id);
    for (const [id, { countsFrom }] of this.#facts) if (countsFrom < time) this.#facts.delete(id);
    for (const [set, { countsFrom }] of this.#considered) if (countsFrom < time) this.#considered.delete(set);
    for (const [key, { countsFrom }] of this.#records) if (countsFrom < time) this.#records.delete(key);
  }
}

/** Of one version of a fact. */
function toFactRef({ factId, version }: Pick<FactReading, "factId" | "version">): string {
  return `${factId}@${version}`;
}

/**
 * Of one version of a fact and of how it is limited. Its owner's own list says more of it than others hear, and of what is only known from the audit nobody can
 * say to whom it was limited: hearing it once more takes nothing back of either.
 */
function toFactKey(fact: FactReading): string {
  return [toFactRef(fact), ...(fact.audiences?.map(toAudienceKey) ?? ["unknown"])].join(" ");
}

/** Limited to those to whom both readings of a fact are. */
function limitBoth(fact: FactSource, other: FactSource | undefined): FactSource {
  if (!other) return fact;
  const audiences = fact.audiences && other.audiences && listAudiences([other, fact]);
  return { ...fact, audiences, guildId: fact.guildId ?? other.guildId };
}

/** Of one version of a record. */
export function toRecordKey({ type, ref, version }: RecordReading): string {
  return `${type} ${ref}@${version ?? ""}`;
}

function setLatest<Key>(times: Map<Key, number>, key: Key, at: number): void {
  times.set(key, Math.max(at, times.get(key) ?? at));
}

/** A run of letters and digits, or a single symbol or emoji, which can say as much. Punctuation does not count. */
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{P}\p{L}\p{N}\p{M}]/gu;

/** Whether an edit removed any word. Additions, case, order and punctuation do not matter. */
export function hasRemovedWords(before: string, after: string): boolean {
  if (before === after) return false;
  const left = wordsOf(after);
  for (const word of wordsOf(before)) if (!left.has(word)) return true;
  return false;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.normalize("NFKC").toLowerCase().match(WORD));
}

/**
 * What was said in a channel this long before a request counts as being said now, which may be repeated there to everybody who can view the channel, whether or
 * not they can read its history. Long enough for the talk that a question belongs to; shorter than anybody would call history.
 */
const LIVE_MS = 10 * 60_000;

/** What an operation answers, and when it was opened. */
interface LiveRequest {
  readonly openedAt: number;
  readonly origin: { readonly messageId: MessageId | null };
}

/** From when on messages are live within an operation. */
export function liveSince({ openedAt }: Pick<LiveRequest, "openedAt">): number {
  return openedAt - LIVE_MS;
}

/** The request itself is live however late it is answered: its author asks for it. What came between is not. */
export function isLive(messageId: MessageId, { openedAt, origin }: LiveRequest): boolean {
  return messageId === origin.messageId || idTime(messageId) >= liveSince({ openedAt });
}

/** The channels of which more was read than what is live. A search looks through the whole history; a name is known to everybody who can view the channel. */
export function listReadBack(label: Label, request: LiveRequest): ReadonlySet<ChannelId> {
  const readBack = new Set(label.searched.keys());
  for (const { messageId, channelId } of label.messages.values())
    if (!isLive(messageId, request)) readBack.add(channelId);
  return readBack;
}
