import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { factsBlock, factsSchema, key, toFacts } from "./fact-fields.ts";
import { server } from "./fields.ts";

export const getProjectFacts = defineTool({
  name: "memory_read.get_project_facts",
  toolset: "memory",
  scope: "memory:read_project",
  effect: "read",
  about: "What is remembered about a server and its projects.",
  examples: ["What do you remember about this server?", "What is remembered about this project?"],
  input: z.strictObject({ key: key.optional(), server }),
  output: factsSchema,
  async run({ key: name, server: where }, view) {
    return toFacts(await view.facts.shared(name, where), view);
  },
  toBlock: (output) => factsBlock(output, "facts about projects and the server"),
});
