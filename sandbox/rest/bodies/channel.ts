import { z } from "zod";
import type { ChannelTraits } from "../../actions/channels.ts";
import { permissionBits, snowflake } from "../parse.ts";

export const overwriteBody = z.object({
  type: z.union([z.literal(0), z.literal(1)]),
  allow: permissionBits.nullish().transform((bits) => bits ?? 0n),
  deny: permissionBits.nullish().transform((bits) => bits ?? 0n),
});

const tag = z.object({ id: snowflake.nullish(), name: z.string().max(20), moderated: z.boolean().nullish() });

/** Properties of a guild channel that can be set on creation or later. */
export const channelTraits = z.object({
  name: z.string().optional(),
  topic: z.string().max(4096).nullish(),
  nsfw: z.boolean().nullish(),
  position: z.int().min(0).nullish(),
  parent_id: snowflake.nullish(),
  rate_limit_per_user: z.int().min(0).max(21_600).nullish(),
  flags: z.int().min(0).nullish(),
  permission_overwrites: z.array(z.object({ id: snowflake, ...overwriteBody.shape })).nullish(),
  available_tags: z.array(tag).max(20).nullish(),
});

export function toTraits(body: z.output<typeof channelTraits>): Partial<ChannelTraits> {
  const { name, topic, parent_id: parentId } = body;
  return {
    ...(name !== undefined && { name }),
    ...(topic !== undefined && { topic }),
    ...(parentId !== undefined && { parentId }),
    ...(body.nsfw != null && { nsfw: body.nsfw }),
    ...(body.position != null && { position: body.position }),
    ...(body.rate_limit_per_user != null && { slowmodeSeconds: body.rate_limit_per_user }),
    ...(body.flags != null && { flags: body.flags }),
    ...(body.permission_overwrites && { overwrites: body.permission_overwrites }),
    ...(body.available_tags && {
      tags: body.available_tags.map((one) => ({
        name: one.name,
        moderated: one.moderated ?? false,
        ...(one.id != null && { id: one.id }),
      })),
    }),
  };
}
