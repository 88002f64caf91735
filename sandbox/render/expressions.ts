import { type APIEmoji, type APISticker, StickerType } from "discord-api-types/v10";
import type { EmojiRecord, StickerRecord } from "../world/records.ts";

export function toApiEmoji({ id, name, animated }: EmojiRecord): APIEmoji {
  return { id, name, roles: [], require_colons: true, managed: false, animated, available: true };
}

/** A sticker of a server. */
export function toApiSticker({ id, name, format_type, guildId }: StickerRecord): APISticker {
  return {
    id,
    name,
    tags: name,
    type: StickerType.Guild,
    format_type,
    description: null,
    available: true,
    guild_id: guildId,
  };
}
