import type { AudienceRef } from "../../domain/audience.ts";
import { type Audience, hasUnknownMembers } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId } from "../../domain/ids.ts";
import { recordsUnder } from "../../domain/memory/fact.ts";
import type { MessageRef } from "../../domain/message.ts";
import { type Kept, RECORD_KINDS, type RecordKind } from "../../domain/source.ts";
import { toLimited } from "../../memory/fact-history.ts";
import type { Memory } from "../../memory/memory.ts";
import type { PostedAnswer } from "../../ports/answer-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import type { StoredSource } from "../../ports/stored-source.ts";
import { toMessageRef } from "../../ports/stored-source.ts";
import { BARRED, type Judgement, judge } from "../../sources/judge.ts";
import type { SourceChanges } from "../../sources/kinds/kind.ts";
import { toGuildId } from "../../sources/kinds/limits.ts";
import { currentAudiences } from "../memory/check-basis.ts";

export interface AnswerSourcesDeps {
  readonly discord: Pick<Discord, "botId" | "directory" | "history" | "message">;
  readonly sources: SourceChanges;
  readonly memory: Pick<Memory, "findById" | "openById" | "isConsented" | "revision"> | null;
  readonly records: RecordKinds;
  readonly clock: Clock;
}

/** Decides whether posted answers may stay. */
export interface AnswerSources {
  /** Judges by the messages alone, without requests. */
  judgeMessages(answer: FollowedAnswer): Judgement;
  /** Judges by all sources. */
  judge(answer: FollowedAnswer): Promise<Judgement>;
  /** A deleted message among these sources, as `isMessageGone` defines it; "unknown" if none is known to be deleted and some could not
   * be checked. Neighbouring messages cost one request. */
  findGone(sources: readonly StoredSource[], isStopped: () => boolean): Promise<MessageRef | "unknown" | null>;
  /** Whether a message was deleted, or its channel was or is hidden from the bot. Null if that is unknown now. */
  isMessageGone(message: MessageRef): Promise<boolean | null>;
}

type Remembered = Kept<"fact" | RecordKind>;
type FollowedAnswer = Pick<PostedAnswer, "channelId" | "sources">;

const PAGE = 100;
const UNKNOWN: Judgement = { answer: "unknown", reason: "source_uncertain" };
const DELETED: Judgement = { answer: "no", reason: "source_deleted" };
/** An answer in the channel of its sources stays however old these become. In other channels this makes no difference. */
const ALWAYS_LIVE = { openedAt: Number.NEGATIVE_INFINITY, origin: { messageId: null } };

export function createAnswerSources(deps: AnswerSourcesDeps): AnswerSources {
  return new LimitedAnswers(deps);
}

/** Anything unknown at the moment limits nothing: an unreachable or undescribed server, its member list, the members of a private thread. */
class LimitedAnswers implements AnswerSources {
  readonly #deps: AnswerSourcesDeps;

  constructor(deps: AnswerSourcesDeps) {
    this.#deps = deps;
  }

  judgeMessages(answer: FollowedAnswer): Judgement {
    return this.#judge(answer, [], false);
  }

  /**
   * No event announces the end of a fact, the removal of a passage, or a change of their audience, so these are looked up. Without a member
   * list, membership is known only for a moment, so Discord is asked again before an answer is withdrawn.
   */
  async judge(answer: FollowedAnswer): Promise<Judgement> {
    const remembered: Remembered[] = [];
    for (const source of answer.sources) {
      if (toMessageRef(source)) continue;
      const found = await (source.type === "memory_fact" ? this.#findFact(source.ref) : this.#findRecord(source));
      if (!found) return DELETED;
      remembered.push(await this.#learnSubject(found));
    }
    const judgement = this.#judge(answer, remembered, false);
    if (judgement !== BARRED) return judgement;
    return (await this.#learnReaders(answer, remembered)) ? this.#judge(answer, remembered, true) : UNKNOWN;
  }

  /** `isAsked`: Discord has been asked for the members; anything still unknown is no reason to withdraw. */
  #judge({ channelId, sources }: FollowedAnswer, remembered: readonly Remembered[], isAsked: boolean): Judgement {
    const { discord, sources: watch } = this.#deps;
    const { directory } = discord;
    const target = directory.audience(channelId);
    if (!this.#isKnown(channelId) || (isAsked && isUnknown(target))) return UNKNOWN;
    const isCertain = (id: ChannelId) => !isAsked || !isUnknown(directory.audience(id));
    const isTold = (ref: AudienceRef) => this.#isTold(ref) && (ref.kind !== "channel" || isCertain(ref.id));
    const isCounted = (id: ChannelId) => id === channelId || (this.#isKnown(id) && isCertain(id));
    const counted = [
      ...sources.flatMap((source) => this.#toMessage(source) ?? []).filter((said) => isCounted(said.channelId)),
      ...remembered.map((source) => ({ ...source, audiences: source.audiences?.filter(isTold) ?? null })),
    ];
    return judge(counted, { readers: [target], moment: ALWAYS_LIVE }, { watch, directory });
  }

  /** An edit does not withdraw an answer, so the message counts as just read. */
  #toMessage(source: StoredSource): Kept<"message"> | null {
    const ref = toMessageRef(source);
    const known = { authorId: source.personId || null, text: null, isShown: true };
    return ref && { kind: "message", ...ref, ...known, ...this.#readNow() };
  }

  #readNow() {
    const now = this.#deps.clock.now();
    return { readAt: now, countsFrom: now };
  }

  #isKnown(id: ChannelId): boolean {
    const channel = this.#deps.discord.directory.channel(id);
    return channel !== undefined && (channel.guildId === null || this.#isGuildKnown(channel.guildId));
  }

  /** Whether its members are known by now. */
  #isGuildKnown(id: GuildId): boolean {
    const { directory } = this.#deps.discord;
    return directory.guild(id)?.available === true && !directory.isMeetingPeople(id);
  }

  #isTold(audience: AudienceRef): boolean {
    if (audience.kind === "channel")
      return this.#isKnown(audience.id) || this.#deps.discord.directory.isDeleted(audience.id);
    if (audience.kind === "person") return true;
    return this.#isGuildKnown(audience.kind === "guild" ? audience.id : audience.guildId);
  }

  /** False if Discord could not be asked. */
  async #learnReaders({ channelId, sources }: FollowedAnswer, remembered: readonly Remembered[]): Promise<boolean> {
    const { directory, botId } = this.#deps.discord;
    const target = directory.channel(channelId);
    const readers = target?.guildId === null ? target.recipients : [botId];
    const refs = remembered.flatMap(({ audiences }) => audiences ?? []);
    const places = [channelId, ...sources.flatMap((source) => toMessageRef(source)?.channelId ?? [])];
    const guildIds = new Set(refs.flatMap((ref) => toGuildId(ref, directory) ?? []));
    for (const ref of refs) if (ref.kind === "channel") places.push(ref.id);
    try {
      for (const reader of readers) {
        for (const id of places) if (this.#isKnown(id)) await directory.learn(reader, id);
        for (const id of guildIds) await directory.learnMember(reader, id);
      }
      return true;
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      return false;
    }
  }

  /** The subject counts only once their membership is known. */
  async #learnSubject<Source extends Remembered>(source: Source): Promise<Source> {
    const { subjectId, guildId } = source;
    if (subjectId === null || guildId === null) return source;
    const isLearned = await this.#deps.discord.directory.learnMember(subjectId, guildId).then(
      () => true,
      () => false,
    );
    return isLearned && this.#isGuildKnown(guildId) ? source : { ...source, subjectId: null };
  }

  /** Null if it was forgotten, or is no longer used: an author of its sources is left out, or a record under it is gone. */
  async #findFact(id: string): Promise<Kept<"fact"> | null> {
    const { memory, records } = this.#deps;
    const [stored] = (await memory?.findById(id)) ?? [];
    if (!memory || !stored) return null;
    const fact = await memory.openById(id);
    if (fact && !memory.isConsented(fact)) return null;
    const limited = toLimited(stored);
    for (const { kind, ref } of recordsUnder(limited)) if (await this.#isRecordGone(kind, ref)) return null;
    const { subjectId, guildId } = limited;
    const rests = { messages: [], facts: [], authorMarks: [], expiresAt: null };
    const version = { factId: id, version: 0, revision: memory.revision };
    const audiences = currentAudiences(limited, records);
    return { kind: "fact", ...version, ...rests, subjectId, guildId, audiences, ...this.#readNow() };
  }

  /** Null if it is gone. */
  async #findRecord({ type, ref }: StoredSource): Promise<Kept<RecordKind> | null> {
    const kind = RECORD_KINDS.get(type);
    if (!kind || (await this.#isRecordGone(kind, ref))) return null;
    const { records, discord } = this.#deps;
    const audience = records[kind]?.audienceOf(ref) ?? null;
    const guildId = audience && toGuildId(audience, discord.directory);
    const subjectId = records[kind]?.subjectOf(ref) ?? null;
    return { kind, ref, version: null, subjectId, guildId, audiences: audience ? [audience] : [], ...this.#readNow() };
  }

  async #isRecordGone(kind: RecordKind, ref: string): Promise<boolean> {
    return (await this.#deps.records[kind]?.isGone(ref)) ?? true;
  }

  async findGone(sources: readonly StoredSource[], isStopped: () => boolean): Promise<MessageRef | "unknown" | null> {
    let isUnknown = false;
    const messages = sources.flatMap((source) => toMessageRef(source) ?? []);
    for (const [channelId, there] of Map.groupBy(messages, (message) => message.channelId)) {
      const seen = new Set<MessageId>();
      for (const { messageId } of there.toSorted((a, b) => compareIds(a.messageId, b.messageId))) {
        if (isStopped()) return "unknown";
        if (seen.has(messageId)) continue;
        const page = there.length === 1 ? null : await this.#readPage(channelId, messageId);
        for (const id of page ?? []) seen.add(id);
        if (seen.has(messageId)) continue;
        const gone = await this.isMessageGone({ channelId, messageId });
        if (gone) return { channelId, messageId };
        isUnknown ||= gone === null;
        if (gone === null) break;
      }
    }
    return isUnknown ? "unknown" : null;
  }

  async isMessageGone({ channelId, messageId }: MessageRef): Promise<boolean | null> {
    const wasReachable = this.#isReachable(channelId);
    try {
      if (await this.#deps.discord.message(channelId, messageId)) return false;
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      if (error.code !== "not_found") return null;
    }
    return wasReachable && this.#isReachable(channelId) ? true : null;
  }

  /** Channels of a server that is unreachable or undescribed are not found either. */
  #isReachable(channelId: ChannelId): boolean {
    const { directory } = this.#deps.discord;
    const channel = directory.channel(channelId);
    if (!channel) return directory.isDeleted(channelId) || directory.isComplete;
    return channel.guildId === null || directory.guild(channel.guildId)?.available === true;
  }

  /** Ids of the messages from this one on; null if the channel cannot be read. */
  async #readPage(channelId: ChannelId, from: MessageId): Promise<readonly MessageId[] | null> {
    try {
      const before = String(BigInt(from) - 1n) as MessageId;
      const { messages } = await this.#deps.discord.history(channelId, { limit: PAGE, after: before });
      return messages.map(({ message_id }) => message_id);
    } catch (error) {
      if (error instanceof EarshotError) return null;
      throw error;
    }
  }
}

/** A private thread whose members are unknown. */
function isUnknown(audience: Audience): boolean {
  return audience.kind === "guild" && hasUnknownMembers(audience.place);
}
