import { listAudiences, toAudienceKey } from "../domain/audience.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { isLive, toMessageReading } from "../domain/message.ts";
import {
  type FactReading,
  type FactSet,
  type Integrity,
  type Kept,
  RECORD_TYPES,
  type RecordKind,
  type Source,
  type SourceKind,
} from "../domain/source.ts";
import { extractLinksWithTrimmed } from "../domain/text/links.ts";
import { toFactRef } from "./kinds/fact.ts";
import { KIND_NAMES, kindOf } from "./kinds/index.ts";
import type { Moment } from "./kinds/kind.ts";
import { NO_TEXTS, textsOf } from "./kinds/message.ts";

type Sources<Kind extends SourceKind> = ReadonlyMap<unknown, Kept<Kind>>;
type SourceMaps = { readonly [Kind in SourceKind]: Map<unknown, Kept<Kind>> };

/**
 * Everything that has been read, each source with the time it was last read: content that rests on it may be disclosed only as `judge` says. It only grows, unless
 * its owner calls `forgetBefore`.
 */
export class Label implements Iterable<Kept> {
  readonly #sources = Object.fromEntries(KIND_NAMES.map((kind) => [kind, new Map()])) as SourceMaps;
  readonly #links = new Map<string, number>();

  *[Symbol.iterator](): Generator<Kept, void, undefined> {
    for (const sources of this.#all) yield* sources.values();
  }

  /** Those of one kind, by what is the same for the same source: the ids of channels, servers and messages. */
  of<Kind extends SourceKind>(kind: Kind): Sources<Kind> {
    return this.#sources[kind];
  }

  /** All channels that were read or searched. */
  get channels(): ReadonlySet<ChannelId> {
    const ids = new Set<ChannelId>();
    for (const kind of ["told", "searched"] as const)
      for (const { channelId } of this.of(kind).values()) ids.add(channelId);
    return ids;
  }

  /** The channels of which more was read than what is live. A search looks through the whole history; a name is known to everybody who can view the channel. */
  readBack(request: Moment): ReadonlySet<ChannelId> {
    const ids = new Set([...this.of("searched").values()].map(({ channelId }) => channelId));
    for (const { messageId, channelId } of this.of("message").values())
      if (!isLive(messageId, request)) ids.add(channelId);
    return ids;
  }

  /** How many messages, facts and records it has. Compared facts count as one. */
  get size(): number {
    return WEIGHED.reduce((sum, kind) => sum + this.of(kind).size, 0);
  }

  /** The part that limits what the actor confirms to the byte: all of it, unless they started over. */
  get sinceStart(): Label {
    return this;
  }

  get hasStartedOver(): boolean {
    return false;
  }

  /** Everything that comes from Discord, names included, was written by people, and so were facts and records. */
  get integrity(): Integrity {
    return this.#all.every(({ size }) => size === 0) ? "trusted" : "untrusted";
  }

  hasLink(link: string): boolean {
    return this.#links.has(link);
  }

  /** What was read of records, of every kind. */
  records(): Kept<RecordKind>[] {
    return RECORD_KINDS.flatMap((kind) => [...this.of(kind).values()]);
  }

  /** All facts that were told or compared, each version by itself. That can be thousands: most that is asked of them, their sets can say. */
  listFacts(): ReadonlyMap<string, Kept<"fact">> {
    const all = new Map<string, Kept<"fact">>();
    for (const { set, revision, readAt, countsFrom } of this.of("facts").values())
      for (const fact of set.list(revision)) all.set(toFactRef(fact), { kind: "fact", ...fact, readAt, countsFrom });
    for (const fact of this.of("fact").values()) all.set(toFactRef(fact), limitBoth(fact, all.get(toFactRef(fact))));
    return all;
  }

  /** Adds what was read at a time; if that is not known exactly, `countsFrom` is the latest time it can have been. */
  add(sources: Iterable<Source>, at: number, countsFrom = at): void {
    let told: ChannelId | null = null;
    for (const source of sources) {
      if (source.kind === "facts" && source.set.ids.size === 0) continue;
      if (source.kind === "facts") this.#dropCompared(source.set);
      this.#keep(source, at, countsFrom);
      if (source.kind !== "message" || source.channelId === told) continue;
      told = source.channelId;
      this.#keep({ kind: "told", channelId: told }, at, countsFrom);
    }
  }

  /** Adds a message that was disclosed outside of a read, such as a request. */
  addMessage(message: Message, at: number): void {
    this.add([{ kind: "message", ...toMessageReading(message) }], at);
    this.addLinks(extractLinksWithTrimmed(message.content), at);
  }

  /** Adds links that stood in what was read, verbatim. */
  addLinks(links: Iterable<string>, at: number): void {
    for (const link of links) this.#links.set(link, at);
  }

  /** Adds everything that was read under another label, as it stood when it was read there, without its words: any edit since then counts as a change. */
  join(other: Label, countsFrom: number): void {
    if (other === this) return;
    for (const source of other)
      this.add([source.kind === "message" ? { ...source, text: null } : source], source.readAt, countsFrom);
  }

  /** Whether something in it was written by this person, or is about them. */
  concerns(person: UserId): boolean {
    for (const source of this) {
      const subjects = kindOf(source).subjects?.(source, { channel: () => undefined }) ?? [];
      if (subjects.some(({ subjectId }) => subjectId === person)) return true;
    }
    return false;
  }

  /** Records that the message was fetched again and has not changed since it was read. */
  confirm(messageId: MessageId, at: number): void {
    const known = this.of("message").get(messageId);
    if (known) this.#put(messageId, { ...known, readAt: at });
  }

  /** Forgets the words of what somebody wrote, and the links in them. It stays a source, which has to be looked up again and counts as changed by any edit. */
  forgetWordsOf(authorId: UserId): void {
    for (const message of this.of("message").values()) {
      if (message.authorId !== authorId) continue;
      const { added, ...rest } = message;
      this.#put(message.messageId, { ...rest, readAt: Number.NEGATIVE_INFINITY, text: null, texts: NO_TEXTS });
      const texts = [...textsOf(message)];
      for (const link of this.#links.keys()) if (texts.some((text) => text.includes(link))) this.#links.delete(link);
    }
  }

  /** Removes sources last read before a time. */
  forgetBefore(time: number): void {
    for (const sources of this.#all)
      for (const [key, { countsFrom }] of sources) if (countsFrom < time) sources.delete(key);
    for (const [link, at] of this.#links) if (at < time) this.#links.delete(link);
  }

  get #all(): readonly Map<unknown, Kept>[] {
    return Object.values(this.#sources);
  }

  #keep(source: Source, readAt: number, from: number): void {
    const kind = kindOf(source);
    const key = kind.key(source);
    const before = this.#sources[source.kind].get(key);
    const kept = { ...source, readAt, countsFrom: Math.max(before?.countsFrom ?? from, from) };
    this.#put(key, kind.keep?.(kept, before) ?? kept);
  }

  #put(key: unknown, source: Kept): void {
    const sources: Map<unknown, Kept> = this.#sources[source.kind];
    sources.set(key, source);
  }

  /** What is compared again need not be kept twice: of earlier sets only the other facts stay, each by itself, and those that were limited to others. */
  #dropCompared({ ids, audiences: limits }: FactSet): void {
    const limited = new Set(limits.map(toAudienceKey));
    const isLimited = (audiences: FactReading["audiences"]) =>
      audiences?.every((ref) => limited.has(toAudienceKey(ref))) === true;
    const isCovered = ({ factId, audiences }: FactReading) => ids.has(factId) && isLimited(audiences);
    const { fact: single, facts: sets } = this.#sources;
    for (const [key, fact] of single) if (isCovered(fact)) single.delete(key);
    for (const [key, { set: earlier, revision, readAt, countsFrom }] of sets) {
      if (earlier.ids.isDisjointFrom(ids)) continue;
      sets.delete(key);
      if (earlier.ids.isSubsetOf(ids) && isLimited(earlier.audiences)) continue;
      for (const fact of earlier.list(revision))
        if (!isCovered(fact)) this.#keepIfNew({ kind: "fact", ...fact }, readAt, countsFrom);
    }
  }

  #keepIfNew(source: Source, readAt: number, from: number): void {
    if (!this.#sources[source.kind].has(kindOf(source).key(source))) this.#keep(source, readAt, from);
  }
}

const RECORD_KINDS = Object.keys(RECORD_TYPES) as readonly RecordKind[];
const WEIGHED = ["message", "fact", ...RECORD_KINDS] as const;

/** Limited to those to whom both readings of a fact are. */
function limitBoth(fact: Kept<"fact">, other: Kept<"fact"> | undefined): Kept<"fact"> {
  if (!other) return fact;
  const audiences = fact.audiences && other.audiences && listAudiences([other, fact]);
  return { ...fact, audiences, guildId: fact.guildId ?? other.guildId };
}
