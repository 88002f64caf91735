import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Fact, FactScope, FactVisibility } from "../domain/memory/fact.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { DisplayNames } from "../domain/names/resolve-name.ts";
import type { Pacer, Steps } from "../domain/steps/pace.ts";
import type { MentionNames } from "../domain/text/replace-mentions.ts";
import type { HistoryPage, Reaction } from "../ports/discord.ts";
import type { Passage } from "../ports/documents.ts";
import type { ProfileSource, ProfileValue } from "../ports/profile-source.ts";
import type { Hit, SearchResult } from "../ports/search.ts";
import type { Read, ReadOptions } from "../ports/timelines.ts";

/** How a read may be bounded by a tool; cancellation and progress are the view's own business. */
export type Bounds = Pick<ReadOptions, "limit" | "scan" | "cursor" | "withoutEchoes">;

/** A channel or thread that the actor and the bot may both read. */
export interface ChannelView {
  readonly channel: Channel;
  recent(bounds: Bounds): Promise<Read>;
  before(messageId: MessageId, bounds: Bounds): Promise<Read>;
  after(messageId: MessageId, bounds: Bounds): Promise<Read>;
  around(messageId: MessageId, bounds: Bounds): Promise<Read>;
  /** One message; undefined when there is none of that id. */
  message(messageId: MessageId): Promise<Message | undefined>;
  /** How people reacted to it, now. */
  reactions(messageId: MessageId): Promise<readonly Reaction[]>;
  /** Straight from Discord, past everything held. */
  fresh(page: HistoryPage): Promise<Read>;
  search(query: string, bounds: Bounds & { readonly before?: MessageId }): Promise<Read>;
  /** Messages between two times (milliseconds, both included), from the newest on. */
  range(span: { readonly from: number; readonly to: number }, bounds: Bounds): Promise<Read>;
}

/** A search as it was typed. */
export interface TypedSearch {
  /** Words or a question, with Discord's own operators; may be empty where `from` says whose messages are wanted. */
  readonly query: string;
  /** Without a query everything is found, the newest first. */
  readonly everything?: boolean;
  /** For a request with a time and a channel only: find the largest conversations of each day. */
  readonly byDay?: boolean;
  /** Only there, by name, mention or id. */
  readonly channel?: string;
  /** Only by this person, by name, mention or id; "me" is the actor. */
  readonly from?: string;
  /** Times in plain words. */
  readonly since?: string;
  readonly until?: string;
  readonly includeBots: boolean;
  /** Includes questions to the agent, and its answers. They are also included if the agent's own messages are requested, or messages that mention it. */
  readonly includeOwn?: boolean;
  readonly limit: number;
  readonly scan: number;
  /** Only what is held: Discord is asked nothing. */
  readonly heldOnly?: boolean;
  readonly cursor?: string;
}

export interface ViewSearchResult extends Omit<SearchResult, "hits" | "counted" | "older"> {
  /** `not_listed`: everything was searched but archived threads, not all of which are known yet. */
  readonly older: SearchResult["older"] | "not_listed";
  /** The best first, each with where it was said. */
  readonly hits: readonly (Hit & { readonly channel: Channel })[];
}

/** A summary, with the messages that each part rests on. */
export interface ViewSummary {
  readonly points: readonly { readonly text: string; readonly cites: readonly Message[] }[];
  readonly by: "model" | "extract";
}

export interface GuildView {
  readonly id: GuildId;
  readonly name: string;
}

export interface PeopleRequest {
  /** A server's name or id; by default where the request was made, or all that may be named where that is in none. */
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
  /** Nickname, display name, username; the first is the one that is shown. */
  readonly names: readonly string[];
  readonly bot: boolean;
  /** Names, the highest first. Empty also where they are not known. */
  readonly roles: readonly string[];
  readonly guild: GuildView;
}

export interface PeoplePage {
  /** Null where several were asked. */
  readonly guild: GuildView | null;
  /** One server after the other, in the order of their ids. */
  readonly people: readonly ListedPerson[];
  /** All members are known, with their roles. */
  readonly isComplete: boolean;
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
}

/** A fact that may be heard here. */
export interface HeardFact {
  readonly fact: Fact;
  /** To the messages that it rests on, where those who read the answer may read them. */
  readonly links: readonly string[];
  /** The operator's name for its project; null without a name, and for other facts. */
  readonly project: string | null;
}

export interface HeardFacts {
  readonly facts: readonly HeardFact[];
  /** There are more that may be heard here than one call hands out. */
  readonly hasMore: boolean;
}

/** An authoritative value about a person, from Discord or the operator's service. */
export interface ProfileField extends Pick<ProfileSource, "origin"> {
  /** Names it, as labels and the audit do. */
  readonly ref: string;
  readonly person: UserId;
  readonly key: string;
  readonly value: ProfileValue;
  readonly visibility: FactVisibility;
  /** The server in which it is shared; null for what is private. */
  readonly guildId: GuildId | null;
}

/** Told in place of remembered facts of the same key. */
export interface HeardField extends ProfileField {
  /** Whether one of those says otherwise; null when there is none. */
  readonly factsDiffer: boolean | null;
}

export interface HeardProfile {
  readonly fields: readonly ProfileField[];
  /** A source could not be read. */
  readonly isUnavailable: boolean;
}

/** The known data about a person: their profile, and facts. */
export interface HeardPerson extends HeardFacts {
  /** It is the person asking. */
  readonly isActor: boolean;
  readonly profile: readonly HeardField[];
  readonly isProfileUnavailable: boolean;
}

export interface FoundFacts {
  /** The best first. */
  readonly found: readonly (HeardFact | HeardField)[];
  readonly isProfileUnavailable: boolean;
}

/** Passages of documents that may be heard here. */
export interface FoundPassages {
  /** The best first. */
  readonly passages: readonly Passage[];
  /** Names of folders that may be heard here and cannot be read at the moment. */
  readonly unreadable: readonly string[];
}

/** A bot that those who read the answer share a server with. */
export interface KnownBot {
  readonly id: UserId;
  /** The first is the one that is shown. */
  readonly names: readonly string[];
}

/** A message of a bot to the agent, and the agent's reply; one of the two may be gone. */
interface BotExchange {
  readonly bot: KnownBot;
  readonly said: Message | null;
  readonly replied: Message | null;
}

export interface RecallRequest {
  /** A bot's name, mention or id; "any" for all bots. */
  readonly bot: string;
  /** The topic; the latest exchange if empty. */
  readonly topic: string;
  readonly limit: number;
}

export type BotRecall =
  /** Talks are not kept here. */
  | { readonly kind: "off" }
  | { readonly kind: "no_bots" }
  | {
      readonly kind: "unknown_bot";
      readonly known: readonly KnownBot[];
      /** A person has that name. */
      readonly isPerson: boolean;
    }
  | { readonly kind: "several_bots"; readonly candidates: readonly KnownBot[] }
  | {
      readonly kind: "recalled";
      /** Null for any bot. */
      readonly bot: KnownBot | null;
      /** With a topic the best first, otherwise the newest. */
      readonly exchanges: readonly BotExchange[];
      /** The bot's messages to others about the topic; only if it said nothing about it to the agent. */
      readonly toOthers: readonly { readonly bot: KnownBot; readonly said: Message }[];
      /** Older history was left to Discord's search, which could not be asked. */
      readonly isPartial: boolean;
    };

export interface SendRequest {
  readonly channelId: ChannelId;
  readonly text: string;
  readonly replyTo?: MessageId;
  /** People in the text who may be pinged; none by default. */
  readonly mentions: readonly UserId[];
  /** The same key within an operation sends once. */
  readonly key?: string;
}

export interface ThreadRequest {
  /** A text or announcement channel, or a forum. */
  readonly channelId: ChannelId;
  readonly name: string;
  readonly text: string;
  readonly messageId?: MessageId;
  /** Names, of a forum's tags. */
  readonly tags: readonly string[];
}

/** A model's proposal to remember a fact. */
export interface RememberProposal {
  /** The person asking, or the project or the server where they ask. */
  readonly about: FactScope;
  readonly key: string;
  readonly value: unknown;
  /** The audience of a fact about the person asking. */
  readonly visibility: FactVisibility;
  /** As long as the operator allows when absent. */
  readonly days?: number;
  /** The message of the person asking in which its words stand, if not the request itself. */
  readonly said?: MessageRef;
}

/** A fact by its id, or by its key and what it is about. */
export interface ForgetRequest {
  readonly factId?: string;
  readonly key?: string;
  readonly about: FactScope;
}

export interface AttachmentRequest {
  readonly url: string;
  /** The channel of the message; by default the channel in the address. */
  readonly channelId?: ChannelId;
  readonly messageId?: MessageId;
}

interface Profile {
  readonly name: string;
  /** Names of their roles, the highest first. */
  readonly roles: readonly string[];
}

interface Page {
  /** See `renderBlock`. */
  readonly nonce: string;
  readonly now: number;
  /** How people are told apart in all that is written within the operation. */
  readonly displayNames: DisplayNames;
  /** A short name for a message, by which it can be cited and asked about. */
  handle(message: Pick<Message, "message_id" | "channel_id">): string;
  /** The same for a fact. */
  factHandle(factId: string): string;
  /** Names that those who read the answer may know, for what is said in a server. */
  names(guildId: GuildId | null): MentionNames;
}

/** Everything that a tool can reach, already narrowed to one operation. Data that the actor or the bot may not read is absent. */
export interface View {
  readonly actor: UserId;
  /** The bot, as people know it. */
  readonly agent: { readonly id: UserId; readonly name: string };
  /** The rendering state of the text for a model. */
  readonly page: Page;
  /** The actor alone reads the answer. */
  readonly isPrivate: boolean;
  /** The operator's own client asks, which may not read what people have remembered for themselves alone. */
  readonly isOperator: boolean;
  /** The grant of the client allows to read what is shared: `memory:read_project`. */
  readonly mayReadShared: boolean;
  /** The actor's member data in the server of the request; null if it is uncertain, and in direct messages. */
  profile(): Profile | null;
  /** Throws `not_found` for what is absent or not to be known. */
  channel(id: ChannelId): Promise<ChannelView>;
  /**
   * The channel of a message that is given by its id, by a short name from an earlier answer, or by a link. Throws `not_found`, always with the same message,
   * if it is absent or hidden.
   */
  locate(reference: string): Promise<{ readonly channel: ChannelView; readonly messageId: MessageId }>;
  /** The same, without looking whether it may be read: an effect decides about that itself. With a channel, as named, the message is taken to stand there. */
  addressOf(
    reference: string,
    channel?: string,
  ): Promise<{ readonly channelId: ChannelId; readonly messageId: MessageId }>;
  /** The channel of the request; null without one. */
  readonly here: ChannelId | null;
  /** Its server; null in direct messages, and for nowhere. */
  readonly guildId: GuildId | null;
  /** The message of the request; null if it is not one. */
  readonly requestMessageId: MessageId | null;
  /** It wants, by 🚫, an answer from the question alone. */
  readonly isIsolated: boolean;
  /** The channel that is meant by its name, a mention of it or its id. Throws `not_found`, or `invalid` with the candidates where several could be meant. */
  channelNamed(name: string): Promise<ChannelView>;
  /** Its id only. One that was given is returned as it is: an effect decides about that itself. */
  channelIdOf(name: string): Promise<ChannelId>;
  /** Whatever fits best, anywhere the answer may draw on. Throws as `channelNamed` does, for people too. */
  search(request: TypedSearch): Promise<ViewSearchResult>;
  /** A time in plain words as milliseconds. Throws `invalid` for what is no time. */
  time(words: string): Promise<{ readonly from: number; readonly to: number }>;
  /** To be told to the person asking: how this call read dates that can be read in two ways. */
  timeNotes(): readonly string[];
  /** A summary of messages that were read within this call. */
  summarise(channel: ChannelView, messages: readonly Message[], focus: string | undefined): Promise<ViewSummary>;
  /** Runs long work with pauses, so that other work is not delayed. Throws `cancelled` when the call is cancelled. */
  inSteps<Result>(work: (pacer: Pacer) => Steps<Result>): Promise<Result>;
  /** The actor's last message there before the request, however old; null if unknown. */
  lastHere(channel: ChannelView): Promise<Message | null>;
  /** Facts about a person, by name, mention or id; about the actor by default. Only facts that may be heard here. */
  factsAbout(person: string | undefined, key: string | undefined): Promise<HeardPerson>;
  /** Facts about a server and its projects. Only facts that may be heard here. Without a server, that of the request, or all that may be named. */
  sharedFacts(key: string | undefined, server: string | undefined): Promise<HeardFacts>;
  /** The best matches among the actor's own facts and profile, and among the facts shared in the server of the request. */
  searchFacts(words: string, limit: number): Promise<FoundFacts>;
  /** The best matches among the facts shared in the server of the request. Private facts are not included: they must be requested explicitly. */
  fittingFacts(words: string, limit: number): Promise<readonly HeardFact[]>;
  /** The best matches in the operator's documents. Only passages that may be heard here. */
  searchDocuments(words: string, limit: number): Promise<FoundPassages>;
  /** Talks of the agent with other bots. Throws `unavailable` or `rate_limited` where nothing was found and not everything could be looked at. */
  recallBots(request: RecallRequest): Promise<BotRecall>;
  /** Messages of the actor's own talks with the agent in other channels that fit some words, the best first. */
  ownTalks(words: string, limit: number): Promise<readonly Message[]>;
  /** Throws `confirmation_needed` until the person asking has decided. */
  remember(proposal: RememberProposal): Promise<void>;
  /** Throws `not_found` for what may not be heard here, `confirmation_needed` until the person asking has decided. */
  forget(request: ForgetRequest): Promise<void>;
  /** The actor's own DM with the bot, opened as needed. Throws `not_found` for another person's. */
  directMessages(userId?: UserId): Promise<ChannelView>;
  guilds(): Promise<readonly GuildView[]>;
  /** Members of a server. Throws `not_found`, or `invalid` with the candidates where several servers could be meant. */
  people(request: PeopleRequest): Promise<PeoplePage>;
  /**
   * Channels and active threads of a server, in Discord's order. The server is given by name or id; without, it is that of the request, or the only one
   * that may be named. Throws as `channelNamed` does.
   */
  channels(server: string | undefined): Promise<readonly Channel[]>;
  /** Resolves to the messages sent: long text becomes several. */
  send(request: SendRequest): Promise<readonly Message[]>;
  react(channelId: ChannelId, messageId: MessageId, emoji: string): Promise<void>;
  /** Only what this client sent for this actor; anything else is `not_found`. */
  edit(message: MessageRef, text: string): Promise<void>;
  delete(message: MessageRef): Promise<void>;
  showTyping(channelId: ChannelId): Promise<void>;
  /** Starts a public thread, or a post in a forum. Resolves to its first message. */
  startThread(request: ThreadRequest): Promise<Message>;
  /** The bytes of an attachment the actor may read; its link may have expired. */
  attachment(request: AttachmentRequest): Promise<{ readonly contentType: string; readonly bytes: Uint8Array }>;
}
