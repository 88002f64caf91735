import { ComponentType } from "discord-api-types/v10";
import { walkComponents } from "../render/components.ts";
import type { FormProblem } from "./errors.ts";

const MAX_COMPONENTS = 40;
const MAX_TEXT_LENGTH = 4000;
const MAX_ROWS = 5;

const TOP_LEVEL_V2: ReadonlySet<unknown> = new Set([
  ComponentType.ActionRow,
  ComponentType.Section,
  ComponentType.TextDisplay,
  ComponentType.MediaGallery,
  ComponentType.File,
  ComponentType.Separator,
  ComponentType.Container,
]);

/** Lists the problems of message components, of version 1 (rows only) or version 2. */
export function checkComponents(components: readonly unknown[], isV2: boolean): FormProblem[] {
  const problems: FormProblem[] = [];
  const at = (path: FormProblem["path"], code: string, message: string) =>
    problems.push({ path: ["components", ...path], code, message });
  for (const [index, component] of components.entries()) {
    const type = (component as { type?: unknown }).type;
    if (isV2 ? !TOP_LEVEL_V2.has(type) : type !== ComponentType.ActionRow) {
      const choices = isV2 ? [...TOP_LEVEL_V2].join(", ") : "1,";
      at([index], "UNION_TYPE_CHOICES", `Value of field "type" must be one of (${choices}).`);
    }
  }
  if (!isV2 && components.length > MAX_ROWS) {
    at([], "BASE_TYPE_BAD_LENGTH", `Must be between 1 and ${MAX_ROWS} in length.`);
  }
  const seen = new Set<unknown>();
  let count = 0;
  let text = 0;
  for (const node of walkComponents(components)) {
    count += 1;
    if (typeof node["content"] === "string") text += node["content"].length;
    const customId = node["custom_id"];
    if (customId !== undefined && seen.has(customId)) {
      at([], "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
    }
    seen.add(customId);
    for (const problem of checkNode(node)) at([], problem.code, problem.message);
  }
  if (count > MAX_COMPONENTS) {
    at(
      [],
      "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
      `Message exceeded the maximum total components (${MAX_COMPONENTS})`,
    );
  }
  if (text > MAX_TEXT_LENGTH) {
    at(
      [],
      "COMPONENT_MAX_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
      `Displayable text exceeds the maximum size of ${MAX_TEXT_LENGTH}`,
    );
  }
  return problems;
}

function checkNode(node: Record<string, unknown>): Pick<FormProblem, "code" | "message">[] {
  const children = Array.isArray(node["components"]) ? node["components"].length : 0;
  const customId = node["custom_id"];
  if (typeof customId === "string" && (customId.length === 0 || customId.length > 100)) {
    return [{ code: "BASE_TYPE_BAD_LENGTH", message: "Must be between 1 and 100 in length." }];
  }
  if (node["type"] === ComponentType.ActionRow && (children === 0 || children > 5)) {
    return [{ code: "BASE_TYPE_BAD_LENGTH", message: "Must be between 1 and 5 in length." }];
  }
  if (node["type"] === ComponentType.Section && (children === 0 || children > 3)) {
    return [{ code: "BASE_TYPE_BAD_LENGTH", message: "Must be between 1 and 3 in length." }];
  }
  return [];
}
