import { type Audience, asLive } from "../domain/audience.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import {
  type FactSetSource,
  type FactSource,
  hasRemovedWords,
  type Label,
  listAudiences,
  type MessageSource,
  type RecordSource,
  type SourceState,
} from "../domain/label.ts";
import type { Message, MessageRef } from "../domain/message.ts";
import { toMessageReading } from "../domain/message-reading.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConsentChange } from "../ports/consent.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { type AudienceDirectory, isSubjectThere, toAudience, toRecordSubjects } from "./fact-audience.ts";

/** The sources of a label, as they stand now. */
export interface JudgedSources {
  /** The audience of each. Sources with an unknown audience are left out, and then the state is not `standing`. */
  readonly audiences: readonly Audience[];
  readonly state: SourceState;
}

type SourceDirectory = Pick<Directory, "guild" | "channel" | "member" | "lastAudience" | "isDeleted"> &
  AudienceDirectory;

interface Edit {
  /** Null once that was forgotten. */
  readonly text: string | null;
  readonly authorId: UserId;
  /** The latest first; only as many as show whether it is edited often. */
  readonly times: readonly number[];
  readonly isByBot: boolean;
}

/** What happened in one channel. No channel's changes make another's forgotten: how long is remembered would tell how busy others are. */
interface ChannelChanges {
  /** Both with the oldest first. Not BoundedMaps: what is dropped, for its age or their number, moves `forgottenUntil`. */
  readonly deleted: Map<MessageId, number>;
  readonly edits: Map<MessageId, Edit>;
  /** Changes before this have been forgotten. */
  forgottenUntil: number;
}

const MIN_KEPT_MS = 60 * 60_000;
const MAX_DELETIONS_PER_CHANNEL = 5_000;
const MAX_EDITS_PER_CHANNEL = 300;
/** A message that a bot has edited this often within the time is kept current, such as a counter: its edits take nothing back. */
const FREQUENT_EDITS = 3;
const FREQUENT_MS = 10 * 60_000;
const NEVER = Number.NEGATIVE_INFINITY;
/** Discord's clock and ours may differ by this much. */
const CLOCK_SKEW_MS = 60_000;

export interface SourceWatchDeps {
  readonly clock: Clock;
  readonly botId: UserId;
  /** Whose words may not be used. */
  isLeftOut(authorId: UserId): boolean;
  /** Whether a fact that was read still stands. */
  stateOfFact(source: FactSource | FactSetSource): SourceState;
  /** Whether a record that was read still stands. */
  stateOfRecord(source: RecordSource): SourceState;
  /** How long labels live: changes are remembered at least as long. */
  readonly labelsKeptMs: number;
}

/** Remembers which messages were deleted or edited lately, and when that may have been missed. */
export class SourceWatch {
  readonly #clock: Clock;
  readonly #botId: UserId;
  readonly #isLeftOut: (authorId: UserId) => boolean;
  readonly #stateOfFact: SourceWatchDeps["stateOfFact"];
  readonly #stateOfRecord: (source: RecordSource) => SourceState;
  readonly #keptMs: number;
  readonly #channels = new Map<ChannelId, ChannelChanges>();
  /** By guild, by channel, and "" for direct messages: the last time at which changes may have been missed. */
  readonly #missed = new Map<GuildId | ChannelId | "", number>();
  /** When somebody was last left out. */
  #leftOutAt = NEVER;

  constructor({ clock, botId, isLeftOut, stateOfFact, stateOfRecord, labelsKeptMs }: SourceWatchDeps) {
    this.#stateOfFact = stateOfFact;
    this.#stateOfRecord = stateOfRecord;
    this.#isLeftOut = isLeftOut;
    this.#clock = clock;
    this.#botId = botId;
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

  /** Of a source whose author is no longer known, nobody can say whether they are left out now. */
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

  state(label: Label, directory: Pick<Directory, "channel" | "member">): SourceState {
    let isUncertain = false;
    for (const source of label.shown()) {
      const { channelId, messageId, authorId } = source;
      if (this.#channels.get(channelId)?.deleted.has(messageId)) return "deleted";
      // As if they had never written it.
      if (authorId !== null && this.#isLeftOut(authorId)) return "deleted";
      if (this.#isChanged(source)) return "changed";
      isUncertain ||= this.#isDoubtful(source, directory);
    }
    const limited = [
      ...label.facts.values().map((source) => ({
        subjects: [source],
        stateNow: () => this.#stateOfBasis(source, directory) ?? this.#stateOfFact(source),
      })),
      ...label.considered.values().map((source) => ({
        subjects: source.set.subjects,
        stateNow: () => this.#stateOfBasis({ ...source, ...source.set }, directory) ?? this.#stateOfFact(source),
      })),
      ...label.records.values().map((source) => ({
        subjects: toRecordSubjects(source, directory),
        stateNow: () => this.#stateOfRecordNow(source),
      })),
    ];
    for (const { subjects, stateNow } of limited) {
      const state = subjects.every((subject) => isSubjectThere(subject, directory)) ? stateNow() : "deleted";
      if (state === "deleted" || state === "changed") return state;
      isUncertain ||= state === "uncertain";
    }
    return isUncertain ? "uncertain" : "standing";
  }

  #stateOfRecordNow(source: RecordSource): SourceState {
    if (source.subjectId !== null && this.#isLeftOut(source.subjectId)) return "deleted";
    return source.audiences === null ? "uncertain" : this.#stateOfRecord(source);
  }

  /** Whether what facts rest on was deleted or edited since they were read; null if it was not, as far as was heard. */
  #stateOfBasis(
    { audiences, messages, readAt }: Pick<FactSource, "audiences" | "messages" | "readAt">,
    directory: Pick<Directory, "channel">,
  ): SourceState | null {
    let isUncertain = audiences === null;
    for (const { channelId, messageId } of messages) {
      const changes = this.#channels.get(channelId);
      if (changes?.deleted.has(messageId)) return "deleted";
      if ((changes?.edits.get(messageId)?.times[0] ?? NEVER) > readAt) return "changed";
      isUncertain ||= readAt <= this.#missedSince(channelId, directory);
    }
    return isUncertain ? "uncertain" : null;
  }

  /**
   * The sources of a label, as they stand now. If a channel is deleted, what was returned from it may no longer be used. A channel that was only
   * searched counts with its last audience. A channel that the bot can no longer see has an unknown audience. `readBack`: channels of which more was read than
   * what is being said there now.
   */
  judge(label: Label, directory: SourceDirectory, readBack: ReadonlySet<ChannelId>): JudgedSources {
    const audiences: Audience[] = [];
    let isDeleted = false;
    let isUnknown = [...label.guilds.keys()].some((id) => !directory.guild(id));
    for (const id of label.channels.keys()) {
      if (directory.canRead(this.#botId, id)) {
        const audience = directory.audience(id);
        audiences.push(readBack.has(id) ? audience : asLive(audience));
        continue;
      }
      if (label.disclosed.has(id) && directory.isDeleted(id)) {
        isDeleted = true;
        continue;
      }
      const audience = directory.lastAudience(id);
      if (audience) audiences.push(audience);
      else isUnknown = true;
    }
    const limited = [...label.facts.values(), ...label.considered.keys(), ...label.records.values()];
    for (const ref of listAudiences(limited)) audiences.push(toAudience(ref, directory, this.#botId));
    const state = isDeleted ? "deleted" : this.state(label, directory);
    return { audiences, state: state === "standing" && isUnknown ? "uncertain" : state };
  }

  /** Whether any message among the sources was edited after a time, in whatever way. */
  hasEdits(label: Label, since: number): boolean {
    const isEdited = ({ channelId, messageId }: MessageRef) =>
      (this.#channels.get(channelId)?.edits.get(messageId)?.times[0] ?? NEVER) >= since;
    for (const source of label.shown()) if (isEdited(source)) return true;
    for (const { messages } of label.facts.values()) if (messages.some(isEdited)) return true;
    for (const { messages } of label.considered.keys()) if (messages.some(isEdited)) return true;
    return false;
  }

  /** Those that may have been deleted or edited while events were missed. */
  doubtful(label: Label, directory: Pick<Directory, "channel">): MessageSource[] {
    return [...label.shown()].filter((source) => this.#isDoubtful(source, directory));
  }

  /** Whether a doubtful source, which was looked up, stands as it was read. What does not is remembered as edited. */
  isUnchanged(source: MessageSource, current: Message): boolean {
    const { texts, readAt } = source;
    const editedAt = current.edited_ts === null ? NEVER : Date.parse(current.edited_ts);
    const { text } = toMessageReading(current);
    const hasLost =
      texts.size === 0 ? editedAt > readAt - CLOCK_SKEW_MS : [...texts].some((each) => hasRemovedWords(each, text));
    if (!hasLost || this.#isExempt(source)) return true;
    this.#setEdit(current, [this.#clock.now()]);
    return false;
  }

  #isDoubtful({ channelId, authorId, readAt }: MessageSource, directory: Pick<Directory, "channel">): boolean {
    if (authorId === null && readAt <= this.#leftOutAt) return true;
    return readAt <= this.#missedSince(channelId, directory);
  }

  /** The last time at which changes in a channel may have been missed. */
  #missedSince(channelId: ChannelId, directory: Pick<Directory, "channel">): number {
    const inChannel = this.#missed.get(channelId) ?? NEVER;
    const inGuild = this.#missed.get(directory.channel(channelId)?.guildId ?? "") ?? NEVER;
    return Math.max(inChannel, inGuild, this.#channels.get(channelId)?.forgottenUntil ?? NEVER);
  }

  /** Of a text that is not known any more, an edit since may have taken anything. */
  #isChanged(source: MessageSource): boolean {
    const { messageId, channelId, text, texts, readAt } = source;
    if (this.#isExempt(source)) return false;
    const edit = this.#channels.get(channelId)?.edits.get(messageId);
    const editedAt = edit?.times[0] ?? NEVER;
    if (texts.size === 0) return editedAt > readAt;
    const isEditNewer = edit !== undefined && editedAt >= readAt;
    const current = isEditNewer ? edit.text : text;
    if (current === null) return isEditNewer;
    for (const each of texts) if (hasRemovedWords(each, current)) return true;
    return false;
  }

  /** Our own messages grow while an answer is written; those that a bot keeps current change all the time. */
  #isExempt({ authorId, channelId, messageId }: MessageSource): boolean {
    const edit = this.#channels.get(channelId)?.edits.get(messageId);
    const times = edit?.isByBot ? edit.times : [];
    const since = this.#clock.now() - (times[FREQUENT_EDITS - 1] ?? NEVER);
    return authorId === this.#botId || since < FREQUENT_MS;
  }

  /** Forgets the words of somebody's edits. Of what was read before such an edit, nobody can say any more that it still stands. */
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
