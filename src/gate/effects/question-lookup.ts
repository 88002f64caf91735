import type { AudienceRef } from "../../domain/audience-ref.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, compareIds, type MessageId, toFirstId } from "../../domain/ids.ts";
import { recordsUnder } from "../../domain/memory/fact.ts";
import { type Message, type MessageRef, typedText } from "../../domain/message.ts";
import type { FactReading } from "../../domain/source.ts";
import { withoutCode } from "../../domain/text/without-code.ts";
import type { Memory } from "../../memory/memory.ts";
import type { StoredSource } from "../../ports/answer-store.ts";
import type { Discord } from "../../ports/discord.ts";
import type { RecordKinds } from "../../ports/record-states.ts";
import { toGuildId } from "../../sources/kinds/subjects.ts";
import { currentAudiences } from "../memory/check-basis.ts";
import { toLimited } from "../memory/current-facts.ts";
import { toProfileGuild, toProfileSubject } from "../memory/profile-states.ts";

/** Finds questions again that the bot heard, or would have heard. It hands out nothing that was not said to the bot. */
export interface QuestionLookup {
  /**
   * Messages of an interval of ids that address the bot and that nobody has answered, the oldest first. `isOurs`: whether a message that is further back is
   * one of the bot's. `isCut`: the interval has more messages than are read.
   */
  missed(
    channelId: ChannelId,
    span: IdSpan,
    isOurs: (id: MessageId) => Promise<boolean>,
  ): Promise<{ readonly questions: readonly Message[]; readonly isCut: boolean }>;
  /** A question as it stands now, null when it is gone, and the messages with which the bot has answered it. */
  reread(question: MessageRef): Promise<{ readonly message: Message | null; readonly answerIds: readonly MessageId[] }>;
  /** Whether a message of the bot's stands there without words: it was promised, and never filled in. */
  isUnfilled(message: MessageRef): Promise<boolean>;
  /** Messages of the bot's own that were said since then, and what each replies to, among the hundred next to that time. */
  ownSince(channelId: ChannelId, time: number): Promise<readonly OwnMessage[]>;
  /** One of these that is gone, as `isGone` says; "unknown" if none is known to be and not all could be told. Messages that stand near each other cost one request. */
  findGone(sources: readonly StoredSource[], isStopped: () => boolean): Promise<StoredSource | "unknown" | null>;
  /** Whether a fact was forgotten or is heard by nobody, a passage taken out of a document, or a profile out of the configuration; whether a message was deleted, or its channel was or is out of the bot's sight. Null where that cannot be told now. */
  isGone(source: StoredSource): Promise<boolean | null>;
  /** Who may hear a fact, a profile or a passage of a document now; null for a message, and for what is not known. */
  limitsOf(source: StoredSource): Promise<SourceLimits | null>;
}

/** Only who is in all of the audiences may hear it, and only while its subject is in the server. */
export interface SourceLimits extends Pick<FactReading, "subjectId" | "guildId"> {
  readonly audiences: readonly AudienceRef[];
}

interface OwnMessage {
  readonly messageId: MessageId;
  readonly replyTo: MessageId | null;
}

/** Both ends are included. */
interface IdSpan {
  readonly from: MessageId;
  readonly to: MessageId;
}

interface LookupParts {
  readonly memory: Pick<Memory, "findById" | "openById" | "isConsented"> | null;
  readonly records: RecordKinds;
}

const MAX_PAGE = 100;
/** Per channel in which questions are looked for. */
const MAX_PAGES = 10;

export function createQuestionLookup(
  discord: Pick<Discord, "botId" | "directory" | "history" | "message">,
  { memory, records }: LookupParts,
): QuestionLookup {
  const { botId, directory } = discord;
  const isOwn = ({ author }: Message) => author.id === botId;

  function isMentioned(message: Message): boolean {
    const roles = message.guild_id === null ? [] : directory.roles(message.guild_id);
    const own = roles.filter((role) => role.botId === botId).map(({ id }) => id);
    const typed = withoutCode(typedText(message));
    return mentionsOf(botId, own).some((mention) => typed.includes(mention));
  }

  function limitsOfRecord(type: keyof RecordKinds, ref: string): SourceLimits | null {
    const guildId = toProfileGuild(ref);
    // Discord has no profile of somebody who has left.
    const audience = records[type]?.audienceOf(ref) ?? (guildId && { kind: "guild" as const, id: guildId });
    return (
      audience && { audiences: [audience], subjectId: toProfileSubject(ref), guildId: toGuildId(audience, directory) }
    );
  }

  /** Of a folder that cannot be read, nobody can say what is gone. */
  async function isPassageGone(ref: string): Promise<boolean> {
    return !records.docs || (await records.docs.versionOf(ref).catch(() => "")) === null;
  }

  /** Profiles do not end while they are configured; whom they are about can be left out. */
  function isProfileGone(ref: string): boolean {
    return toProfileGuild(ref) === null && (records.crm?.audienceOf(ref) ?? null) === null;
  }

  /** Whether it was forgotten, or nobody hears it: somebody who wrote what it rests on is left out, or a record under it is gone. */
  async function isFactGone(id: string): Promise<boolean> {
    const [stored] = (await memory?.findById(id)) ?? [];
    if (!memory || !stored) return true;
    const fact = await memory.openById(id);
    if (fact && !memory.isConsented(fact)) return true;
    for (const { type, ref } of recordsUnder(toLimited(stored)))
      if (type === "docs" ? await isPassageGone(ref) : isProfileGone(ref)) return true;
    return false;
  }

  /** What belongs to a server that cannot be reached, or that is not described yet, is not found either. */
  function isReachable(channelId: ChannelId): boolean {
    const channel = directory.channel(channelId);
    if (!channel) return directory.isDeleted(channelId) || directory.isComplete;
    return channel.guildId === null || directory.guild(channel.guildId)?.available === true;
  }

  async function isGone({ kind, ref, channelId }: StoredSource): Promise<boolean | null> {
    switch (kind) {
      case "gone":
        return true;
      case "fact":
        return isFactGone(ref);
      case "profile":
        return isProfileGone(ref);
      case "passage":
        return isPassageGone(ref);
      case "message":
        return isMessageGone({ channelId, messageId: ref as MessageId });
    }
  }

  async function isMessageGone({ channelId, messageId }: MessageRef): Promise<boolean | null> {
    const wasReachable = isReachable(channelId);
    try {
      if (await discord.message(channelId, messageId)) return false;
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      if (error.code !== "not_found") return null;
    }
    return wasReachable && isReachable(channelId) ? true : null;
  }

  /** Ids of the messages from this one on; null where the channel cannot be read. */
  async function readPage(channelId: ChannelId, from: MessageId): Promise<readonly MessageId[] | null> {
    try {
      const before = String(BigInt(from) - 1n) as MessageId;
      const { messages } = await discord.history(channelId, { limit: MAX_PAGE, after: before });
      return messages.map(({ message_id }) => message_id);
    } catch (error) {
      if (error instanceof EarshotError) return null;
      throw error;
    }
  }

  /** The newest messages, the newest first, back to this id at least, or as far as `MAX_PAGES` reach. */
  async function readBackTo(channelId: ChannelId, from: MessageId) {
    const messages: Message[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const oldest = messages.at(-1);
      const before = oldest && { before: oldest.message_id };
      const read = await discord.history(channelId, { limit: MAX_PAGE, ...before });
      messages.push(...read.messages);
      const last = read.messages.at(-1);
      if (!last || !read.isFull || compareIds(last.message_id, from) < 0) return { messages, isCut: false };
    }
    return { messages, isCut: true };
  }

  return {
    async limitsOf({ kind, ref }) {
      if (kind === "passage") return limitsOfRecord("docs", ref);
      if (kind === "profile") return limitsOfRecord("crm", ref);
      if (kind !== "fact") return null;
      const [stored] = (await memory?.findById(ref)) ?? [];
      const limited = stored && toLimited(stored);
      return limited ? { ...limited, audiences: currentAudiences(limited, records) } : null;
    },
    isGone,
    async ownSince(channelId, time) {
      const { messages } = await discord.history(channelId, { limit: MAX_PAGE, after: toFirstId(time) });
      return messages
        .filter(isOwn)
        .map(({ message_id, reply_to }) => ({ messageId: message_id, replyTo: reply_to?.message_id ?? null }));
    },
    async findGone(sources, isStopped) {
      let isUnknown = false;
      for (const [channelId, there] of Map.groupBy(sources, (source) => source.channelId)) {
        const seen = new Set<string>();
        for (const source of there.toSorted((a, b) => compareIds(a.ref as MessageId, b.ref as MessageId))) {
          if (isStopped()) return "unknown";
          if (seen.has(source.ref)) continue;
          const isAlone = there.length === 1 || source.kind !== "message";
          const page = isAlone ? null : await readPage(channelId, source.ref as MessageId);
          for (const id of page ?? []) seen.add(id);
          if (seen.has(source.ref)) continue;
          const gone = await isGone(source);
          if (gone) return source;
          isUnknown ||= gone === null;
          if (gone === null) break;
        }
      }
      return isUnknown ? "unknown" : null;
    },
    async missed(channelId, { from, to }, isOurs) {
      const { messages, isCut } = await readBackTo(channelId, from);
      const answered = new Set(messages.map(({ reply_to }) => reply_to?.message_id));
      const isAddressed = async (message: Message): Promise<boolean> => {
        if (message.guild_id === null || isMentioned(message)) return true;
        const repliesTo = message.reply_to?.message_id;
        if (!repliesTo) return false;
        const replied = messages.find(({ message_id }) => message_id === repliesTo);
        return replied ? isOwn(replied) : isOurs(repliesTo);
      };
      const found: Message[] = [];
      for (const message of messages.toReversed()) {
        const { message_id: id } = message;
        const isWithin = compareIds(id, from) >= 0 && compareIds(id, to) <= 0;
        if (isWithin && !isOwn(message) && !answered.has(id) && (await isAddressed(message))) found.push(message);
      }
      return { questions: found, isCut };
    },
    async isUnfilled({ channelId, messageId }) {
      const message = await discord.message(channelId, messageId);
      return message !== null && isOwn(message) && typedText(message) === "";
    },
    async reread({ channelId, messageId }) {
      const message = await discord.message(channelId, messageId);
      const { messages } = await discord.history(channelId, { limit: 100, after: messageId });
      const isAnswer = (one: Message) => isOwn(one) && one.reply_to?.message_id === messageId;
      const answerIds = messages.filter(isAnswer).map(({ message_id }) => message_id);
      return { message: message && isOwn(message) ? null : message, answerIds };
    },
  };
}

/** How the bot is mentioned in a text. */
export function mentionsOf(botId: string, roleIds: readonly string[]): string[] {
  return [`<@${botId}>`, `<@!${botId}>`, ...roleIds.map((id) => `<@&${id}>`)];
}
