import { ComponentType, InteractionType, ApplicationCommandOptionType as OptionType } from "discord-api-types/v10";
import { walkComponents } from "../../render/components.ts";
import { toApiMessage } from "../../render/messages.ts";
import type { InteractionRecord, MessageRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { type Place, requirePlace } from "../access.ts";
import { invalidForm, missingAccess, unknownMessage } from "../errors.ts";
import { openInteraction } from "./open-interaction.ts";
import { resolve, sortIds } from "./resolve.ts";

export interface ComponentUse {
  readonly channelId: string;
  readonly messageId: string;
  readonly customId: string;
  readonly values?: readonly string[];
}

/** A person clicks a button or chooses from a menu. */
export function useComponent(world: World, actor: string, request: ComponentUse): InteractionRecord {
  const place = requirePlace(world, actor, request.channelId);
  const message = place.channel.messages.get(request.messageId) ?? findEphemeral(world, actor, request.messageId);
  if (!message) throw unknownMessage();
  const applicationId = message.more?.applicationId ?? message.more?.webhook?.applicationId;
  const application = applicationId ? world.applications.get(applicationId) : world.applicationOf(message.authorId);
  if (!application) throw missingAccess();
  const component = findComponent(message, request.customId);
  if (!component || component["disabled"] === true) throw wrongComponent("This component cannot be used");
  const values = component["type"] === ComponentType.Button ? undefined : checkValues(component, request.values ?? []);
  const resolved = values ? resolveValues(world, { place, actor, botId: application.botId }, component, values) : {};
  return openInteraction(world, {
    application,
    type: InteractionType.MessageComponent,
    place,
    userId: actor,
    source: message,
    data: {
      id: typeof component["id"] === "number" ? component["id"] : 1,
      component_type: component["type"],
      custom_id: request.customId,
      ...(values && { values }),
      ...(Object.keys(resolved).length > 0 && { resolved }),
    },
    payload: { message: toApiMessage(world, message, { viewerId: application.botId }) },
    metadata: { name: "", interactedMessageId: message.id },
  });
}

/** A message that only this person sees. */
export function findEphemeral(world: World, actor: string, messageId: string): MessageRecord | undefined {
  for (const interaction of world.interactions.values()) {
    const found = interaction.userId === actor ? interaction.ephemeral.get(messageId) : undefined;
    if (found) return found;
  }
  return undefined;
}

function findComponent(message: MessageRecord, customId: string): Record<string, unknown> | undefined {
  for (const node of walkComponents(message.more?.components ?? [])) if (node["custom_id"] === customId) return node;
  return undefined;
}

function checkValues(component: Record<string, unknown>, values: readonly string[]): readonly string[] {
  const least = typeof component["min_values"] === "number" ? component["min_values"] : 1;
  const most = typeof component["max_values"] === "number" ? component["max_values"] : 1;
  if (values.length < least || values.length > most) throw wrongComponent(`Choose between ${least} and ${most}`);
  if (!Array.isArray(component["options"])) return values;
  const offered = new Set(component["options"].map((option: { value?: unknown }) => option.value));
  if (!values.every((value) => offered.has(value))) throw wrongComponent("Not one of the options");
  return values;
}

const OPTION_OF_SELECT: Partial<Record<number, OptionType>> = {
  [ComponentType.UserSelect]: OptionType.User,
  [ComponentType.RoleSelect]: OptionType.Role,
  [ComponentType.MentionableSelect]: OptionType.Mentionable,
  [ComponentType.ChannelSelect]: OptionType.Channel,
};

function resolveValues(
  world: World,
  { place, actor, botId }: { place: Place; actor: string; botId: string },
  component: Record<string, unknown>,
  values: readonly string[],
): object {
  const type = OPTION_OF_SELECT[Number(component["type"])];
  if (type === undefined) return {};
  const ids = sortIds(
    world,
    place,
    values.map((value) => ({ type, value })),
  );
  return resolve(world, { place, viewer: { userId: actor, botId }, ...ids });
}

function wrongComponent(message: string) {
  return invalidForm([{ path: ["data", "custom_id"], code: "COMPONENT_VALIDATION_FAILED", message }]);
}
