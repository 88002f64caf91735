import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Fact, FactScope, FactVisibility } from "../domain/memory/fact.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { DisplayNames } from "../domain/names/resolve-name.ts";
import type { Pacer, Steps } from "../domain/steps/pace.ts";
import type { MentionNames } from "../domain/text/replace-mentions.ts";
import type { TimeSpan } from "../domain/time/time-words.ts";
import type { HistoryPage, Reaction } from "../ports/discord.ts";
import type { Passage } from "../ports/documents.ts";
import type { ProfileSource, ProfileValue } from "../ports/profile-source.ts";
import type { Hit, SearchResult } from "../ports/search.ts";
import type { Read, ReadOptions } from "../ports/timelines.ts";
import type { BotRecall, RecallRequest } from "./bot-recall.ts";

/** The limits of a read that a tool may set; the view adds cancellation and progress. */
export type Bounds = Pick<ReadOptions, "limit" | "scan" | "cursor" | "withoutEchoes">;

/** A channel or thread that both actor and bot may read. */
export interface ChannelView {
  readonly channel: Channel;
  recent(bounds: Bounds): Promise<Read>;
  before(messageId: MessageId, bounds: Bounds): Promise<Read>;
  after(messageId: MessageId, bounds: Bounds): Promise<Read>;
  around(messageId: MessageId, bounds: Bounds): Promise<Read>;
  /** One message; undefined if it does not exist. */
  message(messageId: MessageId): Promise<Message | undefined>;
  /** The current reactions to it. */
  reactions(messageId: MessageId): Promise<readonly Reaction[]>;
  /** Straight from Discord, past the cache. */
  fresh(page: HistoryPage): Promise<Read>;
  search(query: string, bounds: Bounds & { readonly before?: MessageId }): Promise<Read>;
  /** Messages between two times (milliseconds, both included), from the newest on. */
  range(span: TimeSpan, bounds: Bounds): Promise<Read>;
  /** The actor's last message there before the request, however old; null if unknown. */
  lastOwn(): Promise<Message | null>;
  /** A summary of messages read within this call. */
  summarise(messages: readonly Message[], focus: string | undefined): Promise<ViewSummary>;
}

/** A search as typed. */
export interface TypedSearch {
  /** Words or a question, with Discord's own operators; may be empty with `from`. */
  readonly query: string;
  /** Without a query, finds everything, the newest first. */
  readonly everything?: boolean;
  /** For a request with a time and a channel only: finds the largest conversations of each day. */
  readonly byDay?: boolean;
  /** Restricts it to a channel, by name, mention or id. */
  readonly channel?: string;
  /** Restricts it to a person, by name, mention or id; "me" is the actor. */
  readonly from?: string;
  /** Times in plain words. */
  readonly since?: string;
  readonly until?: string;
  readonly includeBots: boolean;
  /** Includes questions to the agent, and its answers. They are also included if the agent's own messages are requested, or messages that mention it. */
  readonly includeOwn?: boolean;
  readonly limit: number;
  readonly scan: number;
  /** Searches the cache only, without requests to Discord. */
  readonly heldOnly?: boolean;
  readonly cursor?: string;
}

export interface ViewSearchResult extends Omit<SearchResult, "hits" | "counted" | "older"> {
  /** `not_listed`: everything was searched except archived threads, some of which are unknown yet. */
  readonly older: SearchResult["older"] | "not_listed";
  /** The best first, each with its channel. */
  readonly hits: readonly (Hit & { readonly channel: Channel })[];
}

/** A summary, with the messages that each point rests on. */
export interface ViewSummary {
  readonly points: readonly { readonly text: string; readonly cites: readonly Message[] }[];
  readonly by: "model" | "extract";
}

export interface GuildView {
  readonly id: GuildId;
  readonly name: string;
}

export interface PeopleRequest {
  /** A server's name or id; by default the server of the request, or all that may be named for a request from outside of servers. */
  readonly server?: string;
  /** Words of names or of role names, all of which must occur. */
  readonly query?: string;
  /** A role's name, mention or id. */
  readonly role?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface ListedPerson {
  readonly id: UserId;
  /** Nickname, display name, username; the first one is displayed. */
  readonly names: readonly string[];
  readonly bot: boolean;
  /** Names, the highest first. Empty also if unknown. */
  readonly roles: readonly string[];
  readonly guild: GuildView;
}

export interface PeoplePage {
  /** Null if there are several. */
  readonly guild: GuildView | null;
  /** One server after the other, ordered by id. */
  readonly people: readonly ListedPerson[];
  /** All members are known, with their roles. */
  readonly isComplete: boolean;
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
}

/** A fact that may be used here. */
export interface HeardFact {
  readonly fact: Fact;
  /** Links to the messages that it rests on, if the readers of the answer may read them. */
  readonly links: readonly string[];
  /** The operator's name for its project; null without a name, and for other facts. */
  readonly project: string | null;
}

export interface HeardFacts {
  readonly facts: readonly HeardFact[];
  /** There are more usable facts than one call returns. */
  readonly hasMore: boolean;
}

/** An authoritative value about a person, from Discord or the operator's service. */
export interface ProfileField extends Pick<ProfileSource, "origin"> {
  /** Its reference in labels and the audit. */
  readonly ref: string;
  readonly person: UserId;
  readonly key: string;
  readonly value: ProfileValue;
  readonly visibility: FactVisibility;
  /** The server in which it is shared; null if it is private. */
  readonly guildId: GuildId | null;
}

/** Returned instead of facts of the same key. */
export interface HeardField extends ProfileField {
  /** Whether one of those facts has another value; null without any. */
  readonly factsDiffer: boolean | null;
}

export interface HeardProfile {
  readonly fields: readonly ProfileField[];
  readonly isUnavailable: boolean;
}

/** The known data about a person: their profile, and facts. */
export interface HeardPerson extends HeardFacts {
  readonly isActor: boolean;
  readonly profile: readonly HeardField[];
  readonly isProfileUnavailable: boolean;
}

export interface FoundFacts {
  /** The best first. */
  readonly found: readonly (HeardFact | HeardField)[];
  readonly isProfileUnavailable: boolean;
}

/** Passages of documents that may be used here. */
export interface FoundPassages {
  /** The best first. */
  readonly passages: readonly Passage[];
  /** Names of folders that may be used here and cannot be read at the moment. */
  readonly unreadable: readonly string[];
}

export interface SendRequest {
  readonly channelId: ChannelId;
  readonly text: string;
  readonly replyTo?: MessageId;
  /** People in the text who may be pinged; none by default. */
  readonly mentions: readonly UserId[];
  /** Sends with the same key within an operation are sent once. */
  readonly key?: string;
}

export interface ThreadRequest {
  /** A text or announcement channel, or a forum. */
  readonly channelId: ChannelId;
  readonly name: string;
  readonly text: string;
  readonly messageId?: MessageId;
  /** Names of a forum's tags. */
  readonly tags: readonly string[];
}

/** A model's proposal to remember a fact. */
export interface RememberProposal {
  /** The actor, or the project or server of the request. */
  readonly about: FactScope;
  readonly key: string;
  readonly value: unknown;
  /** The audience of a fact about the actor. */
  readonly visibility: FactVisibility;
  /** By default, as long as the operator allows. */
  readonly days?: number;
  /** The actor's message with the fact's words, if not the request itself. */
  readonly said?: MessageRef;
}

/** A fact by id, or by its key and subject. */
export interface ForgetRequest {
  readonly factId?: string;
  readonly key?: string;
  readonly about: FactScope;
}

export interface AttachmentRequest {
  readonly url: string;
  /** By default the channel in the address. */
  readonly channelId?: ChannelId;
  readonly messageId?: MessageId;
}

export interface Profile {
  readonly name: string;
  /** Names of their roles, the highest first. */
  readonly roles: readonly string[];
}

/** The circumstances of a call. */
export interface RequestView {
  readonly actor: UserId;
  /** The bot, under its displayed name. */
  readonly agent: { readonly id: UserId; readonly name: string };
  /** The channel of the request; null without one. */
  readonly here: ChannelId | null;
  /** The server of `here`; null in direct messages, and without a channel. */
  readonly guildId: GuildId | null;
  /** Null if the request is not a message. */
  readonly messageId: MessageId | null;
  /** Only the actor reads the answer. */
  readonly isPrivate: boolean;
  /** The message requested an isolated answer (🚫). */
  readonly isIsolated: boolean;
  /** The client is the operator's own, which may not read people's private facts. */
  readonly isOperator: boolean;
  /** The client's grant allows shared facts: `memory:read_project`. */
  readonly mayReadShared: boolean;
}

/** The rendering state of the text for a model. */
export interface PageView {
  /** See `renderBlock`. */
  readonly nonce: string;
  readonly now: number;
  /** People's names in all text of the operation. */
  readonly displayNames: DisplayNames;
  /** A handle for a message, for citations and requests. */
  handle(message: Pick<Message, "message_id" | "channel_id">): string;
  /** A handle for a fact. */
  factHandle(factId: string): string;
  /** Names that the readers of the answer may know, for text from a server. */
  names(guildId: GuildId | null): MentionNames;
}

export interface PaceView {
  /** Runs long work in steps, so that other work is not delayed. Throws `cancelled` when the call is cancelled. */
  run<Result>(work: (pacer: Pacer) => Steps<Result>): Promise<Result>;
}

interface TimesView {
  /** A time in plain words as milliseconds. Throws `invalid` for anything else. */
  read(words: string): Promise<TimeSpan>;
  /** Notes for the actor on this call's reading of ambiguous dates. */
  readonly notes: readonly string[];
}

export interface ChannelsView {
  /** Throws `not_found` for an absent or hidden channel. */
  open(id: ChannelId): Promise<ChannelView>;
  /** A channel by name, mention or id. Throws `not_found`, or `invalid` with the candidates if the name is ambiguous. */
  named(name: string): Promise<ChannelView>;
  /** Its id only. A given id is returned unchecked, because an effect performs its own check. */
  idOf(name: string): Promise<ChannelId>;
  /** The actor's own DM with the bot, opened if needed. Throws `not_found` for another person's. */
  directMessages(userId?: UserId): Promise<ChannelView>;
  /**
   * Channels and active threads of a server, in Discord's order. The server by name or id; by default that of the request, or the only one
   * that may be named. Throws as `named` does.
   */
  list(server: string | undefined): Promise<readonly Channel[]>;
  servers(): Promise<readonly GuildView[]>;
}

export interface MessagesView {
  /** The best matches in everything that the answer may use. Throws as `ChannelsView.named` does, for people, too. */
  search(request: TypedSearch): Promise<ViewSearchResult>;
  /**
   * The channel of a message, by its id, a handle from an earlier answer, or a link. Throws `not_found`, always with the same message, if
   * it is absent or hidden.
   */
  locate(reference: string): Promise<{ readonly channel: ChannelView; readonly messageId: MessageId }>;
  /** The same without an access check, because an effect performs its own. With a named channel, the message is assumed to be there. */
  addressOf(reference: string, channel?: string): Promise<MessageRef>;
  /** The bytes of an attachment that the actor may read; its link may have expired. */
  attachment(request: AttachmentRequest): Promise<{ readonly contentType: string; readonly bytes: Uint8Array }>;
}

interface PeopleView {
  /** The actor's member data in the server of the request; null if it is uncertain, and in direct messages. */
  profile(): Profile | null;
  /** Members of a server. Throws `not_found`, or `invalid` with the candidates if the server's name is ambiguous. */
  list(request: PeopleRequest): Promise<PeoplePage>;
}

/** Only facts that may be used here. */
export interface FactsView {
  /** About a person, by name, mention or id; about the actor by default. */
  about(person: string | undefined, key: string | undefined): Promise<HeardPerson>;
  /** About a server and its projects. Without a server, that of the request, or all that may be named. */
  shared(key: string | undefined, server: string | undefined): Promise<HeardFacts>;
  /** The best matches among the actor's own facts and profile, and among the facts shared in the server of the request. */
  search(words: string, limit: number): Promise<FoundFacts>;
  /** The best matches among the facts shared in the server of the request. Without private facts, which must be requested explicitly. */
  fit(words: string, limit: number): Promise<readonly HeardFact[]>;
}

/** Each throws `confirmation_needed` until the actor has decided. */
interface ProposalsView {
  remember(proposal: RememberProposal): Promise<void>;
  /** Throws `not_found` for a fact that may not be used here. */
  forget(request: ForgetRequest): Promise<void>;
}

interface DocumentsView {
  /** The best matches in the operator's documents. Only passages that may be used here. */
  search(words: string, limit: number): Promise<FoundPassages>;
}

export interface TalksView {
  /** Talks of the agent with other bots. Throws `unavailable` or `rate_limited` if nothing was found and not everything could be
   * searched. */
  recall(request: RecallRequest): Promise<BotRecall>;
  /** Messages of the actor's own talks with the agent in other channels that match some words, the best first. */
  own(words: string, limit: number): Promise<readonly Message[]>;
}

interface EffectsView {
  /** Resolves to the messages sent: long text becomes several. */
  send(request: SendRequest): Promise<readonly Message[]>;
  react(channelId: ChannelId, messageId: MessageId, emoji: string): Promise<void>;
  /** Only messages that this client sent for this actor; for others throws `not_found`. */
  edit(message: MessageRef, text: string): Promise<void>;
  delete(message: MessageRef): Promise<void>;
  showTyping(channelId: ChannelId): Promise<void>;
  /** Starts a public thread, or a post in a forum. Resolves to its first message. */
  startThread(request: ThreadRequest): Promise<Message>;
}

/** Everything that a tool can reach, restricted to one operation. Data that the actor or the bot may not read is absent. */
export interface View {
  readonly request: RequestView;
  readonly page: PageView;
  readonly pace: PaceView;
  readonly times: TimesView;
  readonly channels: ChannelsView;
  readonly messages: MessagesView;
  readonly people: PeopleView;
  readonly facts: FactsView;
  readonly proposals: ProposalsView;
  readonly documents: DocumentsView;
  readonly talks: TalksView;
  readonly effects: EffectsView;
}
