import type { UserId } from "../domain/ids.ts";
import { type Message, typedText } from "../domain/message.ts";
import { removeIsolationSign, shouldSkipContext } from "../domain/window/isolation.ts";
import { mentionsOf } from "../gate/effects/question-lookup.ts";
import type { Directory } from "../ports/directory.ts";

/** What somebody typed, without the mention of the bot and the sign for isolation. */
export interface TypedQuestion {
  readonly text: string;
  readonly isIsolated: boolean;
}

/** `mentions`: how the bot is mentioned, such as `<@1>`. */
export function readQuestion(typed: string, mentions: readonly string[]): TypedQuestion {
  const isIsolated = shouldSkipContext(typed);
  const text = mentions.reduce((rest, mention) => rest.replaceAll(mention, " "), typed);
  return {
    text: removeIsolationSign(text)
      .replaceAll(/[ \t]+/g, " ")
      .trim(),
    isIsolated,
  };
}

/** Without the mention of the bot, or of the role that Discord made for it. */
export function readMessage(
  message: Message,
  { botId, directory }: { readonly botId: UserId; readonly directory: Pick<Directory, "roles"> },
): TypedQuestion {
  const roles = message.guild_id === null ? [] : directory.roles(message.guild_id);
  const own = roles.filter((role) => role.botId === botId).map(({ id }) => id);
  return readQuestion(typedText(message), mentionsOf(botId, own));
}
