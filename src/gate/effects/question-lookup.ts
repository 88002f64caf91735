import { type ChannelId, compareIds, type MessageId, toFirstId } from "../../domain/ids.ts";
import { type Message, type MessageRef, typedText } from "../../domain/message.ts";
import { withoutCode } from "../../domain/text/without-code.ts";
import type { Discord } from "../../ports/discord.ts";

/** Finds questions that the bot received or missed. Returns only messages to the bot. */
export interface QuestionLookup {
  /**
   * Unanswered messages of an id interval that address the bot, the oldest first. `isOurs`: whether an older message is one of the bot's.
   * `isCut`: the interval has more messages than are read.
   */
  missed(
    channelId: ChannelId,
    span: IdSpan,
    isOurs: (id: MessageId) => Promise<boolean>,
  ): Promise<{ readonly questions: readonly Message[]; readonly isCut: boolean }>;
  /** A question as it is now, null if it was deleted, and the bot's answers to it. */
  reread(question: MessageRef): Promise<{ readonly message: Message | null; readonly answerIds: readonly MessageId[] }>;
  /** Whether a message of the bot is an unfilled placeholder for an answer. */
  isUnfilled(message: MessageRef): Promise<boolean>;
  /** The bot's own messages since then, with the messages they reply to, among the hundred messages after that time. */
  ownSince(channelId: ChannelId, time: number): Promise<readonly OwnMessage[]>;
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

const MAX_PAGE = 100;
/** Per searched channel. */
const MAX_PAGES = 10;

export function createQuestionLookup(
  discord: Pick<Discord, "botId" | "directory" | "history" | "message">,
): QuestionLookup {
  const { botId, directory } = discord;
  const isOwn = ({ author }: Message) => author.id === botId;

  function isMentioned(message: Message): boolean {
    const roles = message.guild_id === null ? [] : directory.roles(message.guild_id);
    const own = roles.filter((role) => role.botId === botId).map(({ id }) => id);
    const typed = withoutCode(typedText(message));
    return mentionsOf(botId, own).some((mention) => typed.includes(mention));
  }

  /** The newest messages first, back to this id, or as far as `MAX_PAGES` reach. */
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
    async ownSince(channelId, time) {
      const { messages } = await discord.history(channelId, { limit: MAX_PAGE, after: toFirstId(time) });
      return messages
        .filter(isOwn)
        .map(({ message_id, reply_to }) => ({ messageId: message_id, replyTo: reply_to?.message_id ?? null }));
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

export function mentionsOf(botId: string, roleIds: readonly string[]): string[] {
  return [`<@${botId}>`, `<@!${botId}>`, ...roleIds.map((id) => `<@&${id}>`)];
}
