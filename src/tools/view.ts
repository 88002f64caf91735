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
  /** Those between two times (milliseconds, both included), from the newest on. */
  range(span: { readonly from: number; readonly to: number }, bounds: Bounds): Promise<Read>;
}

/** A search as it was typed. */
export interface TypedSearch {
  /** Words or a question, with Discord's own operators; may be empty where `from` says whose messages are wanted. */
  readonly query: string;
  /** Without a query everything is found, the newest first. */
  readonly everything?: boolean;
  /** Where nothing but a time and a channel is given, the largest conversations of each day are found. */
  readonly byDay?: boolean;
  /** Only there, by name, mention or id. */
  readonly channel?: string;
  /** Only by this person, by name, mention or id; "me" is the actor. */
  readonly from?: string;
  /** Times in plain words. */
  readonly since?: string;
  readonly until?: string;
  readonly includeBots: boolean;
  /** Also questions put to the agent, and its answers. Those are meant as well where its own messages are asked for, or such as mention it. */
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

/** What was said in short, with the messages that each part rests on. */
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
  /** Where the next page begins; null when there is none. */
  readonly next: string | null;
}

/** A fact that may be heard here. */
export interface HeardFact {
  readonly fact: Fact;
  /** To the messages that it rests on, where those who read the answer may read them. */
  readonly links: readonly string[];
  /** What the operator calls its project; null where it has no name, and for other facts. */
  readonly project: string | null;
}

export interface HeardFacts {
  readonly facts: readonly HeardFact[];
  /** There are more that may be heard here than one call hands out. */
  readonly hasMore: boolean;
}

/** What a profile says about somebody, with authority: Discord's own, or that of a service of the operator's. */
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

/** What is known about somebody: what their profile says, and what else is remembered. */
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

/** What a bot said to the agent, and what the agent replied; one of the two may be gone. */
interface BotExchange {
  readonly bot: KnownBot;
  readonly said: Message | null;
  readonly replied: Message | null;
}

export interface RecallRequest {
  /** A bot's name, mention or id; "any" for all bots. */
  readonly bot: string;
  /** What it was about; the latest when empty. */
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
      /** What the bot said to others about the topic; only where it said nothing about it to the agent. */
      readonly toOthers: readonly { readonly bot: KnownBot; readonly said: Message }[];
      /** Older history was left to Discord's search, which could not be asked. */
      readonly isPartial: boolean;
    };

export interface SendRequest {
  readonly channelId: ChannelId;
  readonly text: string;
  readonly replyTo?: MessageId;
  /** Who may be pinged, of those the text mentions; nobody by default. */
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

/** What a model proposes to have remembered. */
export interface RememberProposal {
  /** The person asking, or the project or the server where they ask. */
  readonly about: FactScope;
  readonly key: string;
  readonly value: unknown;
  /** Of what is about the person asking, with whom it is shared. */
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
  /** Where the message stands; by default the channel in the address. */
  readonly channelId?: ChannelId;
  readonly messageId?: MessageId;
}

/** Somebody as a member of a server. */
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

/** All that a tool can reach, already narrowed to one operation. What the actor or the bot may not read is absent from it. */
export interface View {
  readonly actor: UserId;
  /** The bot, as people know it. */
  readonly agent: { readonly id: UserId; readonly name: string };
  /** What a text for a model is written with. */
  readonly page: Page;
  /** The actor alone reads the answer. */
  readonly isPrivate: boolean;
  /** The operator's own client asks, which may not read what people have remembered for themselves alone. */
  readonly isOperator: boolean;
  /** The grant of the client allows to read what is shared: `memory:read_project`. */
  readonly mayReadShared: boolean;
  /** What Discord shows everybody of the actor where the request was made; null where it is not certain, and in direct messages. */
  profile(): Profile | null;
  /** Throws `not_found` for what is absent or not to be known. */
  channel(id: ChannelId): Promise<ChannelView>;
  /**
   * Where a message stands that is named by its id, by a short name from an earlier answer, or by a link. Throws `not_found`, always in the
   * same words, for what is absent or not to be known.
   */
  locate(reference: string): Promise<{ readonly channel: ChannelView; readonly messageId: MessageId }>;
  /** The same, without looking whether it may be read: an effect decides about that itself. With a channel, as named, the message is taken to stand there. */
  addressOf(
    reference: string,
    channel?: string,
  ): Promise<{ readonly channelId: ChannelId; readonly messageId: MessageId }>;
  /** Where the request was made; null for nowhere in Discord. */
  readonly here: ChannelId | null;
  /** Its server; null in direct messages, and for nowhere. */
  readonly guildId: GuildId | null;
  /** The message of the request; null if it is not one. */
  readonly requestMessageId: MessageId | null;
  /** It wants, by 🚫, an answer from the question alone. */
  readonly isIsolated: boolean;
  /**
   * The channel that is meant by its name, a mention of it or its id. Throws `not_found`, or `invalid` with the candidates where several could be
   * meant.
   */
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
  /** Does long work with pauses, so that nobody else waits for it. Throws `cancelled` when the call is called off meanwhile. */
  inSteps<Result>(work: (pacer: Pacer) => Steps<Result>): Promise<Result>;
  /** What the actor last said there, before asking, also where that is long ago; null when nobody knows. */
  lastHere(channel: ChannelView): Promise<Message | null>;
  /** What is known about somebody, by name, mention or id; about the actor when nobody is named. Only what may be heard here. */
  factsAbout(person: string | undefined, key: string | undefined): Promise<HeardPerson>;
  /** What is remembered about a server and its projects. Only what may be heard here. Without a server, it is that of the request, or all that may be named. */
  sharedFacts(key: string | undefined, server: string | undefined): Promise<HeardFacts>;
  /** What fits some words best: of the actor's own facts and profile, and of the facts that are shared where the request was made. */
  searchFacts(words: string, limit: number): Promise<FoundFacts>;
  /** What is shared where the request was made and fits some words, the best first. Nothing private: that has to be asked for. */
  fittingFacts(words: string, limit: number): Promise<readonly HeardFact[]>;
  /** What fits some words best in the operator's documents. Only what may be heard here. */
  searchDocuments(words: string, limit: number): Promise<FoundPassages>;
  /** Talks of the agent with other bots. Throws `unavailable` or `rate_limited` where nothing was found and not everything could be looked at. */
  recallBots(request: RecallRequest): Promise<BotRecall>;
  /** Messages of the actor's own talks with the agent in other channels that fit some words, the best first. */
  ownTalks(words: string, limit: number): Promise<readonly Message[]>;
  /** Throws `confirmation_needed` until the person asking has decided. */
  remember(proposal: RememberProposal): Promise<void>;
  /** Throws `not_found` for what may not be heard here, `confirmation_needed` until the person asking has decided. */
  forget(request: ForgetRequest): Promise<void>;
  /** The actor's own DM with the bot, opened as needed. Throws `not_found` for that of anybody else. */
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
