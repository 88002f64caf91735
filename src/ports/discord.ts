import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import type { Has } from "../domain/search/query.ts";
import type { Locale } from "../domain/time/date-order.ts";
import type { Directory } from "./directory.ts";
import type { DiscordStats } from "./discord-stats.ts";
import type { Form } from "./form.ts";

/** What the edge reports, in the order in which it happened. A message is announced once, however often Discord sends it. */
export type DiscordEvent =
  /** `addressed`: it mentions the bot, answers it, or was sent to it directly, and is not its own. */
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
  /** The channel or thread came into being, or into sight. */
  | { readonly type: "channel"; readonly channelId: ChannelId }
  /** `lineage`: itself, for a thread its channel, and the category, as they were known. */
  | {
      readonly type: "channel_deleted";
      readonly channelId: ChannelId;
      readonly guildId: GuildId;
      readonly lineage: readonly ChannelId[];
    }
  /** The bot may no longer read it. It may still exist; what was held of it must not be served. */
  | {
      readonly type: "access_lost";
      readonly channelId: ChannelId;
      readonly guildId: GuildId;
      readonly lineage: readonly ChannelId[];
    }
  | { readonly type: "guild"; readonly guildId: GuildId }
  /** The bot was removed, or the guild deleted: everything held of it must go. */
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
  /** ISO times; everything outside of them was heard. */
  readonly from: string;
  readonly to: string;
  /** `session_expired`: the connection was lost for longer than Discord keeps a session. */
  readonly reason: "resume_refused" | "session_expired" | "restart" | "events_lost";
  /** The guilds concerned; direct messages are concerned when `shard` is 0. */
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
  /** Newest first. What could not be read as a message is left out. */
  readonly messages: readonly Message[];
  /** Discord gave as many as were asked for, readable or not: there may be more. */
  readonly isFull: boolean;
}

/** A page of a channel's archive was listed. */
export interface ArchivePage {
  /** Where the next one begins; null when there is none, or Discord does not say where. */
  readonly next: string | null;
  /** There are no more. */
  readonly isLast: boolean;
}

export interface Reaction {
  /** As in a message's text: a character, or `<:name:id>`. */
  readonly emoji: string;
  readonly count: number;
}

/** What Discord's own search is asked for. All that is said must hold. */
export interface GuildSearchRequest {
  /** 1 to 500. Nothing else is asked for or handed out; a thread is named by itself. What the bot may not read is left out. */
  readonly channelIds: readonly ChannelId[];
  /** Words, all of which must occur. At most 1,024 characters. */
  readonly content?: string;
  /** At most 100 each. One of them is enough. */
  readonly authorIds?: readonly UserId[];
  readonly mentions?: readonly UserId[];
  readonly has?: readonly Has[];
  /** Neither is included. */
  readonly minId?: MessageId;
  readonly maxId?: MessageId;
  /** 1 to 25. */
  readonly limit: number;
}

export type GuildSearchAnswer =
  | {
      readonly state: "ready";
      /** Hits only, newest first: how well something fits, Discord reckons with what is hidden here. Fewer than there are: Discord's index lags behind. How many there are in all is not told. */
      readonly messages: readonly Message[];
      /** There may be more, even where few came or none. */
      readonly isFull: boolean;
    }
  /** Discord has to build its index first: neither a yes nor a no. `retryAfter` is in seconds. */
  | { readonly state: "not_ready"; readonly retryAfter: number };

export interface Draft {
  /** At most 2,000 characters. */
  readonly text: string;
  readonly replyTo?: MessageId;
  /** Who may be pinged, of those the text mentions. */
  readonly mentions: readonly UserId[];
  readonly buttons?: readonly Button[];
  /** Discord sends two drafts with the same nonce, within minutes, once. At most 25 characters. */
  readonly nonce?: string;
}

export interface ThreadDraft {
  readonly name: string;
  /** The message that it starts from. */
  readonly messageId?: MessageId;
  /** In a forum: the first message. */
  readonly post?: { readonly text: string; readonly tagIds: readonly string[] };
}

/** What may still stop an effect. */
export interface Leaving {
  /** Called right before the request leaves, however long it had to wait, and again before each repetition: what it throws stops it. */
  readonly recheck?: () => void;
  /** Once it is aborted nothing more leaves. Throws `cancelled` if nothing had left. */
  readonly signal?: AbortSignal | undefined;
}

/** Under a message, for anybody who sees it to press. */
export interface Button {
  /** Comes back with each press. At most 100 characters, and no secret: clients show it. */
  readonly id: string;
  readonly label: string;
  /** The one that people are led to. */
  readonly isMain?: boolean;
}

/** A message without pings and link previews that one person alone is shown, or that takes the place of one. */
export interface Note {
  /** At most 2,000 characters. */
  readonly text: string;
  /** None when absent. */
  readonly buttons?: readonly Button[];
  /** Everybody who has the link of a file can open it, also one that is attached for one person alone. */
  readonly file?: NoteFile;
}

interface NoteFile {
  /** Letters, digits, dots, hyphens and underscores. */
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

/** How one person alone is answered. All of it throws `not_found` when it is too late, and as `history` does. */
export interface PrivateAnswer {
  /** Promises an answer. Needed when it may take longer than three seconds: then what was asked is lost. */
  hold(): Promise<void>;
  /** May be repeated, for fifteen minutes. */
  whisper(note: Note): Promise<void>;
  /** Puts the note in the place of the first whisper, or of the promise. May be repeated. */
  rewrite(note: Note): Promise<void>;
}

/** How a command is answered for everybody who sees the channel. All of it throws as a `PrivateAnswer` does. */
export interface OpenAnswer {
  /**
   * Promises an answer that all who see the channel will read; instead of `hold`, and once. A whisper afterwards takes the promise back first.
   * Resolves to the message that will be filled.
   */
  holdOpenly(): Promise<MessageId>;
  /** Puts the note in the place of the promise, or of the note before. May be repeated. */
  fill(note: Note, leaving?: Leaving): Promise<void>;
  /** Removes what was promised or filled in. Safe to repeat. */
  takeBack(): Promise<void>;
}

/** Somebody pressed a button under a message of the bot's. Who pressed, and where, is Discord's word. */
export interface Press extends Invocation, PrivateAnswer {
  /** The button's id, as the presser's client tells it: not to be believed without looking. */
  readonly button: string;
  /** The message with the button. */
  readonly messageId: MessageId;
  /** Puts the note in the place of the message with the button. May be repeated; not after `hold` or `whisper`. Throws as they do. */
  replace(note: Note): Promise<void>;
}

/** Something that the bot offers to do for people. */
export type CommandOffer =
  /** Typed, in every server and in direct messages to the bot. */
  | {
      readonly kind: "typed";
      readonly name: string;
      readonly about: string;
      /** Those that are required come first. */
      readonly options: readonly OptionOffer[];
    }
  /** As before, but one of several subcommands has to be chosen. Some of them may form a group, as in `memory admin list`. */
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
  /** A number is whole, and 1 or more; a flag is "true" or "false". */
  readonly type: "text" | "person" | "number" | "flag";
  readonly isRequired?: boolean;
  /** Nothing else can be chosen. */
  readonly choices?: readonly Choice[];
  /** Discord asks for suggestions while somebody types it. */
  readonly isSuggested?: boolean;
  /** The longest text, the largest number. */
  readonly most?: number;
}

/** Where somebody is who asks, by Discord's word. */
export interface Invocation {
  readonly userId: UserId;
  readonly channelId: ChannelId;
  /** Null in direct messages. */
  readonly guildId: GuildId | null;
  /** Of their Discord client; absent where Discord did not tell, or one that is unknown. */
  readonly locale?: Locale | undefined;
}

/** Somebody filled in a form. Who did, and where, is Discord's word. */
export interface FilledForm extends Invocation, PrivateAnswer {
  /** Discord's id of the interaction. */
  readonly id: string;
  /** The form's id, as the person's client tells it: not to be believed without looking. */
  readonly form: string;
  /** What was filled in, by field; nothing that was left empty. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Somebody gave a command. */
export interface CommandRun extends Invocation, PrivateAnswer, OpenAnswer {
  /** Shows a form in place of any other first answer, within three seconds. Throws as a `PrivateAnswer` does. */
  ask(form: Form): Promise<void>;
  /** Discord's id of the interaction. */
  readonly id: string;
  /** A subcommand follows after a space, as in `privacy show`; that of a group after the group, as in `memory admin list`. */
  readonly command: string;
  /** What was filled in, by name. A person is an id, a number its digits. */
  readonly options: ReadonlyMap<string, string>;
  /** In whose menu it was chosen; null when it was typed. */
  readonly messageId: MessageId | null;
}

/** Somebody is about to give a command, and has typed a part of one option. */
export interface Typing extends Invocation {
  /** As of a `CommandRun`. */
  readonly command: string;
  readonly option: string;
  readonly typed: string;
  /** At most 25, within three seconds. Throws as a `PrivateAnswer` does. */
  suggest(choices: readonly Choice[]): Promise<void>;
}

export interface Choice {
  /** 1 to 100 characters each. */
  readonly label: string;
  readonly value: string;
}

export interface DownloadLimits {
  readonly mostBytes: number;
  /** Beginnings of the content types that are wanted, such as "image/". */
  readonly types: readonly string[];
}

/** The connection to Discord or a compatible server. Nobody else talks to it. */
export interface Discord {
  readonly applicationId: string;
  readonly botId: UserId;
  readonly botName: string;
  readonly directory: Directory;
  /** What is limited because an intent is missing, in words; empty when nothing is. */
  readonly limits: readonly string[];
  readonly state: ConnectionState;
  /**
   * Calls the listener for every event from now on; the first listener also gets what happened since the connection was opened, the others
   * the gap that a restart left, if there is one. Returns the way to stop. A listener must not throw.
   */
  listen(listener: EventListener): () => void;
  /** Lets go of somebody's words, and of where they were heard to speak. What comes later is heard as before. Never throws. */
  letGoOf(authorId: UserId): void;
  /**
   * Calls the listener for every press from now on of a button whose id begins with this kind and a colon; other presses are lost. Returns the way to stop. A
   * listener must not throw.
   */
  listenForPresses(kind: string, listener: (press: Press) => void): () => void;
  /** The same for all commands, for what is typed of them, and for forms. */
  listenForCommands(listener: (run: CommandRun) => void): () => void;
  listenForTyping(listener: (typing: Typing) => void): () => void;
  listenForForms(listener: (filled: FilledForm) => void): () => void;
  /**
   * Has Discord show these commands to everybody; those that it shows already cost nothing, and others that the application has are left alone.
   * Tries again until Discord answers; resolves once each is shown or refused. `stats` names those that are not shown. Safe to repeat. Never throws.
   */
  offerCommands(offers: readonly CommandOffer[]): Promise<void>;
  /**
   * One page of history, newest first, straight from Discord. Throws `not_found` where the bot may not read (without asking Discord),
   * `rate_limited` or `unavailable` when Discord does not answer.
   */
  history(channelId: ChannelId, page: HistoryPage, signal?: AbortSignal): Promise<HistoryRead>;
  /**
   * Has Discord list the archived threads of a channel, the newest first: the directory knows them from then on, but not who is in private ones. Throws
   * as `history` does. Safe to repeat.
   */
  archive(channelId: ChannelId, before: string | null, signal?: AbortSignal): Promise<ArchivePage>;
  /** One message, straight from Discord, with fresh links; null when there is none of that id. Throws as `history` does. */
  message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | null>;
  /** How people reacted to a message, now; empty also when there is none of that id. Throws as `history` does. */
  reactions(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<readonly Reaction[]>;
  /**
   * Discord's own search in one guild, for what is not held. Throws `invalid` for a request beyond its limits, `unavailable` also where the
   * server has no search or refuses it, which is then not asked for again, and otherwise as `history` does.
   */
  search(guildId: GuildId, request: GuildSearchRequest, signal?: AbortSignal): Promise<GuildSearchAnswer>;
  /**
   * Speaks, without link previews. Throws `forbidden` where the bot may not speak, `not_found` where it may not look, `outcome_unknown`
   * when it left and no readable answer came. Not safe to repeat without a nonce.
   */
  send(channelId: ChannelId, draft: Draft, leaving?: Leaving): Promise<Message>;
  /** Puts something else in the place of a message of the bot's. Pings nobody. Safe to repeat. Throws as `history` does. */
  edit(message: MessageRef, note: Note, leaving?: Leaving): Promise<void>;
  /** Deletes a message of the bot's own; nothing to do where it is gone. Safe to repeat. Throws as `history` does. */
  withdraw(message: MessageRef, leaving?: Leaving): Promise<void>;
  /** Shows for ten seconds, or until the bot speaks there, that an answer is being written. Throws as `send` does. */
  showTyping(channelId: ChannelId, leaving?: Leaving): Promise<void>;
  /** Reacts as the bot. Safe to repeat. Throws as `send` does. */
  react(channelId: ChannelId, messageId: MessageId, emoji: string, leaving?: Leaving): Promise<void>;
  /** Starts a public thread, or a post with its first message in a forum. Throws as `send` does. Not safe to repeat. */
  startThread(
    channelId: ChannelId,
    draft: ThreadDraft,
    leaving?: Leaving,
  ): Promise<{ readonly threadId: ChannelId; readonly message: Message | null }>;
  /** The DM with a person, opened as needed. Throws `not_found` for nobody. */
  openDm(userId: UserId): Promise<ChannelId>;
  /**
   * Bytes from the connected server's own file hosts and nowhere else. Throws `invalid` for another address, `not_found` for an expired
   * link, `unsupported` when it is too large or of another type.
   */
  download(
    url: string,
    limits: DownloadLimits,
    signal?: AbortSignal,
  ): Promise<{ contentType: string; bytes: Uint8Array }>;
  /** All events up to this time (ms since 1970) were heard, in every server; null before the first session. */
  lastHeardAt(): number | null;
  stats(): DiscordStats;
  /** Ends the connection. Safe to repeat. */
  close(): Promise<void>;
}
