import { type Audience, flows, hasUnknownMembers } from "../domain/audience.ts";
import type { AudienceRef } from "../domain/audience-ref.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { QuestionLookup, SourceLimits } from "../gate/effects/question-lookup.ts";
import type { PostedAnswer } from "../ports/answer-store.ts";
import type { Discord } from "../ports/discord.ts";
import { toAudience } from "../sources/kinds/limits.ts";
import { isSubjectThere, toGuildId } from "../sources/kinds/subjects.ts";

export interface SourceReachDeps {
  readonly discord: Pick<Discord, "directory" | "botId">;
  readonly lookup: Pick<QuestionLookup, "isGone" | "limitsOf">;
}

/** Not everybody who sees the answer may know what it rests on. */
export const OUT_OF_REACH = "source_out_of_reach";

/** Whether everybody who sees an answer may know what it rests on. `isAsked`: Discord has been asked who is there, and what is still not known is no reason. */
export class SourceReach {
  readonly #deps: SourceReachDeps;

  constructor(deps: SourceReachDeps) {
    this.#deps = deps;
  }

  /** Nothing is concluded from what is not known at the moment: a server that cannot be reached comes back. */
  mayStand({ channelId, sources }: PostedAnswer, isAsked: boolean): boolean {
    if (!this.#isKnown(channelId)) return true;
    const { directory } = this.#deps.discord;
    const target = directory.audience(channelId);
    const channels = new Set(sources.map((source) => source.channelId));
    const mayFlow = (id: ChannelId) =>
      id === channelId || !this.#isKnown(id) || mayKnow(directory.audience(id), target, isAsked);
    return [...channels].every(mayFlow);
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

  #isCertain(audience: AudienceRef): boolean {
    if (audience.kind === "channel")
      return this.#isKnown(audience.id) || this.#deps.discord.directory.isDeleted(audience.id);
    if (audience.kind === "person") return true;
    return this.#isGuildKnown(audience.kind === "guild" ? audience.id : audience.guildId);
  }

  /** Nobody announces that a fact ended, that a passage was taken out of a document, or who may hear them. */
  async whyNotHeard({ channelId, sources }: PostedAnswer, isAsked: boolean): Promise<string | null> {
    for (const source of sources) {
      if (source.kind === "message" || source.kind === "gone") continue;
      if (await this.#deps.lookup.isGone(source))
        return source.kind === "passage" ? "source_deleted" : "fact_forgotten";
      const limits = await this.#deps.lookup.limitsOf(source);
      if (limits && !(await this.#mayBeHeard(limits, channelId, isAsked))) return OUT_OF_REACH;
    }
    return null;
  }

  /** True as long as that cannot be told. */
  async #mayBeHeard(limits: SourceLimits, channelId: ChannelId, isAsked: boolean): Promise<boolean> {
    const { directory, botId } = this.#deps.discord;
    const { audiences, subjectId, guildId } = limits;
    if (subjectId !== null && guildId !== null && this.#isGuildKnown(guildId)) {
      const isLearned = await directory.learnMember(subjectId, guildId).then(
        () => true,
        () => false,
      );
      const isKnown = isLearned && this.#isKnown(channelId) && this.#isGuildKnown(guildId);
      if (isKnown && !isSubjectThere({ subjectId, guildId }, directory)) return false;
    }
    if (!this.#isKnown(channelId)) return true;
    const target = directory.audience(channelId);
    const mayHear = (ref: AudienceRef) => mayKnow(toAudience(ref, directory, botId), target, isAsked);
    return audiences.every((ref) => !this.#isCertain(ref) || mayHear(ref));
  }

  /** False if Discord could not be asked. */
  async learnReaders({ channelId, sources }: PostedAnswer): Promise<boolean> {
    const { directory, botId } = this.#deps.discord;
    const target = directory.channel(channelId);
    const readers = target?.guildId === null ? target.recipients : [botId];
    const places = [channelId, ...sources.map((source) => source.channelId)];
    const guildIds = new Set<GuildId>();
    try {
      for (const source of sources)
        for (const ref of (await this.#deps.lookup.limitsOf(source))?.audiences ?? []) {
          if (ref.kind === "channel") places.push(ref.id);
          const guildId = toGuildId(ref, directory);
          if (guildId !== null) guildIds.add(guildId);
        }
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
}

/** Whether what is said in one place may be told in another. A private thread is no reason if Discord was asked who is in it and did not say. */
function mayKnow(source: Audience, target: Audience, isAsked: boolean): boolean {
  const isUnknown = (audience: Audience) => audience.kind === "guild" && hasUnknownMembers(audience.place);
  return flows(source, target) || (isAsked && (isUnknown(source) || isUnknown(target)));
}
