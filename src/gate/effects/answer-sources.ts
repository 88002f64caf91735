import { type Audience, hasUnknownMembers } from "../../domain/audience.ts";
import type { AudienceRef } from "../../domain/audience-ref.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId } from "../../domain/ids.ts";
import { recordsUnder } from "../../domain/memory/fact.ts";
import type { FactReading, Kept } from "../../domain/source.ts";
import type { Memory } from "../../memory/memory.ts";
import type { PostedAnswer, StoredSource } from "../../ports/answer-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import { BARRED, type Judgement, judge } from "../../sources/judge.ts";
import type { SourceChanges } from "../../sources/kinds/kind.ts";
import { toGuildId } from "../../sources/kinds/subjects.ts";
import { currentAudiences } from "../memory/check-basis.ts";
import { toLimited } from "../memory/current-facts.ts";
import { toProfileGuild, toProfileSubject } from "../memory/profile-states.ts";

export interface AnswerSourcesDeps {
  readonly discord: Pick<Discord, "botId" | "directory" | "history" | "message">;
  readonly sources: SourceChanges;
  readonly memory: Pick<Memory, "findById" | "openById" | "isConsented" | "revision"> | null;
  readonly records: RecordKinds;
  readonly clock: Clock;
}

/** Whether answers that were said may stand. */
export interface AnswerSources {
  /** By the messages alone, without asking anybody. */
  judgeMessages(answer: FollowedAnswer): Judgement;
  /** By all that the answer rests on. */
  judge(answer: FollowedAnswer): Promise<Judgement>;
  /** One of these that is gone, as `isGone` says; "unknown" if none is known to be and not all could be told. Messages that stand near each other cost one request. */
  findGone(sources: readonly StoredSource[], isStopped: () => boolean): Promise<StoredSource | "unknown" | null>;
  /** Whether a fact was forgotten or is heard by nobody, a passage taken out of a document, or a profile out of the configuration; whether a message was deleted, or its channel was or is out of the bot's sight. Null where that cannot be told now. */
  isGone(source: StoredSource): Promise<boolean | null>;
}

type FollowedAnswer = Pick<PostedAnswer, "channelId" | "sources">;

/** Only who is in all of the audiences may hear it, and only while its subject is in the server. */
interface SourceLimits extends Pick<FactReading, "subjectId" | "guildId"> {
  readonly audiences: readonly AudienceRef[];
}

const PAGE = 100;
const UNKNOWN: Judgement = { answer: "unknown", reason: "source_uncertain" };
const DELETED: Judgement = { answer: "no", reason: "source_deleted" };
/** However old the sources become, an answer does not go from where they were said. Elsewhere that makes no difference. */
const ALWAYS_LIVE = { openedAt: Number.NEGATIVE_INFINITY, origin: { messageId: null } };

export function createAnswerSources(deps: AnswerSourcesDeps): AnswerSources {
  return new LimitedAnswers(deps);
}

/** What nobody can tell at the moment limits nothing: a server that is out of reach or not described yet, its member list, the members of a private thread. */
class LimitedAnswers implements AnswerSources {
  readonly #deps: AnswerSourcesDeps;

  constructor(deps: AnswerSourcesDeps) {
    this.#deps = deps;
  }

  judgeMessages(answer: FollowedAnswer): Judgement {
    return this.#judge(answer, new Map(), false);
  }

  /**
   * Nobody announces that a fact ended, that a passage was taken out of a document, or who may hear them; and where nobody tells
   * who is there, that is known only for a moment: Discord is asked again before an answer goes because of it.
   */
  async judge(answer: FollowedAnswer): Promise<Judgement> {
    const limits = new Map<StoredSource, SourceLimits>();
    for (const source of answer.sources) {
      if (source.kind === "message") continue;
      if (await this.isGone(source)) return DELETED;
      const found = await this.#findLimits(source);
      if (found) limits.set(source, found);
    }
    const judgement = this.#judge(answer, limits, false);
    if (judgement !== BARRED) return judgement;
    return (await this.#learnReaders(answer, limits)) ? this.#judge(answer, limits, true) : UNKNOWN;
  }

  /** `isAsked`: Discord has been asked who is there, and what is still not known is no reason. */
  #judge(
    { channelId, sources }: FollowedAnswer,
    limits: ReadonlyMap<StoredSource, SourceLimits>,
    isAsked: boolean,
  ): Judgement {
    const { discord, sources: watch } = this.#deps;
    const { directory } = discord;
    const target = directory.audience(channelId);
    if (!this.#isKnown(channelId) || (isAsked && isUnknown(target))) return UNKNOWN;
    const isCertain = (id: ChannelId) => !isAsked || !isUnknown(directory.audience(id));
    const counted: Kept[] = [];
    for (const source of sources) {
      const found = limits.get(source);
      if (found) counted.push(this.#toRemembered(source, found, isCertain));
      const { kind, channelId: id } = source;
      if (kind === "message" && (id === channelId || (this.#isKnown(id) && isCertain(id))))
        counted.push(this.#toMessage(source));
    }
    return judge(counted, { readers: [target], moment: ALWAYS_LIVE }, { watch, directory });
  }

  /** An edit takes no answer back: it counts as read just now. */
  #toMessage({ ref, channelId, authorId }: StoredSource): Kept<"message"> {
    const message = { messageId: ref as MessageId, channelId, authorId: authorId || null };
    return { kind: "message", ...message, text: null, isShown: true, ...this.#readNow() };
  }

  #toRemembered(
    { kind, ref }: StoredSource,
    { audiences: all, subjectId, guildId }: SourceLimits,
    isCertain: (id: ChannelId) => boolean,
  ): Kept<"fact" | "record"> {
    const audiences = all.filter((one) => this.#isTold(one) && (one.kind !== "channel" || isCertain(one.id)));
    const limited = { audiences, subjectId, guildId, ...this.#readNow() };
    if (kind !== "fact")
      return { kind: "record", type: kind === "passage" ? "docs" : "crm", ref, version: null, ...limited };
    const revision = this.#deps.memory?.revision ?? 0;
    const none = { messages: [], facts: [], authorMarks: [] };
    return { kind: "fact", factId: ref, version: 0, expiresAt: null, revision, ...none, ...limited };
  }

  #readNow() {
    const now = this.#deps.clock.now();
    return { readAt: now, countsFrom: now };
  }

  #isKnown(id: ChannelId): boolean {
    const channel = this.#deps.discord.directory.channel(id);
    return channel !== undefined && (channel.guildId === null || this.#isGuildKnown(channel.guildId));
  }

  /** Who is in it can be told by now. */
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
  async #learnReaders(
    { channelId, sources }: FollowedAnswer,
    limits: ReadonlyMap<StoredSource, SourceLimits>,
  ): Promise<boolean> {
    const { directory, botId } = this.#deps.discord;
    const target = directory.channel(channelId);
    const readers = target?.guildId === null ? target.recipients : [botId];
    const refs = [...limits.values()].flatMap(({ audiences }) => audiences);
    const places = [channelId, ...sources.map((source) => source.channelId)];
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

  /** Who may hear a fact, a profile or a passage now; null for what is not known. */
  async #findLimits({ kind, ref }: StoredSource): Promise<SourceLimits | null> {
    const limits = kind === "fact" ? await this.#limitsOfFact(ref) : this.#limitsOfRecord(kind, ref);
    if (!limits || limits.subjectId === null || limits.guildId === null) return limits;
    const { subjectId, guildId } = limits;
    const isLearned = await this.#deps.discord.directory.learnMember(subjectId, guildId).then(
      () => true,
      () => false,
    );
    // Whom it is about counts only once it is known whether they are there.
    return isLearned && this.#isGuildKnown(guildId) ? limits : { ...limits, subjectId: null };
  }

  async #limitsOfFact(id: string): Promise<SourceLimits | null> {
    const { memory, records } = this.#deps;
    const [stored] = (await memory?.findById(id)) ?? [];
    const limited = stored && toLimited(stored);
    return limited ? { ...limited, audiences: currentAudiences(limited, records) } : null;
  }

  #limitsOfRecord(kind: StoredSource["kind"], ref: string): SourceLimits | null {
    const { records, discord } = this.#deps;
    const guildId = toProfileGuild(ref);
    const held = records[kind === "passage" ? "docs" : "crm"]?.audienceOf(ref);
    // Discord has no profile of somebody who has left.
    const audience = held ?? (guildId && { kind: "guild" as const, id: guildId });
    if (!audience) return null;
    return {
      audiences: [audience],
      subjectId: toProfileSubject(ref),
      guildId: toGuildId(audience, discord.directory),
    };
  }

  async findGone(sources: readonly StoredSource[], isStopped: () => boolean): Promise<StoredSource | "unknown" | null> {
    let isUnknown = false;
    for (const [channelId, there] of Map.groupBy(sources, (source) => source.channelId)) {
      const seen = new Set<string>();
      for (const source of there.toSorted((a, b) => compareIds(a.ref as MessageId, b.ref as MessageId))) {
        if (isStopped()) return "unknown";
        if (seen.has(source.ref)) continue;
        const isAlone = there.length === 1 || source.kind !== "message";
        const page = isAlone ? null : await this.#readPage(channelId, source.ref as MessageId);
        for (const id of page ?? []) seen.add(id);
        if (seen.has(source.ref)) continue;
        const gone = await this.isGone(source);
        if (gone) return source;
        isUnknown ||= gone === null;
        if (gone === null) break;
      }
    }
    return isUnknown ? "unknown" : null;
  }

  async isGone({ kind, ref, channelId }: StoredSource): Promise<boolean | null> {
    switch (kind) {
      case "gone":
        return true;
      case "fact":
        return this.#isFactGone(ref);
      case "message":
        return this.#isMessageGone(channelId, ref as MessageId);
      default:
        return this.#isRecordGone(kind === "passage" ? "docs" : "crm", ref);
    }
  }

  /** Of a folder that cannot be read, nobody can say what is gone. Profiles do not end while they are configured; whom they are about can be left out. */
  async #isRecordGone(type: "docs" | "crm", ref: string): Promise<boolean> {
    const held = this.#deps.records[type];
    if (type === "docs") return !held || (await held.versionOf(ref).catch(() => "")) === null;
    return toProfileGuild(ref) === null && (held?.audienceOf(ref) ?? null) === null;
  }

  /** Whether it was forgotten, or nobody hears it: somebody who wrote what it rests on is left out, or a record under it is gone. */
  async #isFactGone(id: string): Promise<boolean> {
    const { memory } = this.#deps;
    const [stored] = (await memory?.findById(id)) ?? [];
    if (!memory || !stored) return true;
    const fact = await memory.openById(id);
    if (fact && !memory.isConsented(fact)) return true;
    for (const { type, ref } of recordsUnder(toLimited(stored))) if (await this.#isRecordGone(type, ref)) return true;
    return false;
  }

  async #isMessageGone(channelId: ChannelId, messageId: MessageId): Promise<boolean | null> {
    const wasReachable = this.#isReachable(channelId);
    try {
      if (await this.#deps.discord.message(channelId, messageId)) return false;
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      if (error.code !== "not_found") return null;
    }
    return wasReachable && this.#isReachable(channelId) ? true : null;
  }

  /** What belongs to a server that cannot be reached, or that is not described yet, is not found either. */
  #isReachable(channelId: ChannelId): boolean {
    const { directory } = this.#deps.discord;
    const channel = directory.channel(channelId);
    if (!channel) return directory.isDeleted(channelId) || directory.isComplete;
    return channel.guildId === null || directory.guild(channel.guildId)?.available === true;
  }

  /** Ids of the messages from this one on; null where the channel cannot be read. */
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

/** Nobody said who is in a private thread. */
function isUnknown(audience: Audience): boolean {
  return audience.kind === "guild" && hasUnknownMembers(audience.place);
}
