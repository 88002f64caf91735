import { requireGuild } from "../../actions/access.ts";
import { DiscordError } from "../../actions/errors.ts";
import { toApiSticker } from "../../render/expressions.ts";
import type { StickerRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { route } from "../route.ts";

export const stickerRoutes = [
  route("GET", "/stickers/{sticker_id}", ({ world, param }) => toApiSticker(findSticker(world, param("sticker_id")))),
  route("GET", "/guilds/{guild_id}/stickers", ({ world, actor, param }) => {
    const { id } = requireGuild(world, actor, param("guild_id"));
    return [...world.stickers.values()].filter(({ guildId }) => guildId === id).map(toApiSticker);
  }),
  route("GET", "/guilds/{guild_id}/stickers/{sticker_id}", ({ world, actor, param }) => {
    const { id } = requireGuild(world, actor, param("guild_id"));
    return toApiSticker(findSticker(world, param("sticker_id"), id));
  }),
];

function findSticker(world: World, id: string, guildId?: string): StickerRecord {
  const sticker = world.stickers.get(id);
  if (!sticker || (guildId !== undefined && sticker.guildId !== guildId)) {
    throw new DiscordError(404, 10060, "Unknown Sticker");
  }
  return sticker;
}
