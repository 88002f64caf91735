import { type APIMessage, InteractionType } from "discord-api-types/v10";
import type { InteractionMetadata } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { toApiUserById } from "./users.ts";

/** Which interaction a message answers; for commands also in the older form that clients still read. */
export function toApiInteractionMetadata(
  world: World,
  metadata: InteractionMetadata,
  guildId: string | null,
): Partial<APIMessage> {
  const { id, type, name, userId } = metadata;
  return {
    interaction_metadata: describe(world, metadata, guildId) as unknown as NonNullable<
      APIMessage["interaction_metadata"]
    >,
    ...(type === InteractionType.ApplicationCommand && {
      interaction: { id, type, name, user: toApiUserById(world, userId) },
    }),
  };
}

/** The installer of the application: the guild, or "0" in the DM with its bot. */
export function integrationOwners(guildId: string | null): Record<string, string> {
  return { "0": guildId ?? "0" };
}

function describe(world: World, metadata: InteractionMetadata, guildId: string | null): Record<string, unknown> {
  const { targetUserId, targetMessageId, interactedMessageId, originalMessageId, trigger } = metadata;
  return {
    id: metadata.id,
    type: metadata.type,
    user: toApiUserById(world, metadata.userId),
    authorizing_integration_owners: integrationOwners(guildId),
    ...(metadata.type === InteractionType.ApplicationCommand && { name: metadata.name }),
    ...(targetUserId !== undefined && { target_user: toApiUserById(world, targetUserId) }),
    ...(targetMessageId !== undefined && { target_message_id: targetMessageId }),
    ...(interactedMessageId !== undefined && { interacted_message_id: interactedMessageId }),
    ...(originalMessageId !== undefined && { original_response_message_id: originalMessageId }),
    ...(trigger && { triggering_interaction_metadata: describe(world, trigger, guildId) }),
  };
}
