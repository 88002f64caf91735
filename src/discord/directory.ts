import type { Audience } from "../domain/audience.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Channel, Member, Role } from "../domain/guild.ts";
import { type ChannelId, type GuildId, type RoleId, toId, type UserId } from "../domain/ids.ts";
import { DM_PERMISSIONS, NO_PERMISSIONS, PERMISSION, type PermissionSet } from "../domain/permission-set.ts";
import * as rules from "../domain/permissions.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory, GuildInfo, Person } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { applyDispatch, isOnShard } from "./apply-dispatch.ts";
import type { SpeakerFacts } from "./channel-speakers.ts";
import { DirectoryState } from "./directory-state.ts";
import type { GuildState } from "./guild-state.ts";
import { type Raw, record } from "./read.ts";
import { SharedRequests } from "./shared-requests.ts";
import { ThreadTitles } from "./thread-titles.ts";
import { toChannel, toMemberFacts } from "./to-guild.ts";

/** Requests to Discord, each one HTTP request. Null for absent objects, and for those hidden from the bot. */
export interface DirectoryRequests {
  /** No request is sent at the moment: each throws `unavailable`. */
  readonly isHeldBack?: boolean;
  channel(id: ChannelId): Promise<unknown | null>;
  member(guildId: GuildId, userId: UserId): Promise<unknown | null>;
  threadMembers(threadId: ChannelId): Promise<readonly unknown[] | null>;
  /** Members whose names begin with these words. */
  searchMembers(guildId: GuildId, words: string): Promise<readonly unknown[] | null>;
}

export interface DirectoryDeps {
  readonly botId: UserId;
  readonly clock: Clock;
  readonly ask: DirectoryRequests;
  /** The GUILD_MEMBERS intent is on: Discord sends every change of members, so the list stays current. */
  readonly hearsMembers: boolean;
  /** Web address of the server; Discord's own when absent. */
  readonly web?: string | undefined;
  /** Whether other bots count as part of an audience; false by default. */
  readonly countBots?: boolean;
  /** Absent: false for everyone. */
  isLeftOut?(userId: UserId): boolean;
}

/** https://discord.com/developers/docs/topics/permissions#permissions-for-timed-out-members */
const WHEN_TIMED_OUT = PERMISSION.viewChannel | PERMISSION.readMessageHistory;

/** Discord's maximum. */
const MAX_NAME = 100;

export class GuildDirectory implements Directory {
  readonly #deps: DirectoryDeps;
  readonly #state: DirectoryState;
  readonly #requests: SharedRequests;
  readonly #titles: ThreadTitles;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
    this.#titles = new ThreadTitles((userId) => deps.isLeftOut?.(userId) ?? false);
    this.#requests = new SharedRequests(deps.clock);
    this.#state = new DirectoryState(deps.botId, this.#requests);
  }

  /** Applies one dispatch, in order of arrival. */
  apply(type: string, data: unknown): readonly DiscordEvent[] {
    return applyDispatch(type, data, this.#state);
  }

  /** Sets whether the events of one shard's guilds are complete. Otherwise nothing may be read. */
  setTrusted(shard: readonly [id: number, total: number], trusted: boolean): readonly DiscordEvent[] {
    const guilds = this.guildsOn(shard);
    for (const guild of guilds) guild.trusted = trusted;
    return guilds.flatMap((guild) => this.#state.compareReadable(guild));
  }

  guildsOn(shard: readonly [id: number, total: number]): GuildState[] {
    return [...this.#state.guilds.values()].filter((guild) => isOnShard(guild.id, shard));
  }

  get web(): string | undefined {
    return this.#deps.web;
  }

  guilds(): GuildInfo[] {
    return [...this.#state.guilds.values()];
  }

  get isComplete(): boolean {
    const { announced, guilds, shards } = this.#state;
    const ids = [...announced.values()].flatMap((named) => [...named]);
    return announced.size >= shards && [...ids, ...guilds.keys()].every((id) => guilds.get(id)?.available);
  }

  get isHeldBack(): boolean {
    return this.#deps.ask.isHeldBack ?? false;
  }

  guild(id: GuildId): GuildState | undefined {
    return this.#state.guilds.get(id);
  }

  hasLeft(id: GuildId): boolean {
    const { announced, shards } = this.#state;
    if (this.guild(id) || announced.size < shards) return false;
    return ![...announced.values()].some((guilds) => guilds.has(id));
  }

  roles(guildId: GuildId): Role[] {
    return [...(this.guild(guildId)?.roles.values() ?? [])].sort((a, b) => b.position - a.position);
  }

  channels(guildId: GuildId): Channel[] {
    return [...(this.guild(guildId)?.channels.values() ?? [])].map((channel) => this.#titles.shown(channel));
  }

  channel(id: ChannelId): Channel | undefined {
    const channel = this.#state.guildOf(id)?.channels.get(id);
    return channel ? this.#titles.shown(channel) : this.#state.dms.get(id);
  }

  threadsTitledBy(userId: UserId): ChannelId[] {
    const threads = [...this.#state.guilds.values()].flatMap(({ channels }) => [...channels.values()]);
    return threads.filter((channel) => this.#titles.authorOf(channel) === userId).map(({ id }) => id);
  }

  /** Records a new title of a thread, announced by a notice in it. */
  noteRename(threadId: ChannelId, rename: Parameters<ThreadTitles["note"]>[1]): DiscordEvent[] {
    return this.#titles.note(threadId, rename) ? [{ type: "channel", channelId: threadId }] : [];
  }

  /** The DM with a person, if known. */
  directMessages(userId: UserId): ChannelId | undefined {
    return this.#state.dms.values().find((dm) => dm.recipients.includes(userId))?.id;
  }

  /** Stores the DM with a person as described by Discord; returns its id. */
  noteDm(raw: unknown, userId: UserId): ChannelId {
    const dm = toChannel(raw, null);
    if (dm?.kind !== "dm" || !dm.recipients.includes(userId))
      throw new EarshotError("unavailable", "Discord did not describe the direct message; try again later.");
    this.#state.dms.set(dm.id, dm);
    return dm.id;
  }

  forgetDm(id: ChannelId): void {
    this.#state.dms.delete(id);
  }

  place(id: ChannelId): rules.PermissionPlace | undefined {
    return this.#state.place(id);
  }

  audience(id: ChannelId): Audience {
    const dm = this.#state.dms.get(id);
    if (dm) return dm.kind === "dm" ? { kind: "people", people: new Set(dm.recipients) } : { kind: "world" };
    const place = this.#state.place(id);
    if (!place) return { kind: "world" };
    const isCurrent = this.#isListCurrent(place.thread);
    return this.#siteIn(place.guild, isCurrent ? place : { ...place, thread: withoutMembers(place.thread) });
  }

  members(guildId: GuildId, roleId: RoleId | null): Audience {
    const guild = this.guild(guildId);
    if (!guild?.available || (roleId !== null && !guild.roles.has(roleId))) return { kind: "world" };
    return {
      kind: "members",
      guild,
      role: roleId,
      places: guild.membersPlaces(roleId),
      hasScreening: guild.hasScreening,
      member: (userId) => this.member(guildId, userId),
    };
  }

  isDeleted(id: ChannelId): boolean {
    return this.#state.deleted.get(id) !== undefined;
  }

  lastAudience(id: ChannelId): Audience | undefined {
    const tombstone = this.#state.deleted.get(id);
    const guild = tombstone && this.guild(tombstone.guildId);
    if (!tombstone?.last || !guild?.available) return undefined;
    const { channel, thread } = tombstone.last;
    // Without member events, a member may have left the thread before its deletion, or the server since.
    const isKnown = this.#deps.hearsMembers && thread?.thread?.members;
    if (thread?.kind === "private_thread" && !isKnown) return undefined;
    return this.#siteIn(guild, { guild, channel, thread });
  }

  #siteIn(guild: GuildState, place: rules.PermissionPlace): Audience {
    return {
      kind: "guild",
      place,
      member: (userId) => this.member(guild.id, userId),
      isBot: (userId) =>
        userId === this.#deps.botId || (guild.membersComplete && guild.members.get(userId)?.bot === true),
      membersByRoles: guild.membersComplete ? guild.membersByRoles : null,
      countsBots: this.#deps.countBots ?? false,
    };
  }

  member(guildId: GuildId, userId: UserId): Member | undefined {
    const isCurrent =
      this.#deps.hearsMembers || userId === this.#deps.botId || this.#requests.isFresh(`${guildId}/${userId}`);
    return isCurrent ? this.guild(guildId)?.members.get(userId) : undefined;
  }

  people(guildId: GuildId): Iterable<Person> {
    return this.guild(guildId)?.members.everybody() ?? [];
  }

  forgetSpeaker(userId: UserId): void {
    this.#state.speakers.forgetPerson(userId);
  }

  speakers(channelId: ChannelId): Iterable<Person> {
    return this.#state.speakers.of(channelId);
  }

  async findPeople(guildId: GuildId, name: string): Promise<readonly Person[]> {
    const members = (await this.#deps.ask.searchMembers(guildId, name.trim().slice(0, MAX_NAME))) ?? [];
    return members.flatMap((raw) => {
      const facts = toMemberFacts(raw);
      if (!facts) return [];
      const { id, nick, globalName, username, bot } = facts;
      return [
        { id, names: [nick, globalName, username].filter((each) => each !== null && each !== ""), bot },
      ] as Person[];
    });
  }

  /** Records the author of a received message. */
  noteSpeaker(channelId: ChannelId, facts: SpeakerFacts): void {
    if (this.needsSpeakers(channelId)) this.#state.speakers.note(channelId, facts);
  }

  /** Whether the speakers of a channel must be recorded: a complete member list makes that unnecessary. */
  needsSpeakers(channelId: ChannelId): boolean {
    return this.#state.guildOf(channelId)?.membersComplete === false;
  }

  /** The name of a person in the channel of a message. Without a complete member list, only from messages in the same channel. */
  nameAt(channelId: ChannelId | null, userId: UserId, guildId: GuildId): string | undefined {
    const guild = this.guild(guildId);
    if (guild?.membersComplete || userId === this.#deps.botId) return guild?.members.name(userId);
    return channelId === null ? undefined : this.#state.speakers.nickOf(channelId, userId);
  }

  isMeetingPeople(guildId: GuildId): boolean {
    return this.#deps.hearsMembers && this.guild(guildId)?.membersComplete === false;
  }

  permissions(userId: UserId, channelId: ChannelId): PermissionSet {
    const dm = this.#state.dms.get(channelId);
    if (dm) return this.#isEnd(dm, userId) ? DM_PERMISSIONS : NO_PERMISSIONS;
    const place = this.place(channelId);
    const member = place && this.member(place.guild.id, userId);
    if (!place || !member) return NO_PERMISSIONS;
    const held = rules.channelPermissions(place.guild, place.channel, member);
    return this.isTimedOut(userId, channelId) ? ((held & WHEN_TIMED_OUT) as PermissionSet) : held;
  }

  isTimedOut(userId: UserId, channelId: ChannelId): boolean {
    const place = this.place(channelId);
    const member = place && this.member(place.guild.id, userId);
    if (!place || !member || (member.timedOutUntil ?? 0) <= this.#deps.clock.now()) return false;
    return !(rules.channelPermissions(place.guild, place.channel, member) & PERMISSION.administrator);
  }

  canRead(userId: UserId, channelId: ChannelId): boolean {
    return userId === this.#deps.botId ? this.#botCan(channelId) : this.#can(rules.canRead, userId, channelId);
  }

  canView(userId: UserId, channelId: ChannelId): boolean {
    return this.#can(rules.canView, userId, channelId);
  }

  async learn(userId: UserId, channelId: ChannelId): Promise<void> {
    if (!this.channel(channelId)) await this.#learnChannel(channelId);
    const channel = this.channel(channelId);
    const guild = channel?.guildId && this.guild(channel.guildId);
    if (!guild) return;
    if (channel.kind === "private_thread") await this.#learnThreadMembers(guild, channel);
    await this.learnMember(userId, guild.id);
  }

  async learnMember(userId: UserId, guildId: GuildId): Promise<void> {
    const guild = this.guild(guildId);
    if (!guild || guild.membersComplete || this.member(guildId, userId)) return;
    await this.#requests.run(
      `${guildId}/${userId}`,
      () => this.#deps.ask.member(guildId, userId),
      (answer) => {
        const facts = toMemberFacts(answer);
        if (facts) guild.members.set(facts);
        else guild.members.delete(userId);
      },
    );
  }

  #botCan(channelId: ChannelId): boolean {
    return this.#state.dms.has(channelId) || this.#state.botCanRead(channelId);
  }

  #can(decide: typeof rules.canRead, userId: UserId, channelId: ChannelId): boolean {
    const dm = this.#state.dms.get(channelId);
    if (dm) return this.#isEnd(dm, userId);
    const place = this.place(channelId);
    const member = place && this.member(place.guild.id, userId);
    if (!place || !member) return false;
    return decide(
      this.#isListCurrent(place.thread) ? place : { ...place, thread: withoutMembers(place.thread) },
      member,
    );
  }

  #isEnd(dm: Channel, userId: UserId): boolean {
    return dm.kind === "dm" && (userId === this.#deps.botId || dm.recipients.includes(userId));
  }

  #isListCurrent(thread: Channel | null): boolean {
    return thread?.kind !== "private_thread" || this.#deps.hearsMembers || this.#requests.isFresh(thread.id);
  }

  /**
   * Forgets a thread that seemed archived because it was no longer listed as active, and that is unknown to Discord. It is hidden; whether
   * it was deleted is unknown.
   */
  forgetArchived(id: ChannelId): DiscordEvent[] {
    const guild = this.#state.guildOf(id);
    if (!guild?.channels.get(id)?.thread?.archived) return [];
    return this.#state.forgetChannel(guild, id, { type: "access_lost" });
  }

  /** Stores a page of a channel's archive. A list of private threads says nothing about public ones, and vice versa. */
  noteArchive(channelId: ChannelId, threads: readonly Raw[], listedAs: "public" | "private"): void {
    const guild = this.#state.guildOf(channelId);
    if (!guild) return;
    const listed = threads.filter((raw) => {
      const thread = toChannel(raw, guild.id);
      const isPrivate = thread?.kind === "private_thread";
      return thread?.thread && thread.parentId === channelId && isPrivate === (listedAs === "private");
    });
    this.#state.addThreads(guild, listed);
  }

  /** An absent channel is not requested again at once. This does not apply to a channel that was found, and may have been lost since. */
  async #learnChannel(id: ChannelId): Promise<void> {
    const absence = `${id}/absent`;
    if (this.#requests.isFresh(absence)) return;
    await this.#requests.run(
      id,
      () => this.#deps.ask.channel(id),
      (answer) => {
        const guildId = toId<GuildId>(record(answer)["guild_id"]);
        const guild = guildId && this.guild(guildId);
        if (guild) this.#state.setChannel(guild, answer);
        const dm = guildId ? null : toChannel(answer, null);
        if (dm?.kind === "dm" && dm.id === id) this.#state.dms.set(id, dm);
        // The channel of an undescribed server cannot be stored.
        if (!this.channel(id) && (guild || !guildId)) this.#requests.noteAnswer(absence);
      },
    );
  }

  /** A refused request is not repeated at once, because refusals are counted. */
  async #learnThreadMembers(guild: GuildState, thread: Channel): Promise<void> {
    if (thread.thread?.members && this.#isListCurrent(thread)) return;
    const refusal = `${thread.id}/members`;
    if (this.#requests.isFresh(refusal)) return;
    await this.#requests.run(
      thread.id,
      () => this.#deps.ask.threadMembers(thread.id),
      (answer) => {
        const ids = answer?.flatMap((member) => toId<UserId>(record(member)["user_id"]) ?? []);
        guild.setThreadMembers(thread.id, ids ? new Set(ids) : null);
        if (!ids) this.#requests.noteAnswer(refusal);
      },
    );
  }
}

function withoutMembers(thread: Channel | null): Channel | null {
  return thread?.thread ? { ...thread, thread: { ...thread.thread, members: null } } : thread;
}
