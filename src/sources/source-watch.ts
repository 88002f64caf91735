import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import { toMessageReading } from "../domain/message.ts";
import type { Kept, RecordKind, SourceState } from "../domain/source.ts";
import { hasRemovedWords } from "../domain/text/quotes.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConsentChange } from "../ports/consent.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import type { RecordStates } from "../ports/record-states.ts";
import { kindOf } from "./kinds/index.ts";
import type { SourceChanges } from "./kinds/kind.ts";
import { textsOf } from "./kinds/message.ts";
import type { Label } from "./label.ts";

interface Edit {
  /** Null once it was dropped. */
  readonly text: string | null;
  readonly authorId: UserId;
  /** The latest first; only as many as are needed to detect frequent edits. */
  readonly times: readonly number[];
  readonly isByBot: boolean;
}

/** Changes in one channel. Kept per channel, because a shared limit would reveal how busy other channels are. */
interface ChannelChanges {
  /** Both with the oldest first. Not `BoundedMap`s: dropping an entry, for age or number, must move `forgottenUntil`. */
  readonly deleted: Map<MessageId, number>;
  readonly edits: Map<MessageId, Edit>;
  /** Changes before this time were dropped. */
  forgottenUntil: number;
}

const MIN_KEPT_MS = 60 * 60_000;
const MAX_DELETIONS_PER_CHANNEL = 5_000;
const MAX_EDITS_PER_CHANNEL = 300;
/** A message with this many edits by a bot within the time, such as a counter, is updated constantly: its edits do not count as changes. */
const FREQUENT_EDITS = 3;
const FREQUENT_MS = 10 * 60_000;
const NEVER = Number.NEGATIVE_INFINITY;
/** Maximum difference between Discord's clock and the local one. */
const CLOCK_SKEW_MS = 60_000;

export interface SourceWatchDeps extends Pick<SourceChanges, "botId" | "isLeftOut"> {
  /** Null without a memory: the state of every fact is unknown then. */
  readonly facts: { stateOf: SourceChanges["stateOfFact"] } | null;
  readonly records: { readonly [Kind in RecordKind]?: Pick<RecordStates, "stateOf"> };
  readonly clock: Clock;
  /** How long labels live; changes are remembered at least as long. */
  readonly labelsKeptMs: number;
}

/** Remembers recent deletions and edits of messages, and when some may have been missed. */
export class SourceWatch implements SourceChanges {
  readonly botId: UserId;
  readonly isLeftOut: SourceWatchDeps["isLeftOut"];
  readonly #facts: SourceWatchDeps["facts"];
  readonly #records: SourceWatchDeps["records"];
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #channels = new Map<ChannelId, ChannelChanges>();
  /** By guild, by channel, and "" for direct messages: the last time at which changes may have been missed. */
  readonly #missed = new Map<GuildId | ChannelId | "", number>();
  /** Time at which a person was last left out. */
  #leftOutAt = NEVER;

  constructor({ clock, botId, isLeftOut, facts, records, labelsKeptMs }: SourceWatchDeps) {
    this.#facts = facts;
    this.#records = records;
    this.isLeftOut = isLeftOut;
    this.botId = botId;
    this.#clock = clock;
    this.#keptMs = Math.max(MIN_KEPT_MS, labelsKeptMs);
  }

  note(event: DiscordEvent): void {
    const now = this.#clock.now();
    switch (event.type) {
      case "message_delete":
        for (const id of event.messageIds) this.noteDeleted(event.channelId, id);
        return;
      case "message_update":
        this.#noteEdit(event.message);
        return;
      case "gap":
        for (const guildId of event.guildIds) this.#missed.set(guildId, now);
        if (event.shard === 0) this.#missed.set("", now);
        return;
      // It may have become visible again: earlier events were missed.
      case "guild":
      case "guild_removed":
        this.#missed.set(event.guildId, now);
        return;
      // Events are missed until the bot can see it again.
      case "access_lost":
      case "channel_deleted":
        this.#missed.set(event.channelId, now);
    }
  }

  /** A source whose author was forgotten may be by the person who is left out now. */
  noteConsent({ isLeftOut }: ConsentChange): void {
    if (isLeftOut) this.#leftOutAt = this.#clock.now();
  }

  noteDeleted(channelId: ChannelId, id: MessageId): void {
    const changes = this.#changesIn(channelId);
    changes.deleted.delete(id);
    changes.deleted.set(id, this.#clock.now());
    changes.edits.delete(id);
    this.#forget(changes);
  }

  stateOfFact(source: Kept<"fact" | "facts">): SourceState {
    return this.#facts?.stateOf(source) ?? "uncertain";
  }

  stateOfRecord(source: Kept<RecordKind>): SourceState {
    return this.#records[source.kind]?.stateOf(source) ?? "uncertain";
  }

  isDeleted({ channelId, messageId }: MessageRef): boolean {
    return this.#channels.get(channelId)?.deleted.has(messageId) === true;
  }

  /** Time of the last edit of any kind. */
  editedAt({ channelId, messageId }: MessageRef): number {
    return this.#channels.get(channelId)?.edits.get(messageId)?.times[0] ?? NEVER;
  }

  /** Whether any message among the sources was edited after a time, in any way. */
  hasEdits(label: Label, since: number): boolean {
    for (const source of label)
      if (
        kindOf(source)
          .messages?.(source)
          .some((message) => this.editedAt(message) >= since)
      )
        return true;
    return false;
  }

  /** Messages that may have been deleted or edited while events were missed. */
  doubtful(label: Label, directory: Pick<Directory, "channel">): Kept<"message">[] {
    return [...label.of("message").values()].filter((source) => source.isShown && this.isDoubtful(source, directory));
  }

  /** Compares a doubtful source with the current message. A difference is remembered as an edit. */
  isUnchanged(source: Kept<"message">, current: Message): boolean {
    const { readAt } = source;
    const texts = textsOf(source);
    const editedAt = current.edited_ts === null ? NEVER : Date.parse(current.edited_ts);
    const { text } = toMessageReading(current);
    const hasLost =
      texts.size === 0 ? editedAt > readAt - CLOCK_SKEW_MS : [...texts].some((each) => hasRemovedWords(each, text));
    if (!hasLost || this.#isExempt(source)) return true;
    this.#setEdit(current, [this.#clock.now()]);
    return false;
  }

  /** Whether a deletion or edit may have been missed. */
  isDoubtful({ channelId, authorId, readAt }: Kept<"message">, directory: Pick<Directory, "channel">): boolean {
    if (authorId === null && readAt <= this.#leftOutAt) return true;
    return readAt <= this.missedSince(channelId, directory);
  }

  /** The last time at which changes in a channel may have been missed. */
  missedSince(channelId: ChannelId, directory: Pick<Directory, "channel">): number {
    const inChannel = this.#missed.get(channelId) ?? NEVER;
    const inGuild = this.#missed.get(directory.channel(channelId)?.guildId ?? "") ?? NEVER;
    return Math.max(inChannel, inGuild, this.#channels.get(channelId)?.forgottenUntil ?? NEVER);
  }

  /** If the text was forgotten, any later edit may have removed words. */
  isChanged(source: Kept<"message">): boolean {
    const { messageId, channelId, text, readAt } = source;
    const edit = this.#channels.get(channelId)?.edits.get(messageId);
    if ((!edit && !source.texts?.size) || this.#isExempt(source)) return false;
    const texts = textsOf(source);
    const editedAt = edit?.times[0] ?? NEVER;
    if (texts.size === 0) return editedAt > readAt;
    const isEditNewer = edit !== undefined && editedAt >= readAt;
    const current = isEditNewer ? edit.text : text;
    if (current === null) return isEditNewer;
    for (const each of texts) if (hasRemovedWords(each, current)) return true;
    return false;
  }

  /** The agent's own messages grow while an answer is written; messages that bots update constantly change all the time. */
  #isExempt({ authorId, channelId, messageId }: Kept<"message">): boolean {
    const edit = this.#channels.get(channelId)?.edits.get(messageId);
    const times = edit?.isByBot ? edit.times : [];
    const since = this.#clock.now() - (times[FREQUENT_EDITS - 1] ?? NEVER);
    return authorId === this.botId || since < FREQUENT_MS;
  }

  /** Drops the texts of a person's edits. Sources read before such an edit can no longer be confirmed. */
  forgetWordsOf(authorId: UserId): void {
    for (const { edits } of this.#channels.values())
      for (const [id, edit] of edits) if (edit.authorId === authorId) edits.set(id, { ...edit, text: null });
  }

  #noteEdit(message: Message): void {
    const earlier = this.#channels.get(message.channel_id)?.edits.get(message.message_id)?.times ?? [];
    this.#setEdit(message, [this.#clock.now(), ...earlier].slice(0, FREQUENT_EDITS));
  }

  #setEdit(message: Message, times: readonly number[]): void {
    const changes = this.#changesIn(message.channel_id);
    changes.edits.delete(message.message_id);
    changes.edits.set(message.message_id, {
      text: toMessageReading(message).text,
      authorId: message.author.id,
      times,
      isByBot: message.author.bot,
    });
    this.#forget(changes);
  }

  #changesIn(channelId: ChannelId): ChannelChanges {
    const known = this.#channels.get(channelId);
    if (known) return known;
    const changes = { deleted: new Map(), edits: new Map(), forgottenUntil: NEVER };
    this.#channels.set(channelId, changes);
    return changes;
  }

  #forget(changes: ChannelChanges): void {
    const tooOld = this.#clock.now() - this.#keptMs;
    const drop = <Entry>(entries: Map<MessageId, Entry>, most: number, timeOf: (entry: Entry) => number) => {
      for (const [id, entry] of entries) {
        const at = timeOf(entry);
        if (at > tooOld && entries.size <= most) return;
        entries.delete(id);
        changes.forgottenUntil = Math.max(changes.forgottenUntil, at);
      }
    };
    drop(changes.deleted, MAX_DELETIONS_PER_CHANNEL, (at) => at);
    drop(changes.edits, MAX_EDITS_PER_CHANNEL, ({ times }) => times[0] ?? NEVER);
  }
}
