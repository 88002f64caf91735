import { z } from "zod";
import { requireGuild } from "../../actions/access.ts";
import { createEmoji, deleteEmoji, findEmoji, renameEmoji, seesCreators } from "../../actions/emojis.ts";
import { DiscordError } from "../../actions/errors.ts";
import { toApiEmoji } from "../../render/expressions.ts";
import { toApiUserById } from "../../render/users.ts";
import type { EmojiRecord } from "../../world/records.ts";
import { parse } from "../parse.ts";
import { type BotRequest, Reply, route } from "../route.ts";

const ALL = "/guilds/{guild_id}/emojis";
const ONE = "/guilds/{guild_id}/emojis/{emoji_id}";
const MAX_IMAGE_BYTES = 256 * 1024;

export const emojiRoutes = [
  route("GET", ALL, (request) => {
    const guild = requireGuild(request.world, request.actor, request.param("guild_id"));
    return [...guild.emojis.values()].map((emoji) => show(request, emoji));
  }),
  route("POST", ALL, async (request) => {
    const { name, image } = parse(z.object({ name: emojiName, image: picture }), (await request.body()).json);
    if (image.bytes.byteLength > MAX_IMAGE_BYTES) {
      throw new DiscordError(400, 50138, `Failed to resize asset below the maximum size: ${MAX_IMAGE_BYTES}`);
    }
    const traits = { guildId: request.param("guild_id"), name, ...image };
    return new Reply(201, show(request, createEmoji(request.world, request.actor, traits)));
  }),
  route("GET", ONE, (request) => show(request, findEmoji(request.world, request.actor, addressOf(request)))),
  route("PATCH", ONE, async (request) => {
    const { name } = parse(z.object({ name: emojiName.optional() }), (await request.body()).json);
    const { world, actor } = request;
    const kept = name ?? findEmoji(world, actor, addressOf(request)).name;
    return show(request, renameEmoji(world, actor, { ...addressOf(request), name: kept }));
  }),
  route("DELETE", ONE, (request) => deleteEmoji(request.world, request.actor, addressOf(request))),
];

const emojiName = z
  .string()
  .min(2)
  .max(32)
  .superRefine((name, context) => {
    if (/^\w*$/.test(name)) return;
    const message = "String value did not match validation regex.";
    context.addIssue({ code: "custom", message, params: { code: "STRING_TYPE_REGEX" } });
  });

const picture = z.string().transform((text, context) => {
  const [, contentType, base64] =
    /^data:(image\/(?:png|jpeg|gif|webp|avif));base64,([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  if (contentType !== undefined && base64 !== undefined) {
    return { contentType, bytes: new Uint8Array(Buffer.from(base64, "base64")) };
  }
  context.addIssue({ code: "custom", message: "Invalid image data", params: { code: "IMAGE_INVALID" } });
  return z.NEVER;
});

function addressOf({ param }: BotRequest) {
  return { guildId: param("guild_id"), emojiId: param("emoji_id") };
}

function show({ world, actor, param }: BotRequest, emoji: EmojiRecord) {
  const guild = requireGuild(world, actor, param("guild_id"));
  const creator = seesCreators(world, actor, guild) ? toApiUserById(world, emoji.creatorId) : undefined;
  return { ...toApiEmoji(emoji), ...(creator && { user: creator }) };
}
