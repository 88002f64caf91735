import { throwIfCancelled } from "../domain/errors.ts";
import type { Channel } from "../domain/guild.ts";
import { type ChannelId, type GuildId, type MessageId, toChannelId, type UserId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Pacer, Steps } from "../domain/steps/pace.ts";
import { OPERATOR } from "../policy/grant.ts";
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
import { ChannelReads } from "./call/channel-reads.ts";
import { fetchAttachment } from "./call/fresh-reads.ts";
import type { ToolCall } from "./call/tool-call.ts";
import type { ViewDeps, ViewParts } from "./call-deps.ts";
import { findLastOwn } from "./find/find-last-own.ts";
import { listChannels, listGuilds } from "./find/list-channels.ts";
import { MessageFinder } from "./find/message-finder.ts";
import { readFactsAbout, readSharedFacts } from "./memory/fact-reads.ts";
import { namesFor } from "./present.ts";
import { summariseMessages } from "./summarise-messages.ts";

/** Everything that a call can reach within its operation. Every access is decided, and everything it returns is recorded. */
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

  get isOperator(): boolean {
    const { name, grant } = this.#call.operation.client;
    return name === OPERATOR && !grant.scopes.includes("memory:read_self");
  }

  get mayReadShared(): boolean {
    return this.#call.operation.client.grant.scopes.includes("memory:read_project");
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

  get isIsolated(): boolean {
    return this.#call.operation.isIsolated;
  }

  profile(): ReturnType<View["profile"]> {
    const { directory } = this.#deps.discord;
    const { guildId } = this;
    // Without the complete member list, data about a member may come from messages in hidden channels.
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

  addressOf(reference: string, place?: string): Promise<MessageRef> {
    return this.#messageFinder().addressOf(reference, place);
  }

  locate(reference: string): ReturnType<View["locate"]> {
    return this.#messageFinder().locate(reference);
  }

  async channelNamed(name: string): Promise<ChannelView> {
    return this.channel(await this.channelIdOf(name));
  }

  /** An id is checked when it is used. */
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

  summarise(
    { channel }: ChannelView,
    messages: readonly Message[],
    focus: string | undefined,
  ): ReturnType<View["summarise"]> {
    const names = this.#namesFor(channel.guildId);
    return summariseMessages({ channel, messages, names, focus }, { call: this.#call, ...this.#parts }, this.#deps);
  }

  inSteps<Result>(work: (pacer: Pacer) => Steps<Result>): Promise<Result> {
    const pace = this.#deps.openPace(() => throwIfCancelled(this.#call.signal));
    return pace.run(work(pace));
  }

  lastHere(channel: ChannelView): Promise<Message | null> {
    return findLastOwn(channel, { call: this.#call, ...this.#parts }, this.#deps);
  }

  async directMessages(userId = this.actor): Promise<ChannelView> {
    this.#parts.access.mustReadDirectMessages();
    if (userId !== this.actor) throw this.#parts.access.absent();
    return this.channel(await this.#deps.discord.openDm(userId));
  }

  factsAbout(person: string | undefined, key: string | undefined): ReturnType<View["factsAbout"]> {
    return readFactsAbout({ actor: this.actor, person, key }, this.#parts);
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

  sharedFacts(key: string | undefined, server: string | undefined): ReturnType<View["sharedFacts"]> {
    return readSharedFacts({ key, server }, this.#parts);
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

  guilds(): ReturnType<View["guilds"]> {
    return listGuilds(this.#parts, this.#deps.discord.directory);
  }

  people(request: PeopleRequest): ReturnType<View["people"]> {
    return this.#parts.memberList().list(request);
  }

  channels(server: string | undefined): Promise<readonly Channel[]> {
    return listChannels(server, { actor: this.actor, ...this.#parts }, this.#deps.discord.directory);
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

  #messageFinder(): MessageFinder {
    return new MessageFinder({ view: this, signal: this.#call.signal }, this.#parts, this.#deps);
  }
}
