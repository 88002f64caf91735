import { nearestNames } from "../domain/text/unknown-name.ts";
import { namesTool } from "./apply-rules.ts";
import type { ToolFacts } from "./grant.ts";

/**
 * Describes an error in a list of toolsets, in a sentence with the available names; null if all are valid. A misspelt name would switch off
 * the tools that it should allow.
 */
export function refuseToolsets(names: readonly string[] | undefined, tools: readonly ToolFacts[]): string | null {
  const unknown = names?.find((name) => !tools.some((tool) => namesTool([name], tool)));
  if (unknown === undefined) return null;
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))];
  const [meant] = nearestNames(unknown, [...toolsets, ...tools.map(({ name }) => name)]);
  const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
  const known = `Toolsets are ${toolsets.join(", ")}; names of tools and their first parts serve too.`;
  return `There is no toolset "${unknown.slice(0, 50)}"${hint || "."} ${known}`;
}
