import {
  type APIApplicationCommandOptionChoice,
  type APIModalInteractionResponseCallbackData,
  MessageFlags,
  InteractionResponseType as Type,
} from "discord-api-types/v10";
import { z } from "zod";
import { type AnswerBody, answerInteraction } from "../../actions/interactions/answer.ts";
import { toApiMessage } from "../../render/messages.ts";
import type { InteractionRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { toDraft, toPatch } from "../bodies/message.ts";
import { modal } from "../bodies/modal.ts";
import { parse, parseQuery, queryBoolean } from "../parse.ts";
import type { RequestBody } from "../read-body.ts";
import { openRoute } from "../route.ts";

export const interactionRoutes = [
  openRoute("POST", "/interactions/{interaction_id}/{interaction_token}/callback", async (request) => {
    const { world, param } = request;
    const { with_response } = parseQuery(z.object({ with_response: queryBoolean.default(false) }), request.query);
    const body = toAnswer(await request.body());
    const interaction = answerInteraction(world, {
      id: param("interaction_id"),
      token: param("interaction_token"),
      body,
    });
    return with_response ? describe(world, interaction, body.type) : undefined;
  }),
];

const callback = z.object({
  type: z.literal([
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
    Type.ApplicationCommandAutocompleteResult,
    Type.Modal,
  ]),
  data: z.unknown().nullish(),
});

const choices = z
  .array(z.object({ name: z.string().min(1).max(100), value: z.union([z.string(), z.number()]) }))
  .max(25);

function toAnswer({ json, files }: RequestBody): AnswerBody {
  const { type, data: given } = parse(callback, json);
  const data = given ?? {};
  switch (type) {
    case Type.ChannelMessageWithSource:
      return { type, draft: toDraft({ json: data, files }) };
    case Type.UpdateMessage:
      return { type, patch: toPatch({ json: data, files }) };
    case Type.DeferredChannelMessageWithSource:
      return { type, flags: parse(z.object({ flags: z.int().nullish() }), data).flags ?? 0 };
    case Type.ApplicationCommandAutocompleteResult:
      return { type, choices: parse(z.object({ choices }), data).choices as APIApplicationCommandOptionChoice[] };
    case Type.Modal:
      return { type, modal: parse(modal, data) as unknown as APIModalInteractionResponseCallbackData };
    default:
      return { type };
  }
}

function describe(world: World, interaction: InteractionRecord, type: Type) {
  const { id, original, guildId } = interaction;
  const message = original && toApiMessage(world, original, { viewerId: original.authorId });
  const showsMessage = type === Type.ChannelMessageWithSource || type === Type.UpdateMessage;
  return {
    interaction: {
      id,
      type: interaction.type,
      channel_id: interaction.channelId,
      ...(guildId !== null && { guild_id: guildId }),
      ...(original && {
        response_message_id: original.id,
        response_message_loading: Boolean(original.flags & MessageFlags.Loading),
        response_message_ephemeral: Boolean(original.flags & MessageFlags.Ephemeral),
      }),
    },
    ...(showsMessage && message && { resource: { type, message } }),
  };
}
