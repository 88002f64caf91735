import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, compareIds, type MessageId } from "../../domain/ids.ts";
import type { AudienceRef } from "../../domain/label.ts";
import { type Message, type MessageRef, typedText } from "../../domain/message.ts";
import { withoutCode } from "../../domain/text/without-code.ts";
import { citedFactId, citedPassageRef } from "../../ports/answer-store.ts";
import type { Discord } from "../../ports/discord.ts";

/** Finds questions again that the bot heard, or would have heard. It hands out nothing that was not said to the bot. */
export interface QuestionLookup {
  /**
   * Messages of an interval of ids that address the bot and that nobody has answered, the oldest first, among the newest of the channel. `isOurs`:
   * whether a message that is further back is one of the bot's.
   */
  missed(channelId: ChannelId, span: IdSpan, isOurs: (id: MessageId) => Promise<boolean>): Promise<readonly Message[]>;
  /** A question as it stands now, null when it is gone, and the messages with which the bot has answered it. */
  reread(question: MessageRef): Promise<{ readonly message: Message | null; readonly answerIds: readonly MessageId[] }>;
  /** Whether a message of the bot's stands there without words: it was promised, and never filled in. */
  isUnfilled(message: MessageRef): Promise<boolean>;
  /** Whether a fact was forgotten or a passage taken out of a document; whether a message was deleted, or its channel was or is out of the bot's sight. False where that cannot be told. */
  isGone(message: MessageRef): Promise<boolean>;
  /** Who may hear a passage of a document; null for one that is not known. */
  passageAudience(ref: string): AudienceRef | null;
}

/** Both ends are included. */
interface IdSpan {
  readonly from: MessageId;
  readonly to: MessageId;
}

interface LookupParts extends Pick<QuestionLookup, "passageAudience"> {
  hasFact(factId: string): Promise<boolean>;
  hasPassage(ref: string): Promise<boolean>;
}

const PAGE = 50;

export function createQuestionLookup(
  discord: Pick<Discord, "botId" | "directory" | "history" | "message">,
  { hasFact, hasPassage, passageAudience }: LookupParts,
): QuestionLookup {
  const { botId, directory } = discord;
  const isOwn = ({ author }: Message) => author.id === botId;

  function isMentioned(message: Message): boolean {
    const roles = message.guild_id === null ? [] : directory.roles(message.guild_id);
    const own = roles.filter((role) => role.botId === botId).map(({ id }) => id);
    const typed = withoutCode(typedText(message));
    return mentionsOf(botId, own).some((mention) => typed.includes(mention));
  }

  return {
    passageAudience,
    async missed(channelId, { from, to }, isOurs) {
      const { messages } = await discord.history(channelId, { limit: PAGE });
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
      return found;
    },
    async isGone({ channelId, messageId }) {
      const factId = citedFactId({ messageId });
      if (factId !== null) return !(await hasFact(factId));
      const passageRef = citedPassageRef({ messageId });
      if (passageRef !== null) return !(await hasPassage(passageRef));
      try {
        return (await discord.message(channelId, messageId)) === null;
      } catch (error) {
        if (!(error instanceof EarshotError)) throw error;
        // What belongs to a server that cannot be reached is not found either.
        return error.code === "not_found" && directory.guilds().every(({ available }) => available);
      }
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
