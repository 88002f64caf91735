import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from "discord-api-types/v10";
import type { Form, FormField } from "../ports/form.ts";

/** https://discord.com/developers/docs/components/using-modal-components */
export function toModal({ id, title, fields }: Form): APIModalInteractionResponseCallbackData {
  return { custom_id: id, title, components: fields.map(toLabelled) };
}

function toLabelled(field: FormField) {
  return { type: ComponentType.Label as const, label: field.label, component: toComponent(field) };
}

function toComponent({ id, value, choices, most, isLong = false }: FormField) {
  if (choices)
    return {
      type: ComponentType.StringSelect as const,
      custom_id: id,
      required: true,
      options: choices.map((choice) => ({
        label: choice.label,
        value: choice.value,
        default: choice.value === value,
      })),
    };
  return {
    type: ComponentType.TextInput as const,
    custom_id: id,
    style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: true,
    ...(value !== "" && { value }),
    ...(most !== undefined && { max_length: most }),
  };
}
