import { InteractionContextType, type InteractionType, Locale } from "discord-api-types/v10";
import { toApiChannel } from "../../render/channels.ts";
import { integrationOwners } from "../../render/interaction-metadata.ts";
import { toApiMember } from "../../render/members.ts";
import { toApiUserById } from "../../render/users.ts";
import { channelPermissions } from "../../world/permissions.ts";
import type {
  ApplicationRecord,
  AttachmentRecord,
  InteractionAnswer,
  InteractionMetadata,
  InteractionRecord,
  MessageRecord,
} from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import type { Place } from "../access.ts";

export const ANSWER_WITHIN_MS = 3_000;
export const TOKEN_LIFETIME_MS = 15 * 60_000;
const NO_ANSWER = "The application did not respond";

/** An application's permissions in the DM with a person. */
const DM_PERMISSIONS = "2248473465835073";

export interface InteractionRequest {
  readonly application: ApplicationRecord;
  readonly type: InteractionType;
  readonly place: Place;
  readonly userId: string;
  readonly data: object;
  /** Metadata for messages that answer it; id and user are filled in here. */
  readonly metadata: Omit<InteractionMetadata, "id" | "userId" | "type">;
  readonly source?: MessageRecord;
  /** Further fields of the payload. */
  readonly payload?: object;
  readonly isContextMenu?: boolean;
  readonly files?: readonly AttachmentRecord[];
}

/** Sends an interaction to the application's bot only. The bot has three seconds to answer. */
export function openInteraction(world: World, request: InteractionRequest): InteractionRecord {
  const { application, type, place, userId } = request;
  const id = world.mintId();
  const answered = Promise.withResolvers<InteractionAnswer>();
  const spoken = Promise.withResolvers<MessageRecord>();
  const interaction: InteractionRecord = {
    id,
    token: toInteractionToken(world, id),
    applicationId: application.id,
    type,
    userId,
    channelId: place.channel.id,
    guildId: place.guild?.id ?? null,
    createdAt: world.clock.now(),
    metadata: { ...request.metadata, id, type, userId },
    ...(request.source && { source: request.source }),
    files: request.files ?? [],
    isContextMenu: request.isContextMenu ?? false,
    state: "open",
    original: null,
    modal: null,
    ephemeral: new Map(),
    answered: answered.promise,
    spoken: spoken.promise,
    settle: { answered: answered.resolve, spoken: spoken.resolve },
  };
  world.interactions.set(id, interaction);
  failWhenUnanswered(world, interaction);
  world.emit({
    type: "INTERACTION_CREATE",
    guildId: interaction.guildId,
    onlyFor: [application.botId],
    data: toPayload(world, interaction, request),
  });
  return interaction;
}

/** By the clock of the sandbox, which may stand still or run ahead. */
function failWhenUnanswered(world: World, interaction: InteractionRecord): void {
  const timer = setTimeout(() => {
    if (interaction.state !== "open") return;
    if (world.clock.now() - interaction.createdAt < ANSWER_WITHIN_MS) {
      failWhenUnanswered(world, interaction);
      return;
    }
    interaction.state = "failed";
    interaction.settle.answered({ kind: "failed", reason: NO_ANSWER });
  }, ANSWER_WITHIN_MS);
  timer.unref();
}

function toPayload(world: World, interaction: InteractionRecord, request: InteractionRequest): object {
  const { place, userId, application } = request;
  const { channel, guild } = place;
  const member = guild?.members.get(userId);
  const guildLocale = guild?.preferredLocale ?? Locale.EnglishUS;
  return {
    id: interaction.id,
    application_id: application.id,
    type: interaction.type,
    token: interaction.token,
    version: 1,
    data: request.data,
    channel: toApiChannel(world, channel, application.botId),
    channel_id: channel.id,
    ...(guild && {
      guild_id: guild.id,
      guild: { id: guild.id, features: guild.features, locale: guildLocale },
      guild_locale: guildLocale,
    }),
    ...(guild && member
      ? {
          member: { ...toApiMember(world, member), permissions: channelPermissions(guild, channel, userId).toString() },
        }
      : { user: toApiUserById(world, userId) }),
    app_permissions: guild ? channelPermissions(guild, channel, application.botId).toString() : DM_PERMISSIONS,
    locale: world.users.get(userId)?.locale ?? Locale.EnglishUS,
    entitlements: [],
    authorizing_integration_owners: integrationOwners(interaction.guildId),
    context: guild ? InteractionContextType.Guild : InteractionContextType.BotDM,
    attachment_size_limit: 10 * 1024 * 1024,
    ...request.payload,
  };
}

/** Contains the id of the interaction. */
export function interactionIdIn(token: string): string {
  return Buffer.from(token, "base64url").toString().split(":")[1] ?? "";
}

function toInteractionToken(world: World, id: string): string {
  return Buffer.from(`interaction:${id}:${world.deriveSecret(`interaction:${id}`)}`).toString("base64url");
}
