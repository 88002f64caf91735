import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Label, MessageSource } from "../domain/label.ts";
import { type Message, typedText } from "../domain/message.ts";
import { hasLostWords } from "../domain/text/lost-words.ts";
import type { Clock } from "../ports/clock.ts";
import type { DiscordEvent } from "../ports/discord.ts";

/** Whether everything that was read still stands as it was read. `uncertain`: some of it may have changed unheard. */
export type SourceState = "standing" | "deleted" | "changed" | "uncertain";

/** Undefined for a channel that is unknown, null for a DM. */
export type GuildOf = (channelId: ChannelId) => GuildId | null | undefined;

interface Edit {
  readonly at: number;
  readonly text: string;
}

const KEPT_MS = 60 * 60_000;
const MAX_DELETIONS = 200_000;
const MAX_EDITS = 20_000;
/** A bot that has edited this often within the time keeps something current, such as a counter: its edits take nothing back. */
const FREQUENT_EDITS = 3;
const FREQUENT_MS = 10 * 60_000;
const MAX_BOTS = 1_000;
/** Discord's clock and ours may differ by this much. */
const CLOCK_SKEW_MS = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** Remembers which messages were deleted or edited lately, and when that may have been missed. */
export class SourceWatch {
  readonly #clock: Clock;
  readonly #botId: UserId;
  /** Both with the oldest first. */
  readonly #deleted = new Map<MessageId, number>();
  readonly #edits = new Map<MessageId, Edit>();
  /** By bot: the times of its latest edits. */
  readonly #botEdits = new Map<UserId, number[]>();
  /** By guild, by channel, and "" for direct messages: the last time at which changes may have been missed. */
  readonly #missed = new Map<GuildId | ChannelId | "", number>();
  /** Changes before this have been forgotten. */
  #forgottenUntil = NEVER;

  constructor(clock: Clock, botId: UserId) {
    this.#clock = clock;
    this.#botId = botId;
  }

  note(event: DiscordEvent): void {
    const now = this.#clock.now();
    switch (event.type) {
      case "message_delete":
        for (const id of event.messageIds) this.noteDeleted(id);
        return;
      case "message_update":
        this.#noteEdit(event.message, now);
        return;
      case "gap":
        for (const guildId of event.guildIds) this.#missed.set(guildId, now);
        if (event.shard === 0) this.#missed.set("", now);
        return;
      // It came into sight, again perhaps: what happened before was not heard.
      case "guild":
      case "guild_removed":
        this.#missed.set(event.guildId, now);
        return;
      // Until the bot sees it again, nothing of what happens there is heard.
      case "access_lost":
      case "channel_deleted":
        this.#missed.set(event.channelId, now);
    }
  }

  noteDeleted(id: MessageId): void {
    const now = this.#clock.now();
    this.#deleted.delete(id);
    this.#deleted.set(id, now);
    this.#edits.delete(id);
    this.#forget(this.#deleted, MAX_DELETIONS, (at) => at);
  }

  state(label: Label, guildOf: GuildOf): SourceState {
    let isUncertain = false;
    for (const source of label.messages.values()) {
      if (this.#deleted.has(source.messageId)) return "deleted";
      if (this.#isChanged(source)) return "changed";
      isUncertain ||= this.#isDoubtful(source, guildOf);
    }
    return isUncertain ? "uncertain" : "standing";
  }

  /** Those that may have been deleted or edited without our hearing of it. */
  doubtful(label: Label, guildOf: GuildOf): MessageSource[] {
    return [...label.messages.values()].filter((source) => this.#isDoubtful(source, guildOf));
  }

  /** Whether a doubtful source, which was looked up, stands as it was read. What does not is remembered as edited. */
  isUnchanged(source: MessageSource, current: Message): boolean {
    const { texts, readAt, messageId } = source;
    const editedAt = current.edited_ts === null ? NEVER : Date.parse(current.edited_ts);
    const hasLost =
      texts.size === 0
        ? editedAt > readAt - CLOCK_SKEW_MS
        : [...texts].some((text) => hasLostWords(text, typedText(current)));
    if (!hasLost || this.#isExempt(current.author.id)) return true;
    this.#setEdit(messageId, { text: typedText(current), at: this.#clock.now() });
    return false;
  }

  #isDoubtful({ channelId, readAt }: MessageSource, guildOf: GuildOf): boolean {
    const missed = (key: GuildId | ChannelId | "") => this.#missed.get(key) ?? NEVER;
    return readAt <= Math.max(missed(channelId), missed(guildOf(channelId) ?? ""), this.#forgottenUntil);
  }

  /** Of a text that is not known any more, an edit since may have taken anything. */
  #isChanged({ messageId, authorId, text, texts, readAt }: MessageSource): boolean {
    if (authorId !== null && this.#isExempt(authorId)) return false;
    const edit = this.#edits.get(messageId);
    if (texts.size === 0) return edit !== undefined && edit.at > readAt;
    const current = edit && edit.at >= readAt ? edit.text : text;
    return current !== null && [...texts].some((each) => hasLostWords(each, current));
  }

  #noteEdit(message: Message, now: number): void {
    const { message_id, author } = message;
    if (author.bot) this.#noteBotEdit(author.id, now);
    this.#setEdit(message_id, { text: typedText(message), at: now });
  }

  #setEdit(id: MessageId, edit: Edit): void {
    this.#edits.delete(id);
    this.#edits.set(id, edit);
    this.#forget(this.#edits, MAX_EDITS, ({ at }) => at);
  }

  #noteBotEdit(id: UserId, now: number): void {
    const times = [...(this.#botEdits.get(id) ?? []), now].slice(-FREQUENT_EDITS);
    this.#botEdits.delete(id);
    this.#botEdits.set(id, times);
    const [oldest] = this.#botEdits.keys();
    if (this.#botEdits.size > MAX_BOTS && oldest !== undefined) this.#botEdits.delete(oldest);
  }

  /** Our own messages grow while an answer is written; those of some bots change all the time. */
  #isExempt(author: UserId): boolean {
    const times = this.#botEdits.get(author) ?? [];
    const isFrequent = times.length === FREQUENT_EDITS && this.#clock.now() - (times[0] ?? NEVER) < FREQUENT_MS;
    return author === this.#botId || isFrequent;
  }

  #forget<Entry>(entries: Map<MessageId, Entry>, most: number, timeOf: (entry: Entry) => number): void {
    const now = this.#clock.now();
    for (const [id, entry] of entries) {
      const at = timeOf(entry);
      if (now - at < KEPT_MS && entries.size <= most) return;
      entries.delete(id);
      this.#forgottenUntil = Math.max(this.#forgottenUntil, at);
    }
  }
}
