import { EarshotError } from "../domain/errors.ts";
import { isPostList } from "../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId, toId, type UserId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { allowsSending, allowsThreads } from "../domain/permissions.ts";
import { SingleFlight } from "../domain/single-flight.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type {
  ArchivePage,
  CommandOffer,
  CommandRun,
  ConnectionState,
  Discord,
  DiscordEvent,
  DownloadLimits,
  Draft,
  EventListener,
  FilledForm,
  Gap,
  GuildSearchAnswer,
  GuildSearchRequest,
  HistoryPage,
  HistoryRead,
  Leaving,
  Note,
  Press,
  Reaction,
  ThreadDraft,
  Typing,
} from "../ports/discord.ts";
import type { DiscordStats } from "../ports/discord-stats.ts";
import type { LastHeard } from "../ports/last-heard.ts";
import type { Log } from "../ports/log.ts";
import { isOnShard } from "./apply-dispatch.ts";
import { ArchivedThreads } from "./archived-threads.ts";
import { CommandRegistry } from "./command-registry.ts";
import { realDelay } from "./delay.ts";
import { GuildDirectory } from "./directory.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { FileHosts } from "./file-hosts.ts";
import { fillOverwrites } from "./fill-overwrites.ts";
import { Gateway, type GatewayListener, type Shard } from "./gateway.ts";
import { GuildSearch } from "./guild-search.ts";
import type { ChosenIntents } from "./intents.ts";
import { InteractionListeners, isWhisper } from "./interactions.ts";
import { MemberLoader } from "./member-loader.ts";
import { Announcer, MessageEvents } from "./message-events.ts";
import { list, type Raw, record } from "./read.ts";
import type { ApplicationFacts, DiscordRest } from "./rest.ts";
import { isUnknownChannel, outcomeUnknown } from "./rest-errors.ts";
import { toReactions } from "./to-reactions.ts";

export interface EdgeParts {
  readonly options: Omit<DiscordOptions, "features" | "countBots">;
  readonly rest: DiscordRest;
  readonly application: ApplicationFacts;
  readonly chosen: ChosenIntents;
  readonly countBots: boolean;
}

export interface EdgeDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly lastHeard: LastHeard;
  /** Decides whose thread titles are hidden; without it, none are. */
  readonly consent?: Pick<Consent, "isLeftOut" | "listen">;
  readonly onTokenRefused?: (() => void) | undefined;
}

const SAVE_INTERVAL_MS = 5_000;
/** Guilds that Discord cannot reach, and very long member lists, are not awaited beyond this. */
const MAX_WELCOME_MS = 10_000;

/** Combines the parts of the edge: each dispatch goes to the directory first, so that the channel of a message is known. */
export class Edge implements Discord, GatewayListener {
  readonly applicationId: string;
  readonly botId: UserId;
  readonly botName: string;
  readonly directory: GuildDirectory;
  readonly limits: readonly string[];
  #state: ConnectionState = "connecting";
  #events = 0;
  #gaps = 0;
  readonly #savedAt = new Map<number, number>();
  /** Shared, because Discord allows few of these requests. */
  readonly #openingDms = new SingleFlight<UserId, ChannelId>();
  readonly #deps: EdgeDeps;
  readonly #rest: DiscordRest;
  readonly #files: FileHosts;
  readonly #search: GuildSearch;
  readonly #gateway: Gateway;
  readonly #members: MemberLoader | null;
  readonly #messages: MessageEvents;
  readonly #announcer: Announcer;
  readonly #interactions: InteractionListeners;
  readonly #commands: CommandRegistry;
  readonly #archives: ArchivedThreads;
  readonly #saving: NodeJS.Timeout;
  readonly #stopConsent: (() => void) | undefined;
  readonly #omitsOverwrites: boolean;
  /** Guilds announced but not yet described. */
  readonly #awaited = new Set<GuildId>();
  readonly #described = Promise.withResolvers<void>();

  constructor({ options, rest, application, chosen, countBots }: EdgeParts, deps: EdgeDeps) {
    const { botId } = application;
    const { clock } = deps;
    this.applicationId = application.id;
    this.botId = botId;
    this.botName = application.botName;
    this.limits = chosen.limits;
    this.#deps = deps;
    this.#announcer = new Announcer(clock, () => this.directory.guilds().map((guild) => guild.id));
    this.#rest = rest;
    this.#interactions = new InteractionListeners(rest);
    const delay = options.delay ?? realDelay;
    this.#commands = new CommandRegistry({ rest, applicationId: application.id, clock, delay, log: deps.log });
    this.#files = new FileHosts(options.api, options.files);
    this.#omitsOverwrites = options.omitsOverwrites ?? false;
    const { hearsMembers } = chosen;
    const { web } = options;
    const isLeftOut = (userId: UserId) => deps.consent?.isLeftOut(userId) ?? false;
    this.directory = new GuildDirectory({ botId, clock, ask: rest, hearsMembers, countBots, isLeftOut, web });
    this.#archives = new ArchivedThreads({ rest, directory: this.directory, botId, log: deps.log });
    const announce = (event: DiscordEvent) => this.#announcer.announce(event);
    this.#messages = new MessageEvents(this.directory, { botId, log: deps.log, announce });
    this.#stopConsent = deps.consent?.listen(({ userId }) => {
      for (const channelId of this.directory.threadsTitledBy(userId)) announce({ type: "channel", channelId });
    });
    this.#search = new GuildSearch({
      ask: (guildId, query, signal) => rest.search(guildId, query, signal),
      read: (raw, channelId) => this.#messages.read(raw, channelId),
      directory: this.directory,
      botId,
      clock,
    });
    const lastHeardBefore = (shard: readonly [number, number]) => deps.lastHeard.load(application.botId, shard);
    this.#gateway = new Gateway({ ...options, intents: chosen.bits, rest: rest.rest, lastHeardBefore }, this, deps);
    this.#members = hearsMembers
      ? new MemberLoader(this.directory, (request) => this.#gateway.send(request.d.guild_id, request), deps.log)
      : null;
    this.#saving = setInterval(() => void this.#saveLastHeard(), SAVE_INTERVAL_MS);
    this.#saving.unref();
  }

  /** A refused token is reported only while connected, because a lost connection is more urgent. */
  get state(): ConnectionState {
    return this.#state === "ready" && this.#rest.rest.token.isRefused ? "token_refused" : this.#state;
  }

  /** Resolves once every reachable guild has been described with its members, or after a timeout. */
  async connect(): Promise<void> {
    await this.#gateway.connect();
    const settled = this.#described.promise.then(() => this.#members?.whenIdle());
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, MAX_WELCOME_MS).unref())]);
    await this.#saveLastHeard();
  }

  listen(listener: EventListener): () => void {
    return this.#announcer.listen(listener);
  }

  letGoOf(authorId: UserId): void {
    this.#messages.letGoOf(authorId);
  }

  listenForPresses(kind: string, listener: (press: Press) => void): () => void {
    return this.#interactions.forPresses(kind, listener);
  }

  listenForCommands(listener: (run: CommandRun) => void): () => void {
    return this.#interactions.forCommands(listener);
  }

  listenForTyping(listener: (typing: Typing) => void): () => void {
    return this.#interactions.forTyping(listener);
  }

  listenForForms(listener: (filled: FilledForm) => void): () => void {
    return this.#interactions.forForms(listener);
  }

  async offerCommands(offers: readonly CommandOffer[]): Promise<void> {
    await this.#commands.offer(offers);
  }

  async history(channelId: ChannelId, page: HistoryPage, signal?: AbortSignal): Promise<HistoryRead> {
    await this.#mustRead(channelId);
    if (isPostList(this.directory.channel(channelId))) return { messages: [], isFull: false };
    const raws = await this.#orForget(channelId, this.#rest.history(channelId, page, signal));
    const messages = raws.map((raw) => this.#messages.read(raw, channelId)).filter((message) => message !== null);
    messages.sort((a, b) => compareIds(b.message_id, a.message_id));
    return { messages, isFull: raws.length >= page.limit };
  }

  async archive(channelId: ChannelId, before: string | null, signal?: AbortSignal): Promise<ArchivePage> {
    await this.#mustRead(channelId);
    return this.#archives.list(channelId, before, signal);
  }

  async message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | null> {
    await this.#mustRead(channelId);
    const raw = await this.#rest.message(channelId, messageId, signal);
    return raw && this.#messages.read(raw, channelId);
  }

  async reactions(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<readonly Reaction[]> {
    await this.#mustRead(channelId);
    return toReactions(await this.#rest.message(channelId, messageId, signal));
  }

  async search(guildId: GuildId, request: GuildSearchRequest, signal?: AbortSignal): Promise<GuildSearchAnswer> {
    return this.#search.search(guildId, request, signal);
  }

  async send(channelId: ChannelId, draft: Draft, leaving?: Leaving): Promise<Message> {
    await this.#mustRead(channelId);
    const held = this.directory.permissions(this.botId, channelId);
    if (!allowsSending(this.directory.channel(channelId), held)) throw mayNot("speak");
    const raw = await this.#orForget(channelId, this.#rest.send(channelId, draft, leaving));
    const message = this.#messages.read(raw, channelId);
    if (!message) throw outcomeUnknown();
    // The sender can read it at once; its later event is a duplicate.
    for (const event of this.#messages.announce(message)) this.#announcer.announce(event);
    return message;
  }

  async edit(message: MessageRef, note: Note, leaving?: Leaving): Promise<void> {
    await this.#mustRead(message.channelId);
    await this.#rest.edit(message, note, leaving);
  }

  async withdraw(message: MessageRef, leaving?: Leaving): Promise<void> {
    // Deleting discloses nothing, so an undescribed server is not awaited.
    const guildId = this.directory.channel(message.channelId)?.guildId;
    if (!guildId || this.directory.guild(guildId)?.available) await this.#mustRead(message.channelId);
    await this.#rest.withdraw(message, leaving);
  }

  async showTyping(channelId: ChannelId, leaving?: Leaving): Promise<void> {
    await this.#mustRead(channelId);
    await this.#rest.showTyping(channelId, leaving);
  }

  async react(channelId: ChannelId, messageId: MessageId, emoji: string, leaving?: Leaving): Promise<void> {
    await this.#mustRead(channelId);
    if (!(this.directory.permissions(this.botId, channelId) & PERMISSION.addReactions)) throw mayNot("react");
    await this.#rest.react({ channelId, messageId, emoji }, leaving);
  }

  async startThread(channelId: ChannelId, draft: ThreadDraft, leaving?: Leaving) {
    await this.#mustRead(channelId);
    const channel = this.directory.channel(channelId);
    if (!allowsThreads(channel, this.directory.permissions(this.botId, channelId))) throw mayNot("start threads");
    const isNews = channel?.kind === "announcement";
    const raw = await this.#rest.startThread(channelId, { ...draft, isNews }, leaving);
    const threadId = toId<ChannelId>(raw["id"]);
    if (!threadId) throw outcomeUnknown();
    await this.directory.learn(this.botId, threadId);
    // The first message of a post has the id of its thread. Some servers do not send it.
    const first = draft.post && (raw["message"] ?? (await this.#rest.message(threadId, String(threadId) as MessageId)));
    const message = first ? this.#messages.read(record(first), threadId) : null;
    if (draft.post && !message) throw outcomeUnknown();
    if (message) for (const event of this.#messages.announce(message)) this.#announcer.announce(event);
    return { threadId, message };
  }

  async openDm(userId: UserId): Promise<ChannelId> {
    const known = this.directory.directMessages(userId);
    if (known) return known;
    return this.#openingDms.run(userId, async () => this.directory.noteDm(await this.#rest.openDm(userId), userId));
  }

  async download(
    url: string,
    limits: DownloadLimits,
    signal?: AbortSignal,
  ): Promise<{ contentType: string; bytes: Uint8Array }> {
    return this.#files.download(url, limits, signal);
  }

  /** Forgets a DM that is unknown to Discord, so that it is opened again when needed; the deletion of a thread was missed. */
  async #orForget<Result>(channelId: ChannelId, request: Promise<Result>): Promise<Result> {
    return request.catch((error: unknown) => {
      if (isUnknownChannel(error)) {
        this.directory.forgetDm(channelId);
        for (const event of this.directory.forgetArchived(channelId)) this.#announcer.announce(event);
      }
      throw error;
    });
  }

  async #mustRead(channelId: ChannelId): Promise<void> {
    if (!this.directory.channel(channelId)) await this.directory.learn(this.botId, channelId);
    if (this.directory.canRead(this.botId, channelId)) return;
    throw new EarshotError("not_found", "There is no such channel, or the bot may not read it.");
  }

  lastHeardAt(): number | null {
    return this.#gateway.lastHeardAt;
  }

  stats(): DiscordStats {
    const { calls, waits, waitedMs } = this.#rest.rest;
    return {
      restCalls: calls,
      rateLimitWaits: waits,
      rateLimitWaitedMs: waitedMs,
      events: this.#events,
      gaps: this.#gaps,
      missingCommands: this.#commands.missing,
      lacksArchives: this.#archives.isMissing,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#saving);
    this.#stopConsent?.();
    this.#members?.close();
    this.#commands.close();
    await this.#saveLastHeard();
    await this.#gateway.close();
    this.#rest.close();
  }

  /** @see GatewayListener */
  dispatch(type: string, data: unknown, isLate: boolean): void {
    this.#events += 1;
    if (type === "READY") this.#archives.recheck();
    const raw = this.#omitsOverwrites ? fillOverwrites(type, record(data)) : record(data);
    this.#rest.rest.refusals.hear(type, raw, this);
    // A late event would replace newer roles by older ones, including those of the message's author.
    if (!isLate) for (const event of this.directory.apply(type, raw)) this.#announcer.announce(event);
    this.#members?.apply(type, raw);
    if (!isWhisper(raw)) for (const event of this.#messages.toEvents(type, raw)) this.#announcer.announce(event);
    this.#interactions.hear(type, raw);
    if (type === "READY" || type === "GUILD_CREATE" || type === "GUILD_DELETE") this.#noteDescribed(type, raw);
  }

  #noteDescribed(type: string, raw: Raw): void {
    if (type !== "READY") this.#awaited.delete(String(raw["id"]) as GuildId);
    else for (const guild of list(raw["guilds"])) this.#awaited.add(String(record(guild)["id"]) as GuildId);
    if (this.#awaited.size === 0) this.#described.resolve();
  }

  gap(gap: Omit<Gap, "type" | "guildIds">, shard: Shard): void {
    this.#gaps += 1;
    this.#announcer.announce({ type: "gap", ...gap, guildIds: this.#guildsOn(shard) });
  }

  /** Includes guilds that Discord has announced and not described yet. */
  #guildsOn(shard: Shard): GuildId[] {
    const announced = [...this.#awaited].filter((id) => isOnShard(id, shard));
    return [...new Set([...this.directory.guildsOn(shard).map((guild) => guild.id), ...announced])];
  }

  receiving(shard: Shard, receiving: boolean): void {
    for (const event of this.directory.setTrusted(shard, receiving)) this.#announcer.announce(event);
  }

  changed(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#announceState();
  }

  /** Discord began to refuse the bot token, or accepts it again. */
  tokenChanged(): void {
    if (this.#state === "ready") this.#announceState();
  }

  #announceState(): void {
    this.#announcer.announce({ type: "connection", state: this.state });
  }

  failed(error: Error): void {
    this.#deps.log.error({ problem: error.message }, "the gateway connection ended for good");
    this.changed("closed");
  }

  async #saveLastHeard(): Promise<void> {
    const unsaved = this.#gateway.heard().filter(({ shard: [id], at }) => this.#savedAt.get(id) !== at);
    try {
      for (const { shard, at } of unsaved) {
        await this.#deps.lastHeard.save(this.botId, shard, at);
        this.#savedAt.set(shard[0], at);
      }
    } catch (error) {
      // A lost value only makes the next reported gap longer.
      this.#deps.log.warn({ error: String(error) }, "cannot note when Discord was last heard");
    }
  }
}

function mayNot(what: string): EarshotError {
  return new EarshotError("forbidden", `The bot may not ${what} in that channel; a moderator can allow it.`);
}
