import { EarshotError } from "../domain/errors.ts";
import type { Command } from "./command.ts";

export const tools: Command = {
  name: "tools",
  usage: "[<tool>] [--json]",
  options: { json: { type: "boolean" } },
  takesMore: true,
  details: [
    "earshot tools         list the tools with their arguments; those in brackets may be left out",
    "earshot tools <tool>  describe one tool in full",
    "",
    "--json  print JSON, with the complete schemas",
    "",
    "earshot call calls a tool.",
  ],
  async run({ positionals, values }, { config, print, self }) {
    const [name, ...more] = positionals;
    if (more.length > 0) throw new EarshotError("invalid", `Name one tool, not several: ${self} tools ${name}`);
    // Loaded only to run: --help need not wait for it.
    const { describeTool, findTool, listTools, toDescriptions } = await import("./describe-tools.ts");
    const one = name === undefined ? null : findTool(name);
    if (values["json"]) print(JSON.stringify(toDescriptions(one), null, 2));
    else for (const line of one ? describeTool(one, config, self) : listTools(config)) print(line);
    return 0;
  },
};
