import { z } from "zod";
import { requirePlace } from "../../actions/access.ts";
import { deleteChannel, removeOverwrite, setOverwrite, updateChannel } from "../../actions/channels.ts";
import { startTyping } from "../../actions/typing.ts";
import { updateThread } from "../../actions/update-thread.ts";
import { toApiChannel } from "../../render/channels.ts";
import { channelTraits, overwriteBody, toTraits } from "../bodies/channel.ts";
import { parse, snowflake } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";

export const channelRoutes = [
  route("GET", "/channels/{channel_id}", ({ world, actor, param }) =>
    toApiChannel(world, requirePlace(world, actor, param("channel_id")).channel, actor),
  ),
  route("PATCH", "/channels/{channel_id}", patchChannel),
  route("DELETE", "/channels/{channel_id}", ({ world, actor, param }) =>
    toApiChannel(world, deleteChannel(world, actor, { channelId: param("channel_id") }), actor),
  ),
  route("PUT", "/channels/{channel_id}/permissions/{overwrite_id}", async ({ world, actor, param, body }) => {
    const overwrite = parse(overwriteBody, (await body()).json);
    setOverwrite(world, actor, { ...overwrite, channelId: param("channel_id"), id: param("overwrite_id") });
  }),
  route("DELETE", "/channels/{channel_id}/permissions/{overwrite_id}", ({ world, actor, param }) => {
    removeOverwrite(world, actor, { channelId: param("channel_id"), id: param("overwrite_id") });
  }),
  route("POST", "/channels/{channel_id}/typing", ({ world, actor, param }) => {
    startTyping(world, actor, { channelId: param("channel_id") });
  }),
];

const threadPatch = z.object({
  name: z.string().min(1).max(100).optional(),
  archived: z.boolean().optional(),
  locked: z.boolean().optional(),
  invitable: z.boolean().optional(),
  auto_archive_duration: z.literal([60, 1440, 4320, 10080]).optional(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
  applied_tags: z.array(snowflake).optional(),
  flags: z.int().min(0).optional(),
});

async function patchChannel({ world, actor, param, body }: BotRequest) {
  const channelId = param("channel_id");
  const { channel } = requirePlace(world, actor, channelId);
  const { json } = await body();
  if (!channel.thread) {
    const traits = toTraits(parse(channelTraits, json));
    return toApiChannel(world, updateChannel(world, actor, { channelId, ...traits }), actor);
  }
  const patch = parse(threadPatch, json);
  const updated = updateThread(world, actor, {
    channelId,
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.archived !== undefined && { archived: patch.archived }),
    ...(patch.locked !== undefined && { locked: patch.locked }),
    ...(patch.invitable !== undefined && { invitable: patch.invitable }),
    ...(patch.auto_archive_duration !== undefined && { autoArchiveMinutes: patch.auto_archive_duration }),
    ...(patch.rate_limit_per_user != null && { slowmodeSeconds: patch.rate_limit_per_user }),
    ...(patch.applied_tags && { appliedTags: patch.applied_tags }),
    ...(patch.flags !== undefined && { flags: patch.flags }),
  });
  return toApiChannel(world, updated, actor);
}
