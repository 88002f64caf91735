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
 * All sources that were read, each with the time of its last read: content that rests on them may be disclosed only as `judge` allows. It
 * only grows, except by `forgetBefore`.
 */
export class Label implements Iterable<Kept> {
  readonly #sources = Object.fromEntries(KIND_NAMES.map((kind) => [kind, new Map()])) as SourceMaps;
  readonly #links = new Map<string, number>();

  *[Symbol.iterator](): Generator<Kept, void, undefined> {
    for (const sources of this.#all) yield* sources.values();
  }

  /** The sources of one kind, by the kind's key: the id for channels, servers and messages. */
  of<Kind extends SourceKind>(kind: Kind): Sources<Kind> {
    return this.#sources[kind];
  }

  get channels(): ReadonlySet<ChannelId> {
    const ids = new Set<ChannelId>();
    for (const kind of ["told", "searched"] as const)
      for (const { channelId } of this.of(kind).values()) ids.add(channelId);
    return ids;
  }

  /** Channels of which more than live messages was read. A search covers the whole history; a name is known to everyone who can view the
   * channel. */
  readBack(request: Moment): ReadonlySet<ChannelId> {
    const ids = new Set([...this.of("searched").values()].map(({ channelId }) => channelId));
    for (const { messageId, channelId } of this.of("message").values())
      if (!isLive(messageId, request)) ids.add(channelId);
    return ids;
  }

  /** Number of messages, facts and records. A set of compared facts counts once. */
  get size(): number {
    return WEIGHED.reduce((sum, kind) => sum + this.of(kind).size, 0);
  }

  /** The part that limits actions that the actor confirms word for word: the whole label, unless they started over. */
  get sinceStart(): Label {
    return this;
  }

  get hasStartedOver(): boolean {
    return false;
  }

  /** Everything from Discord, names included, was written by people, and so were facts and records. */
  get integrity(): Integrity {
    return this.#all.every(({ size }) => size === 0) ? "trusted" : "untrusted";
  }

  hasLink(link: string): boolean {
    return this.#links.has(link);
  }

  records(): Kept<RecordKind>[] {
    return RECORD_KINDS.flatMap((kind) => [...this.of(kind).values()]);
  }

  /** All facts that were shown or compared, each version by itself. There may be thousands: prefer their sets where these suffice. */
  listFacts(): ReadonlyMap<string, Kept<"fact">> {
    const all = new Map<string, Kept<"fact">>();
    for (const { set, revision, readAt, countsFrom } of this.of("facts").values())
      for (const fact of set.list(revision)) all.set(toFactRef(fact), { kind: "fact", ...fact, readAt, countsFrom });
    for (const fact of this.of("fact").values()) all.set(toFactRef(fact), limitBoth(fact, all.get(toFactRef(fact))));
    return all;
  }

  /** Adds sources read at a time; if the exact time is unknown, `countsFrom` is the latest possible one. */
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

  /** Adds a message that was disclosed without a read, such as a request. */
  addMessage(message: Message, at: number): void {
    this.add([{ kind: "message", ...toMessageReading(message) }], at);
    this.addLinks(extractLinksWithTrimmed(message.content), at);
  }

  /** Adds links from content that was read, verbatim. */
  addLinks(links: Iterable<string>, at: number): void {
    for (const link of links) this.#links.set(link, at);
  }

  /** Adds everything read under another label, as it was read there, without texts: any later edit counts as a change. */
  join(other: Label, countsFrom: number): void {
    if (other === this) return;
    for (const source of other)
      this.add([source.kind === "message" ? { ...source, text: null } : source], source.readAt, countsFrom);
  }

  /** Whether any source was written by this person, or is about them. */
  concerns(person: UserId): boolean {
    for (const source of this) {
      const subjects = kindOf(source).subjects?.(source, { channel: () => undefined }) ?? [];
      if (subjects.some(({ subjectId }) => subjectId === person)) return true;
    }
    return false;
  }

  /** Notes that the message was fetched again and is unchanged since it was read. */
  confirm(messageId: MessageId, at: number): void {
    const known = this.of("message").get(messageId);
    if (known) this.#put(messageId, { ...known, readAt: at });
  }

  /** Drops a person's texts and the links in them. Their messages stay sources: these must be looked up again, and any edit counts as a
   * change. */
  forgetWordsOf(authorId: UserId): void {
    for (const message of this.of("message").values()) {
      if (message.authorId !== authorId) continue;
      const { added, ...rest } = message;
      this.#put(message.messageId, { ...rest, readAt: Number.NEGATIVE_INFINITY, text: null, texts: NO_TEXTS });
      const texts = [...textsOf(message)];
      for (const link of this.#links.keys()) if (texts.some((text) => text.includes(link))) this.#links.delete(link);
    }
  }

  /** Removes sources and links last read before a time. */
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

  /** Avoids keeping a fact twice when it is compared again: of earlier sets, only facts outside the new set or with other audiences
   * stay, each as a single source. */
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

/** Limits a fact to the audiences of both readings. */
function limitBoth(fact: Kept<"fact">, other: Kept<"fact"> | undefined): Kept<"fact"> {
  if (!other) return fact;
  const audiences = fact.audiences && other.audiences && listAudiences([other, fact]);
  return { ...fact, audiences, guildId: fact.guildId ?? other.guildId };
}
