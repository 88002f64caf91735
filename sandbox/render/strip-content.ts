import type { APIMessage } from "discord-api-types/v10";

/**
 * The message as a bot without MESSAGE_CONTENT receives it, over REST and gateway alike. The bot's own messages, DMs, and messages that mention it stay
 * complete (a reply with the ping left on is such a mention).
 */
export function stripContent<M extends APIMessage>(message: M, botId: string): M {
  const { referenced_message: original } = message;
  const outer = isSpared(message, botId) ? message : bare(message);
  return original ? { ...outer, referenced_message: stripContent(original, botId) } : outer;
}

function isSpared(message: APIMessage, botId: string): boolean {
  return message.author.id === botId || message.mentions.some((user) => user.id === botId);
}

function bare<M extends APIMessage>(message: M): M {
  const { poll: _poll, message_snapshots: snapshots, ...rest } = message;
  return {
    ...rest,
    content: "",
    embeds: [],
    attachments: [],
    components: [],
    ...(snapshots && {
      message_snapshots: snapshots.map((snapshot) => ({
        ...snapshot,
        message: { ...snapshot.message, content: "", embeds: [], attachments: [], components: [] },
      })),
    }),
  } as unknown as M;
}
