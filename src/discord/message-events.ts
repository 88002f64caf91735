import { mentions } from "../domain/answer/echoes.ts";
import { type ChannelId, type GuildId, type MessageId, toId, type UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { DiscordEvent, EventListener } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { Delivery } from "./delivery.ts";
import type { GuildDirectory } from "./directory.ts";
import { list, name, type Raw, record } from "./read.ts";
import { isRefusal, toMessage } from "./to-message.ts";
import { toEmoji } from "./to-reactions.ts";

const NOTHING: readonly DiscordEvent[] = [];

/** The message type of the notice of a renamed thread:
 * https://discord.com/developers/docs/resources/message#message-object-message-types */
const RENAMED = 4;

interface MessageEventsDeps {
  readonly botId: UserId;
  readonly log: Log;
  /** Receives events that a message causes besides itself. */
  announce(event: DiscordEvent): void;
}

/** Turns dispatches about messages and reactions into events. */
export class MessageEvents {
  readonly #directory: GuildDirectory;
  readonly #botId: UserId;
  readonly #log: Log;
  readonly #announce: (event: DiscordEvent) => void;
  readonly #delivery = new Delivery();

  constructor(directory: GuildDirectory, { botId, log, announce }: MessageEventsDeps) {
    this.#directory = directory;
    this.#botId = botId;
    this.#log = log;
    this.#announce = announce;
  }

  toEvents(type: string, raw: Raw): readonly DiscordEvent[] {
    switch (type) {
      case "MESSAGE_CREATE": {
        const message = this.read(raw);
        if (message) this.#noteSpeaker(raw, message);
        return message ? this.#delivery.create(message, this.#isAddressed(raw, message)) : NOTHING;
      }
      case "MESSAGE_UPDATE": {
        const message = this.read(raw);
        return message ? this.#delivery.update(message) : NOTHING;
      }
      case "MESSAGE_DELETE":
        return this.#deleted(raw, [raw["id"]]);
      case "MESSAGE_DELETE_BULK":
        return this.#deleted(raw, list(raw["ids"]));
      case "MESSAGE_REACTION_ADD":
        return reaction(raw, "add");
      case "MESSAGE_REACTION_REMOVE":
        return reaction(raw, "remove");
      case "MESSAGE_REACTION_REMOVE_ALL":
      case "MESSAGE_REACTION_REMOVE_EMOJI":
        return reaction(raw, "clear");
      default:
        return NOTHING;
    }
  }

  letGoOf(authorId: UserId): void {
    this.#delivery.letGoOf(authorId);
    this.#directory.forgetSpeaker(authorId);
  }

  /** The bot's own message, known from the response to its send. */
  announce(own: Message): readonly DiscordEvent[] {
    return this.#delivery.create(own, false);
  }

  /** From a dispatch, or from REST, whose messages do not contain their guild. */
  read(raw: Raw, channelId = toId<ChannelId>(raw["channel_id"])): Message | null {
    const guildId =
      toId<GuildId>(raw["guild_id"]) ?? (channelId && this.#directory.channel(channelId)?.guildId) ?? null;
    const message = toMessage(raw, {
      botId: this.#botId,
      web: this.#directory.web,
      guildId,
      isThread: guildId !== null && channelId !== null && this.#isThread(guildId, channelId),
      memberName: (userId: UserId) =>
        guildId === null ? undefined : this.#directory.nameAt(channelId, userId, guildId),
    });
    if (!isRefusal(message)) {
      if (raw["type"] === RENAMED && message.thread_id !== null) this.#noteRename(raw, message);
      return message;
    }
    this.#log.warn({ reason: message.refused }, "a message could not be read");
    return null;
  }

  #noteRename(raw: Raw, { message_id: noticeId, channel_id, author }: Message): void {
    // Parsed like the thread's own title, for comparison.
    const rename = { noticeId, title: name(raw["content"]) ?? "", by: author.id };
    for (const event of this.#directory.noteRename(channel_id, rename)) this.#announce(event);
  }

  /** Only new messages count, not history: otherwise reads by others would decide which names are known. A webhook's author is not a
   * person. */
  #noteSpeaker(raw: Raw, { channel_id, author }: Message): void {
    if (!this.#directory.needsSpeakers(channel_id) || toId(raw["webhook_id"])) return;
    const user = record(raw["author"]);
    this.#directory.noteSpeaker(channel_id, {
      id: author.id,
      nick: name(record(raw["member"])["nick"]),
      globalName: name(user["global_name"]),
      username: name(user["username"]),
      bot: author.bot,
    });
  }

  #isAddressed(raw: Raw, message: Message): boolean {
    const { author, guild_id } = message;
    if (author.id === this.#botId) return false;
    const isMe = (user: unknown) => record(user)["id"] === this.#botId;
    if (guild_id === null || isMe(record(raw["referenced_message"])["author"])) return true;
    if (list(raw["mentions"]).some(isMe) || this.#isMyRoleIn(list(raw["mention_roles"]), guild_id)) return true;
    // Some servers do not list the mentions of a text. Text by bots may name others without addressing them.
    return !author.bot && mentions(message, this.#botId);
  }

  /** People select the bot's own role in Discord's list as easily as the bot itself. */
  #isMyRoleIn(mentioned: readonly unknown[], guildId: GuildId): boolean {
    if (mentioned.length === 0) return false;
    return this.#directory.roles(guildId).some(({ id, botId }) => botId === this.#botId && mentioned.includes(id));
  }

  /** Discord lists all channels of a guild at the start, but no archived threads: an unknown channel in a known guild is a thread. */
  #isThread(guildId: GuildId, channelId: ChannelId): boolean {
    const channel = this.#directory.channel(channelId);
    return channel ? channel.thread !== null : this.#directory.guild(guildId) !== undefined;
  }

  #deleted(raw: Raw, ids: readonly unknown[]): readonly DiscordEvent[] {
    const channelId = toId<ChannelId>(raw["channel_id"]);
    const messageIds = ids.flatMap((id) => toId<MessageId>(id) ?? []);
    return channelId ? this.#delivery.delete(channelId, messageIds) : NOTHING;
  }
}

function reaction(raw: Raw, action: "add" | "remove" | "clear"): readonly DiscordEvent[] {
  const channelId = toId<ChannelId>(raw["channel_id"]);
  const messageId = toId<MessageId>(raw["message_id"]);
  if (!channelId || !messageId) return NOTHING;
  const emoji = toEmoji(raw["emoji"]);
  return [{ type: "reaction", action, channelId, messageId, userId: toId<UserId>(raw["user_id"]), emoji }];
}

const MAX_KEPT_EVENTS = 10_000;

/** Passes events to all listeners. Events before the first listener are kept for it. */
export class Announcer {
  readonly #clock: Clock;
  readonly #allGuilds: () => GuildId[];
  readonly #listeners = new Set<(event: DiscordEvent) => void>();
  #kept: DiscordEvent[] | null = [];
  #overflowedAt: number | null = null;
  /** One per shard. Later listeners get them, too, because they missed the same events. */
  readonly #restartGaps: DiscordEvent[] = [];

  constructor(clock: Clock, allGuilds: () => GuildId[]) {
    this.#clock = clock;
    this.#allGuilds = allGuilds;
  }

  announce(event: DiscordEvent): void {
    if (event.type === "gap" && event.reason === "restart") this.#restartGaps.push(event);
    if (this.#kept === null) for (const listener of this.#listeners) listener(event);
    else if (this.#kept.length < MAX_KEPT_EVENTS) this.#kept.push(event);
    else this.#overflowedAt ??= this.#clock.now();
  }

  listen(given: EventListener): () => void {
    const listener = toListener(given);
    this.#listeners.add(listener);
    const kept = this.#kept;
    this.#kept = null;
    for (const event of kept ?? this.#restartGaps) listener(event);
    if (kept && this.#overflowedAt !== null) listener(this.#overflow(this.#overflowedAt));
    return () => this.#listeners.delete(listener);
  }

  #overflow(since: number): DiscordEvent {
    const span = { from: new Date(since).toISOString(), to: new Date(this.#clock.now()).toISOString() };
    return { type: "gap", ...span, reason: "events_lost", guildIds: this.#allGuilds(), shard: 0 };
  }
}

export function toListener(listener: EventListener): (event: DiscordEvent) => void {
  if (typeof listener === "function") return listener;
  // Each function is given events of its own type.
  return (event) => (listener[event.type] as ((event: DiscordEvent) => void) | undefined)?.(event);
}
