import { ComponentType, InteractionType } from "discord-api-types/v10";
import { walkComponents } from "../../render/components.ts";
import { toApiMessage } from "../../render/messages.ts";
import type { InteractionRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { requirePlace } from "../access.ts";
import {
  type FormProblem,
  invalidForm,
  missingAccess,
  required,
  tooLong,
  unknownApplication,
  unknownInteraction,
} from "../errors.ts";
import { openInteraction } from "./open-interaction.ts";

type Node = Record<string, unknown>;

export interface ModalSubmission {
  /** The interaction that was answered with the modal. */
  readonly interactionId: string;
  /** Custom id of each field to its value; several values for menus and checkboxes. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

/** A person fills in a modal and sends it. */
export function submitModal(
  world: World,
  actor: string,
  { interactionId, values }: ModalSubmission,
): InteractionRecord {
  const opener = world.interactions.get(interactionId);
  if (!opener?.modal) throw unknownInteraction();
  if (opener.userId !== actor) throw missingAccess();
  const application = world.applications.get(opener.applicationId);
  if (!application) throw unknownApplication();
  const { modal, source } = opener;
  checkFields(modal.components, values);
  opener.modal = null;
  return openInteraction(world, {
    application,
    type: InteractionType.ModalSubmit,
    place: requirePlace(world, actor, opener.channelId),
    userId: actor,
    ...(source && { source }),
    isContextMenu: opener.isContextMenu,
    data: { custom_id: modal.custom_id, components: fill(modal.components, values) },
    ...(source && { payload: { message: toApiMessage(world, source, { viewerId: application.botId }) } }),
    metadata: { name: opener.metadata.name, trigger: opener.metadata },
  });
}

function checkFields(components: readonly unknown[], values: ModalSubmission["values"]): void {
  const problems: FormProblem[] = [];
  const known = new Set<unknown>();
  for (const node of walkComponents(components)) {
    const customId = node["custom_id"];
    if (typeof customId !== "string") continue;
    known.add(customId);
    const value = values[customId];
    const isEmpty = value === undefined || value.length === 0;
    if (isEmpty && node["required"] !== false) problems.push(required(["data", "components", customId]));
    const limit = typeof node["max_length"] === "number" ? node["max_length"] : 4000;
    if (typeof value === "string" && value.length > limit)
      problems.push(tooLong(["data", "components", customId], limit));
  }
  for (const customId of Object.keys(values)) {
    if (known.has(customId)) continue;
    problems.push({ path: ["data", "components", customId], code: "UNKNOWN_FIELD", message: `No field "${customId}"` });
  }
  if (problems.length > 0) throw invalidForm(problems);
}

/** The tree of the modal, reduced to ids and values. */
function fill(components: readonly unknown[], values: ModalSubmission["values"]): Node[] {
  let lastId = 0;
  const strip = (component: unknown): Node => {
    const node = component as Node;
    lastId += 1;
    const base: Node = { type: node["type"], id: typeof node["id"] === "number" ? node["id"] : lastId };
    if (Array.isArray(node["components"])) return { ...base, components: node["components"].map(strip) };
    if (node["component"]) return { ...base, component: strip(node["component"]) };
    const customId = node["custom_id"];
    if (typeof customId !== "string") return base;
    const value = values[customId] ?? (node["type"] === ComponentType.TextInput ? "" : []);
    return { ...base, custom_id: customId, ...(typeof value === "string" ? { value } : { values: value }) };
  };
  return components.map(strip);
}
