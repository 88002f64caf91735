import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import {
  type ChannelId,
  compareIds,
  type GuildId,
  type MessageId,
  toChannelId,
  toId,
  type UserId,
} from "../domain/ids.ts";
import { type Fact, normaliseName } from "../domain/memory/fact.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { OpenPace, Pacer, Steps } from "../domain/steps/pace.ts";
import type { Limits } from "../policy/limits.ts";
import type { Spending } from "../policy/spending.ts";
import type { Clock } from "../ports/clock.ts";
import type { Summariser } from "../summary/summariser.ts";
import type {
  AttachmentRequest,
  ChannelView,
  ForgetRequest,
  PeopleRequest,
  RecallRequest,
  RememberProposal,
  SendRequest,
  ThreadRequest,
  TypedSearch,
  View,
} from "../tools/view.ts";
import { ChannelReads, type ChannelReadsDeps, type ReadParts } from "./channel-reads.ts";
import type { DocumentReads } from "./document-reads.ts";
import type { Effects } from "./effects/effects.ts";
import type { Finder } from "./finder.ts";
import { fetchAttachment } from "./fresh-reads.ts";
import type { ToolCall } from "./gate.ts";
import type { MemberList } from "./member-list.ts";
import type { FactProposals } from "./memory/fact-proposals.ts";
import type { FactReads } from "./memory/fact-reads.ts";
import type { ProfileReads } from "./memory/profile-reads.ts";
import { findMessagePlace } from "./message-place.ts";
import type { OperationIds } from "./operation-ids.ts";
import type { People } from "./people.ts";
import { namesFor } from "./present.ts";
import type { TalkReads } from "./talks/talk-reads.ts";

export interface ViewDeps extends ChannelReadsDeps {
  readonly summariser: Summariser;
  readonly people: People;
  readonly openPace: OpenPace;
  readonly limits: Limits;
  /** Absent where calls of a model are not counted. */
  readonly spending?: Pick<Spending, "of">;
  readonly clock: Clock;
}

export interface ViewParts extends ReadParts {
  effects(): Effects;
  ids(): OperationIds;
  finder(): Finder;
  facts(): FactReads;
  profiles(): ProfileReads;
  documents(): DocumentReads;
  proposals(): FactProposals;
  talks(): TalkReads;
  memberList(): MemberList;
}

interface MessageAddress {
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
}

const SUMMARY_TOKENS = 1_500;

/** What one call within one operation can reach. Everything in it has been decided about; everything it hands out is recorded. */
export class CallView implements View {
  readonly #call: ToolCall;
  readonly #parts: ViewParts;
  readonly #deps: ViewDeps;

  constructor(call: ToolCall, parts: ViewParts, deps: ViewDeps) {
    this.#call = call;
    this.#parts = parts;
    this.#deps = deps;
  }

  get actor(): UserId {
    return this.#call.operation.actor;
  }

  get agent(): View["agent"] {
    const { botId, botName } = this.#deps.discord;
    return { id: botId, name: botName };
  }

  get page(): View["page"] {
    const { ids } = this.#parts;
    return {
      nonce: this.#call.operation.nonce,
      now: this.#deps.clock.now(),
      get displayNames() {
        return ids().displayNames;
      },
      handle: (message) => ids().handle(message),
      factHandle: (factId) => ids().factHandle(factId),
      names: (guildId) => this.#namesFor(guildId),
    };
  }

  get isPrivate(): boolean {
    return this.#parts.access.isPrivate;
  }

  get here(): ChannelId | null {
    const { access } = this.#parts;
    return access.hasHere ? access.here.channelId : null;
  }

  get guildId(): GuildId | null {
    return this.#parts.access.here.guildId;
  }

  get requestMessageId(): MessageId | null {
    return this.#call.operation.origin.messageId;
  }

  profile(): ReturnType<View["profile"]> {
    const { directory } = this.#deps.discord;
    const { guildId } = this;
    // What is known of somebody without the whole list may come from where they spoke, which may be hidden.
    if (guildId === null || !directory.guild(guildId)?.membersComplete) return null;
    const member = directory.member(guildId, this.actor);
    if (!member) return null;
    const roles = directory.roles(guildId).filter(({ id, botId }) => member.roles.has(id) && botId === undefined);
    return { name: member.name, roles: roles.sort((a, b) => b.position - a.position).map(({ name }) => name) };
  }

  async channel(id: ChannelId): Promise<ChannelView> {
    const { access, record } = this.#parts;
    await access.learn(id);
    const { channel, decisionId } = access.mustRead(id);
    record.enter(id);
    return new ChannelReads({ channel, decisionId }, { call: this.#call, access, record }, this.#deps);
  }

  async addressOf(reference: string, place?: string): Promise<MessageAddress> {
    const link = toAddress(reference);
    const messageId = link?.messageId ?? this.#parts.ids().messageOf(reference) ?? toId<MessageId>(reference);
    if (!messageId) throw this.#parts.access.absent("Message not found");
    if (place !== undefined) return { messageId, channelId: await this.channelIdOf(place) };
    return link ?? { messageId, channelId: await this.#placeOf(messageId) };
  }

  async locate(reference: string): ReturnType<View["locate"]> {
    const { messageId, channelId } = await this.addressOf(reference);
    try {
      return { messageId, channel: await this.channel(channelId) };
    } catch (error) {
      const isAbsent = error instanceof EarshotError && error.code === "not_found";
      throw isAbsent ? this.#parts.access.absent("Message not found") : error;
    }
  }

  async channelNamed(name: string): Promise<ChannelView> {
    return this.channel(await this.channelIdOf(name));
  }

  /** An id is decided about when it is used. */
  async channelIdOf(name: string): Promise<ChannelId> {
    return toChannelId(name) ?? this.#parts.finder().names.channel(name);
  }

  search(typed: TypedSearch): ReturnType<View["search"]> {
    return this.#parts.finder().search(typed);
  }

  time(words: string): ReturnType<View["time"]> {
    return this.#parts.finder().time(words);
  }

  timeNotes(): readonly string[] {
    return this.#parts.finder().timeNotes;
  }

  async summarise(
    { channel }: ChannelView,
    messages: readonly Message[],
    focus: string | undefined,
  ): ReturnType<View["summarise"]> {
    if (messages.length === 0) return { by: "extract", points: [] };
    const { limits, spending, summariser } = this.#deps;
    const { operation, signal } = this.#call;
    limits.take("summaries", this.actor, 1);
    const { bullets, by } = await summariser.summarise({
      channelId: channel.id,
      messages,
      names: this.#namesFor(channel.guildId),
      displayNames: this.#parts.ids().displayNames,
      maxTokens: SUMMARY_TOKENS,
      ...(focus && { focus }),
      ...(spending && { spending: spending.of(operation) }),
      ...(signal && { signal }),
    });
    // Making it may take a while.
    this.#parts.access.mustRead(channel.id);
    const known = new Map(messages.map((message) => [message.message_id, message]));
    const toPoint = ({ text, cites }: (typeof bullets)[number]) => {
      return { text, cites: cites.flatMap((id) => known.get(id) ?? []) };
    };
    return { by, points: bullets.map(toPoint) };
  }

  inSteps<Result>(work: (pacer: Pacer) => Steps<Result>): Promise<Result> {
    const pace = this.#deps.openPace(() => throwIfCancelled(this.#call.signal));
    return pace.run(work(pace));
  }

  async lastHere(channel: ChannelView): Promise<Message | null> {
    const { actor, requestMessageId } = this;
    const isMine = ({ author, message_id }: Message) => author.id === actor && message_id !== requestMessageId;
    const { messages } = await channel.recent({ limit: 100 });
    return messages.find(isMine) ?? (await this.#searchOwn(channel.channel)).find(isMine) ?? null;
  }

  async directMessages(userId = this.actor): Promise<ChannelView> {
    if (userId !== this.actor) throw this.#parts.access.absent();
    return this.channel(await this.#deps.discord.openDm(userId));
  }

  async factsAbout(person: string | undefined, key: string | undefined): ReturnType<View["factsAbout"]> {
    const subjectId = person === undefined ? this.actor : await this.#parts.finder().names.person(person);
    const isWanted = toKeyFilter(key);
    const { fields, isUnavailable } = await this.#parts.profiles().read(subjectId, (name) => isWanted({ name }));
    const heard = await this.#parts.facts().readAbout(subjectId, isWanted, fields);
    return { ...heard, isProfileUnavailable: isUnavailable };
  }

  async searchFacts(words: string, limit: number): ReturnType<View["searchFacts"]> {
    const { fields, isUnavailable } = await this.#parts.profiles().read(this.actor, () => true);
    return { found: await this.#parts.facts().search(words, limit, fields), isProfileUnavailable: isUnavailable };
  }

  searchDocuments(words: string, limit: number): ReturnType<View["searchDocuments"]> {
    return this.#parts.documents().search(words, limit);
  }

  fittingFacts(words: string, limit: number): ReturnType<View["fittingFacts"]> {
    return this.#parts.facts().fit(words, limit);
  }

  async sharedFacts(key: string | undefined, server: string | undefined): ReturnType<View["sharedFacts"]> {
    const guildIds = await this.#parts.finder().names.guilds(server);
    const scopes = ["project", "org"] as const;
    const queries = guildIds.flatMap((guildId) => scopes.map((scopeType) => ({ scopeType, guildId })));
    return this.#parts.facts().read(queries, toKeyFilter(key));
  }

  recallBots(request: RecallRequest): ReturnType<View["recallBots"]> {
    return this.#parts.talks().recall(request);
  }

  ownTalks(words: string, limit: number): ReturnType<View["ownTalks"]> {
    return this.#parts.talks().own(words, limit);
  }

  remember(proposal: RememberProposal): Promise<void> {
    return this.#parts.proposals().remember(proposal);
  }

  forget(request: ForgetRequest): Promise<void> {
    return this.#parts.proposals().forget(request);
  }

  async guilds(): ReturnType<View["guilds"]> {
    const { access, record } = this.#parts;
    const { directory } = this.#deps.discord;
    await access.learnGuilds();
    const shared = directory.guilds().filter(({ id }) => access.mayNameGuild(id));
    for (const { id, name } of shared) record.namedGuild(id, name);
    return shared.map(({ id, name }) => ({ id, name })).sort((a, b) => compareIds(a.id, b.id));
  }

  people(request: PeopleRequest): ReturnType<View["people"]> {
    return this.#parts.memberList().list(request);
  }

  async channels(server: string | undefined): Promise<readonly Channel[]> {
    const { access, record } = this.#parts;
    const { directory } = this.#deps.discord;
    await access.learnGuilds();
    const guildId = await this.#parts.finder().names.guild(server);
    if (!access.mayNameGuild(guildId)) throw access.absent("There is no such server.");
    const all = directory.channels(guildId).filter(({ kind, thread }) => kind !== "category" && !thread?.archived);
    for (const one of all) if (one.kind === "private_thread") await directory.learn(this.actor, one.id).catch(() => {});
    const shown = all.filter(({ id }) => access.mayRead(id)).sort(inOrder);
    for (const { id } of shown) {
      const { channel, decisionId } = access.mustRead(id);
      record.named(channel, decisionId);
    }
    return shown;
  }

  send(request: SendRequest): Promise<readonly Message[]> {
    return this.#parts.effects().send(request);
  }

  react(channelId: ChannelId, messageId: MessageId, emoji: string): Promise<void> {
    return this.#parts.effects().react(channelId, messageId, emoji);
  }

  edit(message: MessageRef, text: string): Promise<void> {
    return this.#parts.effects().edit(message, text);
  }

  delete(message: MessageRef): Promise<void> {
    return this.#parts.effects().delete(message);
  }

  showTyping(channelId: ChannelId): Promise<void> {
    return this.#parts.effects().showTyping(channelId);
  }

  startThread(request: ThreadRequest): Promise<Message> {
    return this.#parts.effects().startThread(request);
  }

  attachment(request: AttachmentRequest): ReturnType<View["attachment"]> {
    const { signal } = this.#call;
    const open = (id: ChannelId) => this.channel(id);
    return fetchAttachment(request, { open, discord: this.#deps.discord, ...(signal && { signal }) });
  }

  #namesFor(guildId: GuildId | null): ReturnType<typeof namesFor> {
    const { directory } = this.#deps.discord;
    return namesFor(guildId, { directory, access: this.#parts.access, people: this.#deps.people });
  }

  /** Where a message stands of which only the id is given; where the request was made if nobody knows. */
  async #placeOf(messageId: MessageId): Promise<ChannelId> {
    const { access, record } = this.#parts;
    const { discord, timelines } = this.#deps;
    const here = access.here.channelId;
    const known = this.#parts.ids().channelOf(messageId) ?? (timelines.holds(here, messageId) ? here : undefined);
    if (known !== undefined) return known;
    const channels = await this.#parts.finder().listToSearch();
    record.searched(channels.map(({ id }) => id));
    const found = await findMessagePlace(messageId, channels, { discord, timelines, signal: this.#call.signal });
    if (found === undefined && !(await (await this.channel(here)).message(messageId)))
      throw new EarshotError(
        "unavailable",
        "The message is not among those that are held, and Discord's search does not answer; give a link to it, or try again later.",
      );
    return found ?? here;
  }

  /** What the actor said last in a channel, by Discord's own search; nothing where it cannot be asked. */
  async #searchOwn({ id, guildId }: Channel): Promise<readonly Message[]> {
    const { access, record } = this.#parts;
    const { discord, isLeftOut } = this.#deps;
    if (guildId === null || isLeftOut(this.actor) || !access.mayReadBack(id)) return [];
    const request = { channelIds: [id], authorIds: [this.actor], limit: 2 };
    const answer = await discord.search(guildId, request, this.#call.signal).catch((error: unknown) => {
      if (!(error instanceof EarshotError) || error.code === "cancelled") throw error;
      return null;
    });
    const messages = answer?.state === "ready" && access.mayReadBack(id) ? answer.messages : [];
    const { channel, decisionId } = access.mustRead(id);
    record.read(channel, messages, decisionId);
    return messages;
  }
}

/** …/channels/{server}/{channel}/{message}, with whatever stands around it. */
function toAddress(link: string): MessageAddress | null {
  const [, channel, message] = /\/channels\/(?:@me|\d+)\/(\d+)\/(\d+)/.exec(link) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { channelId, messageId } : null;
}

/** Names are compared without regard to case. */
function toKeyFilter(key: string | undefined): (fact: Pick<Fact, "name">) => boolean {
  return ({ name }) => key === undefined || normaliseName(name) === normaliseName(key);
}

/** As Discord shows them. */
function inOrder(a: Channel, b: Channel): number {
  return a.position - b.position || compareIds(a.id, b.id);
}
