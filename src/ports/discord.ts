import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Has } from "../domain/search/query.ts";
import type { Locale } from "../domain/time/date-order.ts";
import type { Directory } from "./directory.ts";
import type { DiscordStats } from "./discord-stats.ts";
import type { Form } from "./form.ts";

/** Events of the edge, in the order in which they happened. A message is announced once, even if Discord sends it repeatedly. */
export type DiscordEvent =
  /** `addressed`: it mentions the bot, replies to it or is a DM to it, and is not the bot's own. */
  | { readonly type: "message"; readonly message: Message; readonly addressed: boolean }
  /** Also sent when Discord adds a link preview: `edited_ts` tells whether a person edited it. */
  | { readonly type: "message_update"; readonly message: Message }
  | { readonly type: "message_delete"; readonly channelId: ChannelId; readonly messageIds: readonly MessageId[] }
  | {
      readonly type: "reaction";
      readonly action: "add" | "remove" | "clear";
      readonly channelId: ChannelId;
      readonly messageId: MessageId;
      /** Null for a clearing by a moderator. */
      readonly userId: UserId | null;
      /** Null when all emoji were cleared. */
      readonly emoji: string | null;
    }
  /** The channel or thread was created or became visible. */
  | { readonly type: "channel"; readonly channelId: ChannelId }
  /** `lineage`: the channel's own id, a thread's parent channel, and the category, as last known. */
  | {
      readonly type: "channel_deleted";
      readonly channelId: ChannelId;
      readonly guildId: GuildId;
      readonly lineage: readonly ChannelId[];
    }
  /** The bot can no longer read it. It may still exist; its cached messages must not be served. */
  | {
      readonly type: "access_lost";
      readonly channelId: ChannelId;
      readonly guildId: GuildId;
      readonly lineage: readonly ChannelId[];
    }
  | { readonly type: "guild"; readonly guildId: GuildId }
  /** The bot was removed, or the guild deleted: everything cached of it must be dropped. */
  | { readonly type: "guild_removed"; readonly guildId: GuildId; readonly channelIds: readonly ChannelId[] }
  | { readonly type: "connection"; readonly state: ConnectionState }
  | Gap;

/** A function for each type of event that matters to a part; the others do not reach it. */
export type EventListeners = {
  readonly [T in DiscordEvent["type"]]?: (event: Extract<DiscordEvent, { type: T }>) => void;
};
export type EventListener = ((event: DiscordEvent) => void) | EventListeners;

/** `token_refused`: Discord answers REST requests with 401; events may still arrive. */
export type ConnectionState = "connecting" | "ready" | "reconnecting" | "token_refused" | "closed";

/** An interval of time in which events may have been missed, edits and deletions included. */
export interface Gap {
  readonly type: "gap";
  /** ISO times; no event outside of them was missed. */
  readonly from: string;
  readonly to: string;
  /** `session_expired`: the connection was lost for longer than Discord keeps a session. */
  readonly reason: "resume_refused" | "session_expired" | "restart" | "events_lost";
  /** The affected guilds; direct messages are affected if `shard` is 0. */
  readonly guildIds: readonly GuildId[];
  readonly shard: number;
}

export interface HistoryPage {
  /** 1 to 100. */
  readonly limit: number;
  /** At most one of the three. */
  readonly before?: MessageId;
  readonly after?: MessageId;
  readonly around?: MessageId;
}

export interface HistoryRead {
  /** Newest first, without unparsable messages. */
  readonly messages: readonly Message[];
  /** Discord returned a full page, parsable or not, so there may be more. */
  readonly isFull: boolean;
}

export interface ArchivePage {
  /** Cursor of the next page; null if there is none, or Discord sends none. */
  readonly next: string | null;
  readonly isLast: boolean;
}

export interface Reaction {
  /** As in a message's text: a character, or `<:name:id>`. */
  readonly emoji: string;
  readonly count: number;
}

/** A request to Discord's own search. All conditions must hold. */
export interface GuildSearchRequest {
  /** 1 to 500. No other channel is searched; a thread must be listed by its own id. Channels that the bot cannot read are left out. */
  readonly channelIds: readonly ChannelId[];
  /** Words, all of which must occur. At most 1,024 characters. */
  readonly content?: string;
  /** At most 100 each. One match in a list is enough. */
  readonly authorIds?: readonly UserId[];
  readonly mentions?: readonly UserId[];
  readonly has?: readonly Has[];
  /** Both exclusive. */
  readonly minId?: MessageId;
  readonly maxId?: MessageId;
  /** 1 to 25. */
  readonly limit: number;
}

export type GuildSearchAnswer =
  | {
      readonly state: "ready";
      /** Hits only, newest first: Discord's own ranking would depend on messages that are hidden here. May be incomplete: Discord's
       * index lags behind. The total is not reported. */
      readonly messages: readonly Message[];
      /** There may be more, even if this page is short or empty. */
      readonly isFull: boolean;
    }
  /** Discord must build its index first, so there is no result yet. `retryAfter` is in seconds. */
  | { readonly state: "not_ready"; readonly retryAfter: number };

export interface Draft {
  /** At most 2,000 characters. */
  readonly text: string;
  readonly replyTo?: MessageId;
  /** Mentioned people who may be pinged. */
  readonly mentions: readonly UserId[];
  readonly buttons?: readonly Button[];
  /** Discord sends two drafts with the same nonce only once, within minutes. At most 25 characters. */
  readonly nonce?: string;
}

export interface ThreadDraft {
  readonly name: string;
  /** The message that the thread starts from. */
  readonly messageId?: MessageId;
  /** In a forum: the first message. */
  readonly post?: { readonly text: string; readonly tagIds: readonly string[] };
}

/** Ways to stop a request before it is sent. */
export interface Leaving {
  /** Called right before each attempt, after any rate-limit wait. An error that it throws stops the request. */
  readonly recheck?: () => void;
  /** Nothing is sent after the abort. Throws `cancelled` if nothing had been sent. */
  readonly signal?: AbortSignal | undefined;
}

/** A button under a message. Everyone who sees the message can press it. */
export interface Button {
  /** Sent back with each press. At most 100 characters, and no secret: clients can show it. */
  readonly id: string;
  readonly label: string;
  /** Highlighted as the primary button. */
  readonly isMain?: boolean;
}

/** A message without pings and link previews: a private reply, or the new content of a message. */
export interface Note {
  /** At most 2,000 characters. */
  readonly text: string;
  readonly buttons?: readonly Button[];
  /** Everyone who has the link of a file can open it, even if it is attached for one person alone. */
  readonly file?: NoteFile;
}

interface NoteFile {
  /** Letters, digits, dots, hyphens and underscores. */
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

/** Replies to an interaction that only one person sees. Every method throws `not_found` when it is too late, and otherwise as `history`
 * does. */
export interface PrivateAnswer {
  /** Defers the reply. Needed if it may take longer than three seconds, because the interaction is lost then. */
  hold(): Promise<void>;
  /** Sends a reply that only the person sees. May be repeated, for fifteen minutes. */
  whisper(note: Note): Promise<void>;
  /** Replaces the first whisper or the deferred reply. May be repeated. */
  rewrite(note: Note): Promise<void>;
}

/** Replies to a command that everyone in the channel sees. Every method throws as those of `PrivateAnswer` do. */
export interface OpenAnswer {
  /**
   * Defers a public reply; use it instead of `hold`, and once. A whisper afterwards deletes the deferred reply first. Resolves to the
   * message that will be filled.
   */
  holdOpenly(): Promise<MessageId>;
  /** Replaces the deferred reply or the previous note. May be repeated. */
  fill(note: Note, leaving?: Leaving): Promise<void>;
  /** Deletes the deferred or filled reply. Safe to repeat. */
  takeBack(): Promise<void>;
}

/** A press of a button under one of the bot's messages. Discord vouches for the person and the channel. */
export interface Press extends Invocation, PrivateAnswer {
  /** The button's id, as sent by the presser's client: untrusted. */
  readonly button: string;
  /** The message with the button. */
  readonly messageId: MessageId;
  /** Replaces the message with the button. May be repeated; not after `hold` or `whisper`. Throws as they do. */
  replace(note: Note): Promise<void>;
}

/** A command that the bot offers to people. */
export type CommandOffer =
  /** Typed, in every server and in direct messages to the bot. */
  | {
      readonly kind: "typed";
      readonly name: string;
      readonly about: string;
      /** Required ones come first. */
      readonly options: readonly OptionOffer[];
    }
  /** Typed, with a required subcommand. Subcommands may form a group, as in `memory admin list`. */
  | {
      readonly kind: "group";
      readonly name: string;
      readonly about: string;
      readonly subcommands: readonly (SubcommandOffer | SubcommandGroupOffer)[];
    }
  /** In the menu of each message, in servers. */
  | { readonly kind: "menu"; readonly name: string };

export interface SubcommandOffer {
  readonly name: string;
  readonly about: string;
  readonly options?: readonly OptionOffer[];
}

export interface SubcommandGroupOffer {
  readonly name: string;
  readonly about: string;
  readonly subcommands: readonly SubcommandOffer[];
}

export interface OptionOffer {
  readonly name: string;
  readonly about: string;
  /** A number is an integer of at least 1; a flag is "true" or "false". */
  readonly type: "text" | "person" | "number" | "flag";
  readonly isRequired?: boolean;
  /** The only allowed values. */
  readonly choices?: readonly Choice[];
  /** Discord asks for suggestions while a person types the value. */
  readonly isSuggested?: boolean;
  /** Maximum length of a text, or maximum number. */
  readonly most?: number;
}

/** The person and place of an interaction, as vouched for by Discord. */
export interface Invocation {
  readonly userId: UserId;
  readonly channelId: ChannelId;
  /** Null in direct messages. */
  readonly guildId: GuildId | null;
  /** Locale of the person's Discord client; absent if Discord sent none or an unknown one. */
  readonly locale?: Locale | undefined;
}

/** A submitted form. Discord vouches for the person and the channel. */
export interface FilledForm extends Invocation, PrivateAnswer {
  /** Discord's id of the interaction. */
  readonly id: string;
  /** The form's id, as sent by the person's client: untrusted. */
  readonly form: string;
  /** Values by field, without empty ones. */
  readonly fields: ReadonlyMap<string, string>;
}

/** A command that a person gave. */
export interface CommandRun extends Invocation, PrivateAnswer, OpenAnswer {
  /** Shows a form as the first reply, within three seconds. Throws as the methods of `PrivateAnswer` do. */
  ask(form: Form): Promise<void>;
  /** Discord's id of the interaction. */
  readonly id: string;
  /** The subcommand follows after a space, as in `privacy show`; in a group after the group, as in `memory admin list`. */
  readonly command: string;
  /** Values by option. A person is an id, a number its digits. */
  readonly options: ReadonlyMap<string, string>;
  /** The message in whose menu it was chosen; null if it was typed. */
  readonly messageId: MessageId | null;
}

/** A partly typed option of a command, for suggestions. */
export interface Typing extends Invocation {
  readonly command: string;
  readonly option: string;
  readonly typed: string;
  /** At most 25, within three seconds. Throws as the methods of `PrivateAnswer` do. */
  suggest(choices: readonly Choice[]): Promise<void>;
}

export interface Choice {
  /** 1 to 100 characters each. */
  readonly label: string;
  readonly value: string;
}

export interface DownloadLimits {
  readonly mostBytes: number;
  /** Prefixes of the accepted content types, such as "image/". */
  readonly types: readonly string[];
}

/** The connection to Discord or a compatible server; the only one in the process. */
export interface Discord {
  readonly applicationId: string;
  readonly botId: UserId;
  readonly botName: string;
  readonly directory: Directory;
  /** Texts on the limits that a missing intent causes; empty without any. */
  readonly limits: readonly string[];
  readonly state: ConnectionState;
  /**
   * Calls the listener for every event from now on; the first listener also gets the events since the connection was opened, the others the
   * gap of a restart, if there was one. Returns the function that stops it. A listener must not throw.
   */
  listen(listener: EventListener): () => void;
  /** Drops a person's cached text and the record of where they wrote. Later messages are processed as before. Never throws. */
  letGoOf(authorId: UserId): void;
  /**
   * Calls the listener for every press of a button whose id begins with this kind and a colon; other presses are lost. Returns the function
   * that stops it. A listener must not throw.
   */
  listenForPresses(kind: string, listener: (press: Press) => void): () => void;
  /** For all commands, suggestions and forms, with the same contract. */
  listenForCommands(listener: (run: CommandRun) => void): () => void;
  listenForTyping(listener: (typing: Typing) => void): () => void;
  listenForForms(listener: (filled: FilledForm) => void): () => void;
  /**
   * Registers these commands for everyone; unchanged ones cost nothing, and other commands of the application are left alone. Retries until
   * Discord answers; resolves once each is shown or refused. `stats` names those that are not shown. Safe to repeat. Never throws.
   */
  offerCommands(offers: readonly CommandOffer[]): Promise<void>;
  /**
   * One page of history, newest first, straight from Discord. Throws `not_found` if the bot cannot read the channel (without asking
   * Discord), `rate_limited` or `unavailable` if Discord does not answer.
   */
  history(channelId: ChannelId, page: HistoryPage, signal?: AbortSignal): Promise<HistoryRead>;
  /**
   * Lists a page of a channel's archived threads, the newest first, and adds them to the directory, without the members of private ones.
   * Throws as `history` does. Safe to repeat.
   */
  archive(channelId: ChannelId, before: string | null, signal?: AbortSignal): Promise<ArchivePage>;
  /** One message, straight from Discord, with fresh links; null if it does not exist. Throws as `history` does. */
  message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | null>;
  /** Current reactions to a message; empty also if it does not exist. Throws as `history` does. */
  reactions(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<readonly Reaction[]>;
  /**
   * Discord's own search in one guild, for messages that are not cached. Throws `invalid` for a request beyond its limits, `unavailable`
   * also if the server has no search or refuses it (it is not asked again then), and otherwise as `history` does.
   */
  search(guildId: GuildId, request: GuildSearchRequest, signal?: AbortSignal): Promise<GuildSearchAnswer>;
  /**
   * Sends a message without link previews. Throws `forbidden` if the bot cannot write there, `not_found` if it cannot see the channel,
   * `outcome_unknown` if the request was sent and no readable answer came. Not safe to repeat without a nonce.
   */
  send(channelId: ChannelId, draft: Draft, leaving?: Leaving): Promise<Message>;
  /** Replaces the content of one of the bot's messages. Sends no pings. Safe to repeat. Throws as `history` does. */
  edit(message: MessageRef, note: Note, leaving?: Leaving): Promise<void>;
  /** Deletes one of the bot's messages, if it exists. Safe to repeat. Throws as `history` does. */
  withdraw(message: MessageRef, leaving?: Leaving): Promise<void>;
  /** Shows the typing indicator for ten seconds, or until the bot writes there. Throws as `send` does. */
  showTyping(channelId: ChannelId, leaving?: Leaving): Promise<void>;
  react(channelId: ChannelId, messageId: MessageId, emoji: string, leaving?: Leaving): Promise<void>;
  /** Starts a public thread, or a post with its first message in a forum. Throws as `send` does. Not safe to repeat. */
  startThread(
    channelId: ChannelId,
    draft: ThreadDraft,
    leaving?: Leaving,
  ): Promise<{ readonly threadId: ChannelId; readonly message: Message | null }>;
  /** The DM with a person, opened if needed. Throws `not_found` for an unknown person. */
  openDm(userId: UserId): Promise<ChannelId>;
  /**
   * Downloads from the connected server's own file hosts only. Throws `invalid` for another address, `not_found` for an expired link,
   * `unsupported` if the file is too large or of another type.
   */
  download(
    url: string,
    limits: DownloadLimits,
    signal?: AbortSignal,
  ): Promise<{ contentType: string; bytes: Uint8Array }>;
  /** All events up to this time (ms since 1970) were received, in every server; null before the first session. */
  lastHeardAt(): number | null;
  stats(): DiscordStats;
  /** Ends the connection. Safe to repeat. */
  close(): Promise<void>;
}
