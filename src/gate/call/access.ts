import { type Audience, asLive, flows } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId, type RoleId, toId } from "../../domain/ids.ts";
import { isLive, liveSince } from "../../domain/message.ts";
import type { Kept, RecordKind, Source } from "../../domain/source.ts";
import { locateChannel, neededScopes, refuseGuild, rolesAllow, SHARED_WRITE_SCOPE } from "../../policy/apply-rules.ts";
import {
  type Decision,
  type DecisionInput,
  decide,
  decideHearing,
  type Hearable,
  hearingScopes,
  refuseTool,
} from "../../policy/decide.ts";
import { explainRefusal, explainToolRefusal } from "../../policy/explain-refusal.ts";
import { OTHERS_SCOPE, OWN_SCOPE, type Scope, soleActor } from "../../policy/grant.ts";
import { type Lookups, tooManyLookups } from "../../policy/lookups.ts";
import { managesGuild } from "../../policy/manages-guild.ts";
import type { Operation } from "../../policy/operation.ts";
import { hasOutage, outage } from "../../policy/outage.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import { BARRED, type Judgement, judge, YES } from "../../sources/judge.ts";
import { kindOf } from "../../sources/kinds/index.ts";
import type { Label } from "../../sources/label.ts";
import type { SourceWatch } from "../../sources/source-watch.ts";
import type { Tool } from "../../tools/define-tool.ts";
import type { CallRecord } from "./call-record.ts";

export interface AccessDeps {
  readonly discord: Discord;
  readonly rules: Rules;
  readonly sources: SourceWatch;
  readonly lookups: Pick<Lookups, "charge">;
  readonly clock: Clock;
}

interface AccessCall {
  readonly operation: Operation;
  readonly tool: Tool;
  /** The channel in which the answer will be repeated; null for none. */
  readonly forId: ChannelId | null;
  readonly record: CallRecord;
}

/** The access of one call: gathers the inputs, calls `decide`, and records the decisions. */
export class Access {
  protected readonly operation: Operation;
  readonly #tool: Tool;
  readonly #forId: ChannelId | null;
  protected readonly record: CallRecord;
  protected readonly deps: AccessDeps;
  /** The ids charged in this call, and whether the budget covered them. */
  readonly #charged = new Map<ChannelId, boolean>();

  constructor({ operation, tool, forId, record }: AccessCall, deps: AccessDeps) {
    this.operation = operation;
    this.#tool = tool;
    this.#forId = forId;
    this.record = record;
    this.deps = deps;
  }

  /**
   * Loads from Discord what is needed to decide about a channel. Throws `unavailable` only about the channel in which the answer will be read: an
   * error about the requested channel would reveal whether it is known. Throws `rate_limited` for an unreadable channel once too many ids were given.
   */
  async learn(id: ChannelId): Promise<void> {
    const { actor, origin } = this.operation;
    const { directory } = this.deps.discord;
    await this.#learnDestination();
    // The channel of the request is not charged: its id was not guessed.
    const isCharged = id === origin.channelId || this.#charge(id);
    try {
      if (isCharged || directory.channel(id)) await directory.learn(actor, id);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
    }
    if (!isCharged && !this.mayRead(id)) throw tooManyLookups();
  }

  /** Members of a private thread are known only after a request. */
  async #learnDestination(): Promise<void> {
    const { actor, destination } = this.operation;
    const { directory } = this.deps.discord;
    if (destination.kind === "channel") await directory.learn(actor, destination.channelId);
    if (this.#forId !== null) await directory.learn(actor, this.#forId);
  }

  /** Charges each id once per call. */
  #charge(id: ChannelId): boolean {
    const known = this.#charged.get(id);
    if (known !== undefined) return known;
    const isCharged = this.deps.lookups.charge(this.operation.actor, this.mayRead(id));
    this.#charged.set(id, isCharged);
    return isCharged;
  }

  /**
   * Loads which servers the actor is in, and who reads the answer. Must run before all servers are searched: earlier requests must not
   * decide what counts. An error would reveal that the bot is in that server, so a failure counts as "not a member". Throws `unavailable`
   * only about the channel in which the answer will be read.
   */
  async learnGuilds(): Promise<void> {
    const { directory } = this.deps.discord;
    await this.#learnDestination();
    for (const { id } of directory.guilds())
      await directory.learnMember(this.operation.actor, id).catch((error: unknown) => {
        if (!(error instanceof EarshotError)) throw error;
      });
  }

  /** Throws `not_found` for an absent or hidden channel: the two look alike. */
  mustRead(id: ChannelId): { channel: Channel; decisionId: string } {
    const question = this.toRead(id);
    const decision = decide(question);
    const decisionId = this.record.decided(id, question, decision);
    const channel = this.deps.discord.directory.channel(id);
    if (decision.allowed && channel) return { channel, decisionId };
    throw this.toError(decision);
  }

  /** Throws `forbidden` if the client may not read direct messages, even if there are none. */
  mustReadDirectMessages(): void {
    const tool = { ...this.#tool, readsDirectMessages: true as const };
    const refusal = refuseTool({ tool, grant: this.operation.client.grant, rules: this.deps.rules });
    if (refusal === null) return;
    this.record.refused(refusal);
    throw explainToolRefusal(tool, refusal);
  }

  /** For lists, which leave out unreadable channels. `readers`: pass the current ones when checking many channels at once. */
  mayRead(id: ChannelId, readers = this.readers): boolean {
    return decide(this.toRead(id, readers)).allowed;
  }

  /**
   * The time from which messages of a channel may be returned; null for all of them. People who can view the answer's channel without reading its history see
   * only its live messages.
   */
  liveSince(id: ChannelId): number | null {
    if (!this.#isSaidIn(id)) return null;
    const audience = this.deps.discord.directory.audience(id);
    return flows(audience, audience) ? null : liveSince(this.operation);
  }

  /** Whether this message may be returned, if its channel may be read. */
  mayHandOut(id: ChannelId, messageId: MessageId): boolean {
    return isLive(messageId, this.operation) || this.liveSince(id) === null;
  }

  /** Whether the history may be read, not only live messages. */
  mayReadBack(id: ChannelId, readers = this.readers): boolean {
    return this.mayRead(id, readers) && this.liveSince(id) === null;
  }

  protected isDestination(id: ChannelId): boolean {
    const { destination } = this.operation;
    return destination.kind === "channel" && destination.channelId === id;
  }

  /** Whether the answer will be read in this channel. */
  #isSaidIn = (id: ChannelId) => this.isDestination(id) || this.#forId === id;

  /**
   * The channels and known threads of a server whose history may be read here, ordered by id. Includes no private thread except that of the
   * request: the members of others are known only after earlier requests, which must make no difference.
   */
  readable(guildId: GuildId): ChannelId[] {
    const { directory } = this.deps.discord;
    const { readers } = this;
    const here = this.here.channelId;
    const known = directory.channels(guildId).filter(({ id, kind }) => kind !== "private_thread" || id === here);
    const ids = known.map(({ id }) => id);
    return ids.filter((id) => this.mayReadBack(id, readers)).sort(compareIds);
  }

  /** A channel's name, if the audience of the answer may know it. The name then counts as read. */
  nameOf(id: ChannelId): string | undefined {
    if (!this.mayRead(id)) return undefined;
    const { channel, decisionId } = this.mustRead(id);
    this.record.named(channel, decisionId);
    return channel.name;
  }

  /** Whether a fact or a record may be returned. Its subject and the actor must have been looked up before. */
  mayHear(source: Source<"fact" | RecordKind>): boolean {
    const { actor, client, purpose, expiresAt } = this.operation;
    const { discord, rules, clock } = this.deps;
    const now = clock.now();
    const kept = { ...source, readAt: now, countsFrom: now };
    const refs = source.audiences ?? [];
    const decision = decideHearing({
      ...{ tool: this.#tool, grant: client.grant, rules, purpose, actor },
      source,
      originGuildId: this.here.guildId,
      roles: this.rolesIn(source.guildId),
      places: refs.flatMap((ref) => (ref.kind === "channel" ? [locateChannel(discord.directory, ref.id)] : [])),
      judged: (by) => (refs.length === 0 ? BARRED : this.judge([kept], by === "actor" ? [this.#self] : this.readers)),
      isOpen: expiresAt > now,
    });
    return decision.allowed;
  }

  /** Whether everything that a call read may still be returned, and is neither deleted nor changed since. */
  stillStands(label: Label): boolean {
    const { readers } = this;
    const readBack = label.readBack(this.operation);
    for (const id of label.channels)
      if (readBack.has(id) ? !this.mayReadBack(id, readers) : !this.mayRead(id, readers)) return false;
    for (const { guildId } of label.of("server").values()) if (!this.mayNameGuild(guildId)) return false;
    const remembered = [...label].filter((source) => kindOf(source).audiences);
    return (
      this.#holdsScopesFor(label) &&
      this.judge(label, readers).answer === "yes" &&
      this.judge(remembered, [this.#self]).answer === "yes"
    );
  }

  /** Whether grant and roles allow the scopes of the facts and records read. */
  #holdsScopesFor(label: Label): boolean {
    const held = new Map<string, boolean>();
    const isHeld = (source: Hearable) => {
      const { guildId } = source;
      if (guildId === null) return true;
      const scopes = hearingScopes(source, this.operation.actor);
      const question = `${guildId} ${scopes}`;
      const holds = held.get(question) ?? scopes.some((scope) => this.holds(scope, guildId));
      held.set(question, holds);
      return holds;
    };
    const compared = [...label.of("facts").values()].flatMap(({ set }) => set.subjects);
    const single = [...label.of("fact").values(), ...label.records()];
    return single.every(isHeld) && compared.every((subject) => isHeld({ ...subject, kind: "fact" }));
  }

  get #self(): Audience {
    return { kind: "people", people: new Set([this.operation.actor]) };
  }

  judge(sources: Iterable<Kept>, readers: readonly Audience[]): Judgement {
    const { discord, sources: watch } = this.deps;
    return judge(sources, { readers, moment: this.operation }, { watch, directory: discord.directory });
  }

  /** The readers of the answer: its audience, and that of the channel in which it will be repeated. */
  get readers(): readonly Audience[] {
    const { destination, actor } = this.operation;
    const { directory } = this.deps.discord;
    const audience: Audience =
      destination.kind === "actor"
        ? { kind: "people", people: new Set([actor]) }
        : directory.audience(destination.channelId);
    return this.#forId === null ? [audience] : [audience, directory.audience(this.#forId)];
  }

  /** The default channel of a call: the one in which the answer will be repeated, or else the one of the request. */
  get here(): Pick<Operation["origin"], "channelId" | "guildId"> {
    if (this.#forId === null) return this.operation.origin;
    return { channelId: this.#forId, guildId: this.deps.discord.directory.channel(this.#forId)?.guildId ?? null };
  }

  /** False for a request from outside of Discord, which has no channel. */
  get hasHere(): boolean {
    const { destination } = this.operation;
    return this.#forId !== null || destination.kind === "channel" || destination.channelId !== null;
  }

  get hasEffect(): boolean {
    return this.#tool.effect !== "read";
  }

  /** Whether only the participants of a DM will read the answer. */
  get isPrivate(): boolean {
    for (const { kind } of this.readers) if (kind !== "people") return false;
    return true;
  }

  /** The audience of the answer need not know which other servers the actor is in. */
  mayNameGuild(id: GuildId): boolean {
    if (!this.#isCovered(id) || !this.#hasRoleFor(id)) return false;
    for (const group of this.readers)
      if (group.kind === "world" || (group.kind === "guild" && group.place.guild.id !== id)) return false;
    const { directory } = this.deps.discord;
    return directory.guild(id)?.available === true && directory.member(id, this.operation.actor) !== undefined;
  }

  /** Whether the actor's roles in a server allow the tool there. The rules of the server that is read apply, not those of the server of the request. */
  #hasRoleFor(id: GuildId): boolean {
    for (const scope of neededScopes(this.#tool.scope, true)) if (this.holds(scope, id)) return true;
    return false;
  }

  /** Whether grant and roles allow a scope in a server, or outside of any. */
  holds(scope: Scope, guildId: GuildId | null): boolean {
    const { client } = this.operation;
    const roles = this.rolesIn(guildId);
    const manages = this.#manages(guildId);
    return client.grant.scopes.includes(scope) && rolesAllow(this.deps.rules, { guildId, roles, manages, scope });
  }

  /** The actor's roles; undefined outside of servers, and if the actor is not known to be a member. */
  rolesIn(guildId: GuildId | null): ReadonlySet<RoleId> | undefined {
    return guildId === null ? undefined : this.deps.discord.directory.member(guildId, this.operation.actor)?.roles;
  }

  /** Evaluated only for tools that need it. */
  #manages(guildId: GuildId | null): boolean {
    if (guildId === null || this.#tool.scope !== SHARED_WRITE_SCOPE) return false;
    return managesGuild(this.operation.actor, guildId, { ...this.deps, directory: this.deps.discord.directory });
  }

  /**
   * Whether others' messages may be used there, or only the actor's own. `isByName`: the call names the author, which needs a scope of its own with every tool.
   */
  mayUseOthers(id: ChannelId, isByName: boolean): boolean {
    const guildId = this.deps.discord.directory.channel(id)?.guildId ?? null;
    const isHere = id === this.operation.origin.channelId;
    for (const scope of isByName ? [OTHERS_SCOPE] : neededScopes(this.#tool.scope, isHere)) {
      const isForOwnOnly = scope === OWN_SCOPE && this.#tool.scope !== OWN_SCOPE;
      if (!isForOwnOnly && this.holds(scope, guildId)) return true;
    }
    return false;
  }

  /** The refusal if the actor's roles allow the tool in none of the servers that it could read; null otherwise. */
  get roleRefusal(): "role_lacks_scope" | null {
    const { directory } = this.deps.discord;
    const { destination, origin, actor } = this.operation;
    const home = destination.kind === "channel" ? origin.guildId : null;
    if (origin.guildId === null) return null;
    const guilds = directory.guilds().filter(({ id }) => this.#isCovered(id) && directory.member(id, actor));
    const concerned = home === null ? guilds : guilds.filter(({ id }) => id === home);
    return concerned.length > 0 && !concerned.some(({ id }) => this.#hasRoleFor(id)) ? "role_lacks_scope" : null;
  }

  #isCovered(id: GuildId): boolean {
    return refuseGuild({ grant: this.operation.client.grant, rules: this.deps.rules }, id) === null;
  }

  /**
   * The error for something that is not found. It is `unavailable` while one of the servers concerned cannot be reached, or requests to
   * Discord are paused, whatever was requested: absence cannot be claimed then.
   */
  absent(words = "There is no such channel, or it cannot be read here."): EarshotError {
    const isUnknown = this.isCutOff || this.deps.discord.directory.isHeldBack;
    return isUnknown ? outage() : new EarshotError("not_found", words);
  }

  /** One of the servers concerned cannot be reached. If the answer is read or repeated in a channel, only that channel's server is
   * concerned. */
  get isCutOff(): boolean {
    const { directory } = this.deps.discord;
    const { destination, actor, client } = this.operation;
    const repeatedIn = this.#forId ?? toId<ChannelId>(this.operation.for);
    const place = destination.kind === "channel" ? destination.channelId : repeatedIn;
    const home = place === null ? null : (directory.channel(place)?.guildId ?? null);
    if (home === null && this.operation.for !== null) return false;
    return hasOutage(directory, { grant: client.grant, rules: this.deps.rules, actor, home });
  }

  protected toRead(id: ChannelId, readers = this.readers): DecisionInput {
    const { client, actor, origin, purpose, destination, expiresAt } = this.operation;
    const { discord, rules, clock } = this.deps;
    const { directory, botId } = discord;
    const target = locateChannel(directory, id);
    const guildId = target?.channel.guildId ?? null;
    return {
      tool: this.#tool,
      grant: client.grant,
      rules,
      purpose,
      target,
      origin: origin.channelId,
      roles: this.rolesIn(guildId),
      manages: this.#manages(guildId),
      actorReads: directory.canRead(actor, id),
      botReads: directory.canRead(botId, id),
      destination: destination.channelId,
      isOwnClient: destination.kind === "actor" && soleActor(client.grant) === actor,
      isOpen: expiresAt > clock.now(),
      effect: "read",
      actorMay: undefined,
      isNameable: undefined,
      judged: () => {
        // Live messages of the answer's own channel may always be read. `liveSince` says whether older ones may, too.
        const source = this.#isSaidIn(id) ? asLive(directory.audience(id)) : directory.audience(id);
        return readers.length > 0 && readers.every((group) => flows(source, group)) ? YES : BARRED;
      },
    };
  }

  protected toError(decision: Decision): EarshotError {
    return explainRefusal(decision, this.#tool.effect === "read") ?? this.absent();
  }
}
