import { getUserFacts } from "../tools/get-user-facts.ts";
import type { Toolbox } from "./answerer.ts";

/** In text by another person, "I" is that person, by displayed name. */
export function speakFor(name: string, toolbox: Toolbox): Toolbox {
  const toOther = (tool: string, args: unknown): Record<string, unknown> => {
    const given = typeof args === "object" && args !== null ? args : {};
    const own = tool === getUserFacts.name ? { user: "me", ...given } : given;
    return Object.fromEntries(Object.entries(own).map(([field, value]) => [field, value === "me" ? name : value]));
  };
  return {
    ...toolbox,
    call: (tool, args) => toolbox.call(tool, toOther(tool.name, args) as typeof args),
    run: (tool, args) => toolbox.run(tool, toOther(tool, args)),
  };
}
