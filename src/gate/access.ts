import type { Site } from "../domain/audience.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { type Decision, decide, type Question } from "../policy/decide.ts";
import type { Deletions } from "../policy/deletions.ts";
import type { Operation } from "../policy/operation.ts";
import type { Rules } from "../policy/rules.ts";
import { whereabouts } from "../policy/whereabouts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { CallRecord } from "./call-record.ts";

export interface AccessDeps {
  readonly discord: Discord;
  readonly rules: Rules;
  readonly deletions: Deletions;
  readonly clock: Clock;
}

/** What one call may reach: gathers what is known, asks `decide`, and has the answer written down. */
export class Access {
  readonly #operation: Operation;
  readonly #tool: Tool;
  readonly #record: CallRecord;
  readonly #deps: AccessDeps;

  constructor(call: { operation: Operation; tool: Tool; record: CallRecord }, deps: AccessDeps) {
    this.#operation = call.operation;
    this.#tool = call.tool;
    this.#record = call.record;
    this.#deps = deps;
  }

  /** Asks Discord for what deciding about a place needs and is not known. */
  async learn(id: ChannelId): Promise<void> {
    const { actor, destination } = this.#operation;
    const { directory } = this.#deps.discord;
    await directory.learn(actor, id);
    if (destination.kind === "channel") await directory.learn(actor, destination.channelId);
  }

  /** Throws `not_found` for what is absent or not to be known: the two look alike. */
  mustRead(id: ChannelId): { channel: Channel; decisionId: string } {
    const question = this.#toRead(id);
    const decision = decide(question);
    const decisionId = this.#record.decided(question, decision);
    if (decision.allowed && question.target) return { channel: question.target.channel, decisionId };
    throw this.#toError(decision);
  }

  /** For lists, where what is withheld is simply not in them. */
  mayRead(id: ChannelId): boolean {
    return decide(this.#toRead(id)).allowed;
  }

  /** Throws where the actor may not have this said or shown, or those there may not hear what was read. */
  mustAffect(effect: "speak" | "react", id: ChannelId): string {
    const question = this.#toAffect(effect, id);
    const decision = decide(question);
    const decisionId = this.#record.decided(question, decision);
    if (!decision.allowed) throw this.#toError(decision);
    return decisionId;
  }

  /** Whether what was asked, in the very words of the request, may be known at a place. */
  mayKnowRequest(id: ChannelId): boolean {
    const { origin } = this.#operation;
    if (origin.messageId === null || origin.channelId === id) return true;
    const question = this.#toAffect("react", id);
    const { directory } = this.#deps.discord;
    return decide({ ...question, sources: [directory.site(origin.channelId)] }).allowed;
  }

  /** Whether the actor alone may be shown what rests on everything that was read. */
  mayTellActor(): boolean {
    const { origin, actor } = this.#operation;
    const readers: Site = { kind: "people", people: new Set([actor]) };
    return decide({
      ...this.#toAffect("react", origin.channelId),
      sources: this.#sourcesFor(readers, null),
      readers,
    }).allowed;
  }

  /** Who reads the answer. */
  get readers(): Site {
    const { destination, actor } = this.#operation;
    if (destination.kind === "actor") return { kind: "people", people: new Set([actor]) };
    return this.#deps.discord.directory.site(destination.channelId);
  }

  /** In which other servers somebody is, those who read the answer need not know. */
  mayNameGuild(id: GuildId): boolean {
    const { grant } = this.#operation.client;
    const { rules, discord } = this.#deps;
    const { readers } = this;
    const isAllowed = rules.guilds.allow === "all" || rules.guilds.allow.includes(id);
    if (!isAllowed || rules.guilds.deny.includes(id)) return false;
    if (grant.guilds !== "all" && !grant.guilds.includes(id)) return false;
    if (readers.kind === "world" || (readers.kind === "guild" && readers.place.guild.id !== id)) return false;
    const { directory } = discord;
    return directory.guild(id)?.available === true && directory.member(id, this.#operation.actor) !== undefined;
  }

  /**
   * For what cannot be found. While a server of those concerned cannot be reached, nobody can say that something is not there; whether that
   * is so does not depend on what was asked for.
   */
  absent(words = "There is no such channel, or it cannot be read here."): EarshotError {
    const { directory } = this.#deps.discord;
    const { readers } = this;
    const home = readers.kind === "guild" ? readers.place.guild.id : this.#operation.origin.guildId;
    const concerned = directory
      .guilds()
      .filter(({ id }) => (home === null ? directory.member(id, this.#operation.actor) !== undefined : id === home));
    if (concerned.every(({ available }) => available)) return new EarshotError("not_found", words);
    return new EarshotError("unavailable", "The server cannot be reached on Discord at the moment; try again later.");
  }

  #toRead(id: ChannelId): Question {
    const { directory } = this.#deps.discord;
    return {
      ...this.#toQuestion(id),
      effect: "read",
      actorSpeaks: undefined,
      sources: [directory.site(id)],
      readers: this.readers,
      isDeleted: false,
      isUncertain: false,
    };
  }

  #toAffect(effect: "speak" | "react", id: ChannelId): Question {
    const { directory } = this.#deps.discord;
    const { label, actor, destination } = this.#operation;
    const isAnswer = destination.kind === "channel" && destination.channelId === id;
    const channel = directory.channel(id);
    const needed = channel?.thread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages;
    const readers = directory.site(id);
    const guildOf = (source: string) => directory.channel(source as ChannelId)?.guildId;
    return {
      ...this.#toQuestion(id),
      effect,
      // Speaking for somebody where they could not speak themselves would lend them the bot's voice.
      actorSpeaks: isAnswer || Boolean(directory.permissions(actor, id) & needed),
      sources: this.#sourcesFor(readers, channel?.guildId ?? null),
      readers,
      isDeleted: this.#deps.deletions.concern(label),
      isUncertain: this.#deps.deletions.mayHaveMissed(label, guildOf),
    };
  }

  /** Undefined when something was read of which nobody can say who may know it. */
  #sourcesFor(readers: Site, guildId: GuildId | null): Site[] | undefined {
    const { directory, botId } = this.#deps.discord;
    const { label } = this.#operation;
    for (const guild of label.guilds) {
      const isThere = readers.kind === "people" && [...readers.people].every((id) => directory.member(guild, id));
      if (guild !== guildId && !isThere) return undefined;
    }
    const sources = [...label.channels];
    return sources.every((id) => directory.canRead(botId, id)) ? sources.map((id) => directory.site(id)) : undefined;
  }

  #toQuestion(
    id: ChannelId,
  ): Omit<Question, "effect" | "actorSpeaks" | "sources" | "readers" | "isDeleted" | "isUncertain"> {
    const { client, actor, origin, purpose, destination, expiresAt } = this.#operation;
    const { discord, rules, clock } = this.#deps;
    const { directory, botId } = discord;
    const target = whereabouts(directory, id);
    const guildId = target?.channel.guildId ?? null;
    return {
      tool: this.#tool,
      grant: client.grant,
      rules,
      purpose,
      target,
      origin: origin.channelId,
      roles: guildId === null ? undefined : directory.member(guildId, actor)?.roles,
      actorReads: directory.canRead(actor, id),
      botReads: directory.canRead(botId, id),
      destination: destination.kind === "channel" ? destination.channelId : null,
      isOpen: expiresAt > clock.now(),
    };
  }

  #toError({ reason }: Decision): EarshotError {
    switch (reason) {
      case "actor_cannot_speak":
        return new EarshotError("forbidden", "The person asking may not speak in that channel.");
      case "not_for_everyone_there":
      case "dm_elsewhere":
        return this.#tool.effect === "read" ? this.absent() : notForThem();
      case "source_deleted":
        return new EarshotError("forbidden", "Something that was read for this has been deleted since; begin anew.");
      case "source_uncertain": {
        const problem =
          "The connection to Discord was interrupted, and what was read may have been deleted; begin anew.";
        return new EarshotError("unavailable", problem);
      }
      case "operation_over":
        return new EarshotError("not_found", "There is no such operation, or it has expired.");
      default:
        return this.absent();
    }
  }
}

function notForThem(): EarshotError {
  return new EarshotError(
    "forbidden",
    "What was read for this is not for everyone there; answer in a more private place.",
  );
}
