import { toListener } from "../../src/discord/message-events.ts";
import type { ChannelKind } from "../../src/domain/guild.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import type { Directory } from "../../src/ports/directory.ts";
import type { DiscordEvent, HistoryPage, HistoryRead } from "../../src/ports/discord.ts";
import type { ArchivePort } from "../../src/timeline/archives.ts";
import type { TimelineStoreDeps } from "../../src/timeline/timeline-store.ts";

const GUILD = "5" as GuildId;
const EPOCH = 1_420_070_400_000;

interface PlainChannel {
  readonly id: ChannelId;
  readonly kind: ChannelKind;
  readonly parentId: ChannelId | null;
  isReadable: boolean;
  /** False for what is in the archive until that was listed. */
  isListed: boolean;
  /** Oldest first. */
  messages: Message[];
}

/** A Discord of arrays: what stands in each channel now, and nothing else. */
export class PlainChannels {
  readonly #channels = new Map<ChannelId, PlainChannel>();
  readonly #listeners = new Set<(event: DiscordEvent) => void>();
  readonly #start: number;
  #minted = 0;
  /** Pages of history asked for so far. */
  pages = 0;
  /** While set, nothing that happens is announced. */
  isDeaf = false;
  /** Up to when everything was announced. */
  lastHeardAt = Number.POSITIVE_INFINITY;

  /** The first message is written at this time. */
  constructor(start: number) {
    this.#start = start;
  }

  add(id: string, kind: ChannelKind = "text", parentId: string | null = null, isArchived = false): ChannelId {
    const channelId = id as ChannelId;
    const parent = parentId as ChannelId | null;
    const channel = { id: channelId, kind, parentId: parent, isReadable: true, isListed: !isArchived };
    this.#channels.set(channelId, { ...channel, messages: [] });
    return channelId;
  }

  /** Oldest first, as they stand now. */
  messages(channelId: ChannelId): readonly Message[] {
    return this.#channels.get(channelId)?.messages ?? [];
  }

  isReadable(channelId: ChannelId): boolean {
    return this.#channels.get(channelId)?.isReadable ?? false;
  }

  /** Each message is written a second after the one before, whatever the channel; `at` gives another moment, of which nothing else may be. */
  say(channelId: ChannelId, content: string, at?: number): Message {
    const channel = this.#of(channelId);
    this.#minted += 1;
    const time = at ?? this.#start + this.#minted * 1_000;
    const id = String((BigInt(time - EPOCH) << 22n) + (at === undefined ? BigInt(this.#minted) : 0n)) as MessageId;
    const message: Message = {
      message_id: id,
      channel_id: channelId,
      guild_id: isDm(channel.kind) ? null : GUILD,
      thread_id: channel.parentId === null ? null : channelId,
      link: `https://discord.com/channels/${isDm(channel.kind) ? "@me" : GUILD}/${channelId}/${id}`,
      author: { id: "9" as UserId, name: "Sarah", bot: false },
      ts: new Date(time).toISOString(),
      edited_ts: null,
      kind: "text",
      content,
      parts: toTypedParts(content),
      reply_to: null,
      attachments: [],
    };
    channel.messages.push(message);
    this.#tell({ type: "message", message } as DiscordEvent);
    return message;
  }

  edit(channelId: ChannelId, which: number, content: string): void {
    const { messages } = this.#of(channelId);
    const index = which % Math.max(1, messages.length);
    const old = messages[index];
    if (!old) return;
    this.#minted += 1;
    const message = {
      ...old,
      content,
      parts: toTypedParts(content),
      edited_ts: new Date(this.#start + this.#minted * 1_000).toISOString(),
    };
    messages[index] = message;
    this.#tell({ type: "message_update", message } as DiscordEvent);
  }

  delete(channelId: ChannelId, which: number): void {
    const { messages } = this.#of(channelId);
    const [gone] = messages.splice(which % Math.max(1, messages.length), 1);
    if (gone)
      this.#tell({ type: "message_delete", channelId, guildId: GUILD, messageIds: [gone.message_id] } as DiscordEvent);
  }

  setReadable(channelId: ChannelId, isReadable: boolean): void {
    const channel = this.#of(channelId);
    if (channel.isReadable && !isReadable) {
      channel.isReadable = false;
      this.#tell({ type: "access_lost", channelId, guildId: GUILD, lineage: [] });
    }
    channel.isReadable = isReadable;
  }

  describeGuild(): void {
    this.#tell({ type: "guild", guildId: GUILD });
  }

  /** Tells of a gap that began at this time. */
  miss(since: number): void {
    const from = new Date(since).toISOString();
    const gap: DiscordEvent = { type: "gap", reason: "events_lost", shard: 0, guildIds: [GUILD], from, to: from };
    for (const listener of this.#listeners) listener(gap);
  }

  readonly discord: TimelineStoreDeps["discord"] & ArchivePort = {
    botId: "1" as UserId,
    directory: {
      guilds: () => [{ id: GUILD, available: true }],
      guild: (id: GuildId) => (id === GUILD ? { id, available: true } : undefined),
      channel: (id: ChannelId) => {
        const channel = this.#channels.get(id);
        return (
          channel?.isListed && {
            id,
            kind: channel.kind,
            parentId: channel.parentId,
            guildId: isDm(channel.kind) ? null : GUILD,
            lastMessageId: channel.messages.at(-1)?.message_id,
          }
        );
      },
      channels: () => [...this.#channels.values()].filter(({ kind, isListed }) => isListed && !isDm(kind)),
      canRead: (_: UserId, id: ChannelId) => this.isReadable(id),
      learn: async () => {},
    } as unknown as Directory,
    listen: (given) => {
      const listener = toListener(given);
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    history: async (channelId, page) => this.#history(channelId, page),
    // One at a time.
    archive: async (channelId) => {
      const [next, ...rest] = [...this.#channels.values()].filter((one) => one.parentId === channelId && !one.isListed);
      if (next) next.isListed = true;
      return { next: rest.length > 0 ? "more" : null, isLast: rest.length === 0 };
    },
    lastHeardAt: () => this.lastHeardAt,
  };

  #of(channelId: ChannelId): PlainChannel {
    const channel = this.#channels.get(channelId);
    if (!channel) throw new Error("there is no such channel");
    return channel;
  }

  #tell(event: DiscordEvent): void {
    if (!this.isDeaf) for (const listener of this.#listeners) listener(event);
  }

  #history(channelId: ChannelId, { limit, before, after, around }: HistoryPage): HistoryRead {
    this.pages += 1;
    const all = this.messages(channelId);
    const older = (id: string) => all.filter(({ message_id }) => BigInt(message_id) < BigInt(id));
    const newer = (id: string) => all.filter(({ message_id }) => BigInt(message_id) > BigInt(id));
    const here = all.filter(({ message_id }) => message_id === around);
    const half = Math.floor(limit / 2);
    const messages =
      around !== undefined
        ? [...older(around).slice(-half), ...here, ...newer(around).slice(0, half - here.length)]
        : after !== undefined
          ? newer(after).slice(0, limit)
          : (before === undefined ? all : older(before)).slice(-limit);
    return { messages: [...messages].reverse(), isFull: messages.length >= limit };
  }
}

function isDm(kind: ChannelKind): boolean {
  return kind === "dm" || kind === "group_dm";
}
