import { MessageFlags } from "discord-api-types/v10";
import type { InteractionRecord, MessageRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { announceIn } from "../announce.ts";
import { checkDraft } from "../check-draft.ts";
import { dropMessage } from "../delete-messages.ts";
import { DiscordError, invalidWebhookToken, unknownMessage, unknownWebhook } from "../errors.ts";
import type { MessageDraft, MessagePatch } from "../message-draft.ts";
import { patchAnswer, placeOf, sendAnswer } from "./answer.ts";
import { interactionIdIn, TOKEN_LIFETIME_MS } from "./open-interaction.ts";

/** How an application addresses its answers: by the interaction's token and a message id, or "@original". */
export interface AnswerAddress {
  readonly applicationId: string;
  readonly token: string;
  readonly messageId: string;
}

/** The interaction with a webhook-like address, if there is one. Its token is valid for fifteen minutes. */
function requireInteraction(
  world: World,
  { applicationId, token }: { readonly applicationId: string; readonly token: string },
): InteractionRecord {
  const interaction = world.interactions.get(interactionIdIn(token));
  if (!interaction || interaction.applicationId !== applicationId) throw unknownWebhook();
  const isOver = world.clock.now() - interaction.createdAt > TOKEN_LIFETIME_MS;
  if (interaction.token !== token || isOver) throw invalidWebhookToken();
  return interaction;
}

/** A further message. After a deferral the first one replaces "is thinking". */
export function followUp(
  world: World,
  { draft, ...address }: { readonly applicationId: string; readonly token: string; readonly draft: MessageDraft },
): MessageRecord {
  const interaction = requireInteraction(world, address);
  if (interaction.state !== "answered") throw unknownWebhook();
  checkDraft(draft);
  const { original } = interaction;
  if (original && original.flags & MessageFlags.Loading) {
    const { content, embeds, components, attachments, flags } = draft;
    const patch: MessagePatch = {
      ...(content !== undefined && { content }),
      ...(embeds && { embeds }),
      ...(components && { components }),
      ...(attachments && { attachments }),
      ...(flags !== undefined && { flags }),
    };
    patchAnswer(world, interaction, { message: original, patch });
    return original;
  }
  const message = sendAnswer(world, interaction, { draft, isFollowUp: true });
  interaction.settle.spoken(message);
  return message;
}

export function findAnswer(world: World, address: AnswerAddress): MessageRecord {
  const interaction = requireInteraction(world, address);
  const message =
    address.messageId === "@original"
      ? interaction.original
      : (interaction.ephemeral.get(address.messageId) ??
        placeOf(world, interaction).channel.messages.get(address.messageId));
  if (!message || !isOwn(interaction, message)) throw unknownMessage();
  return message;
}

export function editAnswer(
  world: World,
  { patch, ...address }: AnswerAddress & { readonly patch: MessagePatch },
): MessageRecord {
  const message = findAnswer(world, address);
  patchAnswer(world, requireInteraction(world, address), { message, patch });
  return message;
}

export function deleteAnswer(world: World, address: AnswerAddress): void {
  const message = findAnswer(world, address);
  const interaction = requireInteraction(world, address);
  if (interaction.original === message) interaction.original = null;
  if (interaction.ephemeral.delete(message.id)) return;
  const { channel } = placeOf(world, interaction);
  if (!dropMessage(channel, message.id)) throw new DiscordError(404, 10008, "Unknown Message");
  const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
  announceIn(world, channel, "MESSAGE_DELETE", { id: message.id, channel_id: channel.id, ...guild });
}

/** For an interaction that updated the message with its component, that message is the original. */
function isOwn(interaction: InteractionRecord, message: MessageRecord): boolean {
  return message === interaction.original || message.more?.interaction?.id === interaction.id;
}
