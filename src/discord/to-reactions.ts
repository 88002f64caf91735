import { toId } from "../domain/ids.ts";
import type { Reaction } from "../ports/discord.ts";
import { count, list, type Raw, record, text, textOrNull } from "./read.ts";

/** Discord's limit per message. */
const MAX_REACTIONS = 20;

/** The reactions to a message, most frequent first. */
export function toReactions(message: Raw | null): Reaction[] {
  return list(message?.["reactions"])
    .slice(0, MAX_REACTIONS)
    .map(record)
    .flatMap((reaction) => {
      const emoji = toEmoji(reaction["emoji"]);
      const given = count(reaction["count"]);
      return emoji !== null && given > 0 ? { emoji, count: given } : [];
    })
    .sort((a, b) => b.count - a.count);
}

/** As in a message's text; null for an invalid emoji, or a deleted custom one. */
export function toEmoji(value: unknown): string | null {
  const emoji = record(value);
  const id = toId(emoji["id"]);
  return id ? `<:${text(emoji["name"], 100)}:${id}>` : textOrNull(emoji["name"]);
}
