// Made by `npm run docs` from the schemas of the tools; changes belong there.
import type { Message } from "../domain/message.ts";

type Coverage = { scanned: number; from: string | null; to: string | null; complete: boolean };

type Source = { kind: string; channel_id: string; name: string | null; integrity: "untrusted" };

type ReadResult = { messages: Message[]; scanned: number; coverage: Coverage; has_more: boolean; cursor: string | null; source: Source; note: string | null };

type SearchResult = { hits: Array<{ message: Message; channel: { channel_id: string; name: string | null; tags: string[] }; words_in_message: "all" | "some" | "none"; question: Message | null; around: Message[] }>; has_more: boolean; cursor: string | null; note: string | null; coverage: Coverage; everything_since: string | null; examined: string | null; compared: number | null; older: "searched" | "not_ready" | "not_needed" | "not_listed" | "unavailable"; still_reading: boolean; unreachable: boolean; integrity: "untrusted"; empty: string | null };

type ChannelInfo = { channel_id: string; guild_id: string | null; name: string; kind: string; topic: string | null; parent_id: string | null; age_restricted: boolean; archived: boolean; tags: string[] };

type Picture = { message_id: string; filename: string; content_type: string; url: string; base64: string | null };

type Fact = { fact_id: string; key: string; value: unknown; text: string; about: { kind: "user" | "project" | "org"; id: string; user_id: string | null; name: string | null; guild_id: string | null }; visibility: "private" | "project" | "org"; verification: "inferred" | "user_confirmed" | "admin_confirmed" | "authoritative"; confidence: number; since: string; until: string | null; rests_on: { kinds: string[]; links: string[] } };

/** What each tool takes and answers. */
export interface ToolMethods {
  /** Say something there. Read with `for` set to it first. */
  readonly "discord.send": {
    readonly args: { channel: string; text: string; reply_to?: string | null | undefined; mentions?: string[] | null | undefined; key?: string | null | undefined };
    readonly value: { message_id: string; ts: string; message_ids: string[] };
  };
  /** Messages of a channel or thread: the latest, or those before, after or around a message. */
  readonly "discord.channel.messages": {
    readonly args: { channel: string; limit?: number | null | undefined; before?: string | null | undefined; after?: string | null | undefined; around?: string | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; cache?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: ReadResult;
  };
  /** The person's own direct messages with the bot, told to nobody else. */
  readonly "discord.dm.messages": {
    readonly args: { limit?: number | null | undefined; before?: string | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; user_id?: string | null | undefined; for?: string | null | undefined };
    readonly value: ReadResult;
  };
  /** Messages of one channel that contain all words, newest first. */
  readonly "discord.search.window": {
    readonly args: { query: string; channel?: string | null | undefined; scope?: "channel" | "dm" | null | undefined; limit?: number | null | undefined; include_own?: boolean | null | undefined; scan?: number | null | undefined; before?: string | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; user_id?: string | null | undefined; for?: string | null | undefined };
    readonly value: ReadResult;
  };
  /** The content of a picture or text file of a message. */
  readonly "discord.attachment.base64": {
    readonly args: { message_id?: string | null | undefined; filename?: string | null | undefined; url?: string | null | undefined; channel?: string | null | undefined; for?: string | null | undefined };
    readonly value: { content_type: string; base64: string };
  };
  /** The servers that the person and the bot share. */
  readonly "discord.guilds": {
    readonly args: { for?: string | null | undefined };
    readonly value: { guilds: Array<{ guild_id: string; name: string }> };
  };
  /** The channels and active threads of a server that the person can read. */
  readonly "discord.guild.channels": {
    readonly args: { server?: string | null | undefined; for?: string | null | undefined };
    readonly value: { channels: ChannelInfo[] };
  };
  /** Name, kind, topic and place of a channel or thread. */
  readonly "discord.channel.info": {
    readonly args: { channel: string; for?: string | null | undefined };
    readonly value: ChannelInfo;
  };
  /** People and bots of a server with names and roles: who is the treasurer? */
  readonly "directory.people": {
    readonly args: { query?: string | null | undefined; role?: string | null | undefined; server?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined; for?: string | null | undefined };
    readonly value: { guild_id: string | null; guild: string | null; people: Array<{ user_id: string; name: string; other_names: string[]; bot: boolean; roles: string[]; guild: string | null }>; complete: boolean; has_more: boolean; cursor: string | null; note: string | null };
  };
  /** React to a message with an emoji, as the bot. */
  readonly "discord.react": {
    readonly args: { message_id: string; channel?: string | null | undefined; emoji: string };
    readonly value: { ok: true };
  };
  /** Replace the text of a message that you sent for the person. Nobody is pinged. */
  readonly "discord.edit": {
    readonly args: { message_id: string; channel?: string | null | undefined; text: string };
    readonly value: { ok: true };
  };
  /** Delete a message that you sent for the person. */
  readonly "discord.delete": {
    readonly args: { message_id: string; channel?: string | null | undefined };
    readonly value: { ok: true };
  };
  /** Show for ten seconds that the bot is typing. */
  readonly "discord.typing": {
    readonly args: { channel: string };
    readonly value: { ok: true };
  };
  /** Start a public thread or forum post. */
  readonly "discord.thread.create": {
    readonly args: { channel: string; name: string; text: string; message_id?: string | null | undefined; tags?: string[] | null | undefined };
    readonly value: { thread_id: string; message_id: string };
  };
  /** Find messages in all channels, the best first, however old: 'where did we discuss'. Without a query, the largest conversations of each day of a time. */
  readonly "search_messages": {
    readonly args: { query?: string | null | undefined; channel?: string | null | undefined; limit?: number | null | undefined; since?: string | null | undefined; until?: string | null | undefined; include_bots?: boolean | null | undefined; include_own?: boolean | null | undefined; scan?: number | null | undefined; held_only?: boolean | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: SearchResult;
  };
  /** Find messages of one channel: 'just now', 'earlier', 'today'. */
  readonly "search_channel_messages": {
    readonly args: { query: string; channel?: string | null | undefined; limit?: number | null | undefined; since?: string | null | undefined; until?: string | null | undefined; include_bots?: boolean | null | undefined; include_own?: boolean | null | undefined; scan?: number | null | undefined; held_only?: boolean | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: SearchResult;
  };
  /** Find what one person said. */
  readonly "search_user_messages": {
    readonly args: { user_name: string; query?: string | null | undefined; channel?: string | null | undefined; limit?: number | null | undefined; since?: string | null | undefined; until?: string | null | undefined; include_bots?: boolean | null | undefined; include_own?: boolean | null | undefined; scan?: number | null | undefined; held_only?: boolean | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: SearchResult;
  };
  /** Find messages of a thread; all of them, newest first, without a query. */
  readonly "search_thread_messages": {
    readonly args: { thread?: string | null | undefined; query?: string | null | undefined; limit?: number | null | undefined; since?: string | null | undefined; until?: string | null | undefined; include_bots?: boolean | null | undefined; include_own?: boolean | null | undefined; scan?: number | null | undefined; held_only?: boolean | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: SearchResult;
  };
  /** A message with what was said before and after it: 'what led up to that?', links to messages. */
  readonly "get_message_context": {
    readonly args: { message_id: string; before?: number | null | undefined; after?: number | null | undefined; include_own?: boolean | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: { messages: Message[]; scanned: number; coverage: Coverage; has_more: boolean; cursor: string | null; source: Source; note: string | null; message_id: string; files: Array<{ filename: string; text: string; is_cut: boolean }>; reactions: Array<{ emoji: string; count: number }> | null };
  };
  /** The latest messages of a channel: 'what is going on?', 'just now'. */
  readonly "get_recent_messages": {
    readonly args: { limit?: number | null | undefined; channel?: string | null | undefined; include_own?: boolean | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; links?: boolean | null | undefined; for?: string | null | undefined };
    readonly value: ReadResult;
  };
  /** What was said in a channel, in short: 'what did I miss?'. */
  readonly "get_channel_summary": {
    readonly args: { timeframe?: string | null | undefined; focus?: string | null | undefined; channel?: string | null | undefined; limit?: number | null | undefined; include_own?: boolean | null | undefined; cursor?: string | null | undefined; max_tokens?: number | null | undefined; for?: string | null | undefined };
    readonly value: { points: Array<{ text: string; cites: Array<{ message_id: string; link: string }> }>; by: "model" | "extract"; messages: number; coverage: Coverage; has_more: boolean; cursor: string | null; source: Source; note: string | null };
  };
  /** What an agent that is spoken to should know, as turns for its model: what is remembered there and fits the request, recent conversations of the place, the chain of replies, the request. */
  readonly "context.window": {
    readonly args: { channel?: string | null | undefined; pictures?: "none" | "url" | "base64" | null | undefined; pictures_of?: "all" | "request" | null | undefined; handles?: boolean | null | undefined; max_tokens?: number | null | undefined; for?: string | null | undefined };
    readonly value: { turns: Array<{ kind: "profile" | "facts" | "window" | "chain" | "request"; role: "user"; text: string; tokens: number }>; pictures: Picture[]; isolated: boolean; facts: Fact[]; threads: Array<{ messages: Message[]; links: Array<{ from: string; to: string; kind: "explicit" | "inferred"; certainty: number }>; earlier: number }>; left_out: { threads: number; messages: number }; chain: { messages: Message[]; end: "start" | "deleted" | "absent" | "long" }; starter: Message | null; request: Message | null; coverage: Coverage; source: Source; note: string | null };
  };
  /** What a person's profile says, and what is remembered about them. Private things only where that person alone reads the answer. */
  readonly "memory_read.get_user_facts": {
    readonly args: { user?: string | null | undefined; key?: string | null | undefined; for?: string | null | undefined };
    readonly value: { facts: Fact[]; integrity: "untrusted"; note: string | null; profile: Array<{ profile_ref: string; key: string; value: string | number | boolean; text: string; user_id: string; name: string | null; visibility: "private" | "project" | "org"; verification: "authoritative"; source: "crm"; origin: "discord" | "service"; facts_differ: boolean | null }> };
  };
  /** What is remembered about a server and its projects. */
  readonly "memory_read.get_project_facts": {
    readonly args: { key?: string | null | undefined; server?: string | null | undefined; for?: string | null | undefined };
    readonly value: { facts: Fact[]; integrity: "untrusted"; note: string | null };
  };
  /** What fits a question best, in one list: profile, facts, documents, messages, and your own talks with the person asking. */
  readonly "memory_read.search_context": {
    readonly args: { query: string; limit?: number | null | undefined; for?: string | null | undefined };
    readonly value: { items: Array<{ source: "memory_fact"; fact: Fact } | { source: "crm"; profile: { profile_ref: string; key: string; value: string | number | boolean; text: string; user_id: string; name: string | null; visibility: "private" | "project" | "org"; verification: "authoritative"; source: "crm"; origin: "discord" | "service"; facts_differ: boolean | null } } | { source: "docs"; passage: { passage_id: string; version: string; document: string; path: string; headings: string[]; first_line: number; last_line: number; text: string } } | { source: "discord_message"; message: Message } | { source: "episode"; message: Message }>; integrity: "untrusted"; examined: string | null; note: string | null };
  };
  /** Find passages in handbooks and other documents: rules, how-tos, 'how do I …?'. */
  readonly "search_documents": {
    readonly args: { query: string; limit?: number | null | undefined; for?: string | null | undefined };
    readonly value: { passages: Array<{ passage_id: string; version: string; document: string; path: string; headings: string[]; first_line: number; last_line: number; text: string }>; integrity: "untrusted"; note: string | null };
  };
  /** Proposes to remember something; the person asking confirms it. Never passwords or payment data. */
  readonly "memory_write.remember_fact": {
    readonly args: { about?: "me" | "project" | "org" | "server" | null | undefined; key: string; value: unknown; visibility?: "private" | "project" | "org" | "channel" | "server" | null | undefined; days?: number | null | undefined; message_id?: string | null | undefined };
    readonly value: { remembered: true };
  };
  /** Proposes to forget something, by its key or id; the person asking confirms it. */
  readonly "memory_write.forget_fact": {
    readonly args: { fact_id?: string | null | undefined; key?: string | null | undefined; about?: "me" | "project" | "org" | "server" | null | undefined };
    readonly value: { forgotten: true };
  };
  /** Recall memories of conversations you've had with another bot. 'What did you talk about with Aetheris?', 'Do you remember your conversation with Gabriel?', 'What does Elena think about X?', 'Have you discussed consciousness with any bots?', 'Tell me about your chats with other bots'. Not for people. */
  readonly "recall_bot_conversation": {
    readonly args: { bot_name: string; topic?: string | null | undefined; limit?: number | null | undefined; for?: string | null | undefined };
    readonly value: { state: "recalled" | "said_to_others" | "nothing" | "unknown_bot" | "several_bots" | "no_bots" | "off"; text: string; bots: Array<{ id: string; name: string }>; exchanges: Array<{ bot: { id: string; name: string }; said: { message: Message; when: string; text: string } | null; replied: { message: Message; when: string; text: string } | null }>; integrity: "untrusted"; note: string | null };
  };
}
