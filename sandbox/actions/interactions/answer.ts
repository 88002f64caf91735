import {
  type APIApplicationCommandOptionChoice,
  type APIModalInteractionResponseCallbackData,
  InteractionType,
  MessageFlags,
  MessageType,
  InteractionResponseType as Reply,
} from "discord-api-types/v10";
import type { InteractionRecord, MessageRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import type { Place } from "../access.ts";
import { announceMessage } from "../announce.ts";
import { checkDraft } from "../check-draft.ts";
import { composeMessage } from "../compose-message.ts";
import { alreadyAcknowledged, invalidForm, unknownChannel, unknownInteraction } from "../errors.ts";
import type { AllowedMentions, MessageDraft, MessagePatch } from "../message-draft.ts";
import { applyPatch, postMessage } from "../messages.ts";
import { ANSWER_WITHIN_MS } from "./open-interaction.ts";

export type AnswerBody =
  | { readonly type: Reply.ChannelMessageWithSource; readonly draft: MessageDraft }
  | { readonly type: Reply.DeferredChannelMessageWithSource; readonly flags: number }
  | { readonly type: Reply.DeferredMessageUpdate }
  | { readonly type: Reply.UpdateMessage; readonly patch: MessagePatch }
  | { readonly type: Reply.ApplicationCommandAutocompleteResult; readonly choices: APIApplicationCommandOptionChoice[] }
  | { readonly type: Reply.Modal; readonly modal: APIModalInteractionResponseCallbackData };

/** Although an answer has the form of a reply, it does not ping the author of the original. */
const PINGS_NAMED: AllowedMentions = { parse: ["users", "roles", "everyone"] };

/** The application's first answer. Throws 10062 if it is too late, 40060 if it is the second. */
export function answerInteraction(
  world: World,
  { id, token, body }: { readonly id: string; readonly token: string; readonly body: AnswerBody },
): InteractionRecord {
  const interaction = world.interactions.get(id);
  if (!interaction || interaction.token !== token) throw unknownInteraction();
  if (interaction.state === "answered") throw alreadyAcknowledged();
  const isLate = world.clock.now() - interaction.createdAt > ANSWER_WITHIN_MS;
  if (interaction.state === "failed" || isLate) throw unknownInteraction();
  requireFitting(interaction, body.type);
  give(world, interaction, body);
  return interaction;
}

function give(world: World, interaction: InteractionRecord, body: AnswerBody): void {
  const { settle } = interaction;
  switch (body.type) {
    case Reply.ChannelMessageWithSource: {
      checkDraft(body.draft);
      const message = sendAnswer(world, interaction, { draft: body.draft });
      interaction.original = message;
      interaction.state = "answered";
      settle.answered({ kind: "message", message });
      settle.spoken(message);
      return;
    }
    case Reply.DeferredChannelMessageWithSource: {
      const draft = { flags: body.flags & MessageFlags.Ephemeral };
      const message = sendAnswer(world, interaction, { draft, isLoading: true });
      interaction.original = message;
      interaction.state = "answered";
      settle.answered({ kind: "deferred", message });
      return;
    }
    case Reply.DeferredMessageUpdate:
    case Reply.UpdateMessage: {
      const message = interaction.source;
      if (!message) throw unknownInteraction();
      if (body.type === Reply.UpdateMessage) patchAnswer(world, interaction, { message, patch: body.patch });
      interaction.original = message;
      interaction.state = "answered";
      settle.answered({ kind: "updated", message });
      if (body.type === Reply.UpdateMessage) settle.spoken(message);
      return;
    }
    case Reply.ApplicationCommandAutocompleteResult:
      interaction.state = "answered";
      settle.answered({ kind: "choices", choices: body.choices });
      return;
    case Reply.Modal:
      interaction.state = "answered";
      interaction.modal = body.modal;
      settle.answered({ kind: "modal", modal: body.modal });
  }
}

/** A message that answers the interaction: in the channel, or only for the person who used it. */
export function sendAnswer(
  world: World,
  interaction: InteractionRecord,
  { draft, isLoading = false, isFollowUp = false }: { draft: MessageDraft; isLoading?: boolean; isFollowUp?: boolean },
): MessageRecord {
  const place = placeOf(world, interaction);
  const application = world.applications.get(interaction.applicationId);
  const isEphemeral = Boolean((draft.flags ?? 0) & MessageFlags.Ephemeral);
  const repliedTo = isFollowUp ? interaction.original : (interaction.source ?? null);
  const original = repliedTo?.more?.ephemeralFor === undefined ? repliedTo : null;
  const message = composeMessage(world, {
    place,
    authorId: application?.botId ?? interaction.applicationId,
    draft: { ...draft, allowedMentions: draft.allowedMentions ?? PINGS_NAMED },
    type: answerType(interaction, isFollowUp),
    ...(original && { original }),
    interaction: {
      ...interaction.metadata,
      ...(isFollowUp && interaction.original && { originalMessageId: interaction.original.id }),
    },
    applicationId: interaction.applicationId,
    ...(isEphemeral && { ephemeralFor: interaction.userId }),
  });
  if (isLoading) message.flags |= MessageFlags.Loading;
  if (isEphemeral) {
    interaction.ephemeral.set(message.id, message);
    announceMessage(world, "MESSAGE_CREATE", message);
  } else postMessage(world, place, message);
  return message;
}

/** Changes an answer, or fills a deferred one ("is thinking"), which does not count as an edit. */
export function patchAnswer(
  world: World,
  interaction: InteractionRecord,
  { message, patch }: { message: MessageRecord; patch: MessagePatch },
): void {
  const wasLoading = Boolean(message.flags & MessageFlags.Loading);
  const quiet = { ...patch, allowedMentions: patch.allowedMentions ?? PINGS_NAMED };
  applyPatch(world, placeOf(world, interaction), { message, patch: quiet });
  if (wasLoading) {
    message.flags &= ~MessageFlags.Loading;
    message.editedAt = null;
  }
  announceMessage(world, "MESSAGE_UPDATE", message);
  interaction.settle.spoken(message);
}

export function placeOf(world: World, interaction: InteractionRecord): Place {
  const channel = world.channels.get(interaction.channelId);
  if (!channel) throw unknownChannel();
  return { channel, guild: world.guildOf(channel) ?? null };
}

function answerType(interaction: InteractionRecord, isFollowUp: boolean): MessageType {
  if (isFollowUp || interaction.source) return MessageType.Reply;
  return interaction.isContextMenu ? MessageType.ContextMenuCommand : MessageType.ChatInputCommand;
}

/** The kinds of answers that each kind of interaction accepts. */
function requireFitting({ type, source }: InteractionRecord, answer: Reply): void {
  const fitting = new Set<Reply>(
    type === InteractionType.ApplicationCommandAutocomplete
      ? [Reply.ApplicationCommandAutocompleteResult]
      : [Reply.ChannelMessageWithSource, Reply.DeferredChannelMessageWithSource],
  );
  if (source) fitting.add(Reply.DeferredMessageUpdate).add(Reply.UpdateMessage);
  if (type === InteractionType.ApplicationCommand || type === InteractionType.MessageComponent)
    fitting.add(Reply.Modal);
  if (fitting.has(answer)) return;
  const message = `Value must be one of {${[...fitting].join(", ")}}.`;
  throw invalidForm([{ path: ["type"], code: "BASE_TYPE_CHOICES", message }]);
}
