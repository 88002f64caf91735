import { ComponentType as Type } from "discord-api-types/v10";
import { z } from "zod";

const id = z.int().min(0).optional();

const textInput = z.object({
  type: z.literal(Type.TextInput),
  id,
  custom_id: z.string().min(1).max(100),
  style: z.int().min(1).max(2),
  label: z.string().max(45).optional(),
  placeholder: z.string().max(100).optional(),
  value: z.string().max(4000).optional(),
  required: z.boolean().optional(),
  min_length: z.int().min(0).max(4000).optional(),
  max_length: z.int().min(1).max(4000).optional(),
});

/** Any other field: a menu, a group of boxes, a file. */
const field = z.looseObject({ type: z.int(), id, custom_id: z.string().min(1).max(100) });

const row = z.object({ type: z.literal(Type.ActionRow), id, components: z.array(textInput).min(1).max(1) });
const text = z.object({ type: z.literal(Type.TextDisplay), id, content: z.string().min(1) });
const label = z.object({
  type: z.literal(Type.Label),
  id,
  label: z.string().min(1).max(45),
  description: z.string().max(100).optional(),
  component: z.union([textInput, field]),
});

/** A form that an application shows in answer to an interaction. */
export const modal = z.object({
  custom_id: z.string().min(1).max(100),
  title: z.string().min(1).max(45),
  components: z
    .array(z.discriminatedUnion("type", [row, text, label]))
    .min(1)
    .max(5),
});
