import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { factsBlock, factsSchema, key, toFacts } from "./fact-fields.ts";

export const getProjectFacts = defineTool({
  name: "memory_read.get_project_facts",
  toolset: "memory",
  scope: "memory:read_project",
  effect: "read",
  about:
    "What is remembered about the projects of this server and about the server itself, with who confirmed it and what it rests on. Only what everyone who reads the answer may hear.",
  examples: ["What do you remember about this server?", "What is remembered about this project?"],
  input: z.strictObject({ key: key.optional() }),
  output: factsSchema,
  async run({ key: name }, view) {
    return toFacts(await view.sharedFacts(name), view);
  },
  toBlock: (output) => factsBlock(output, "facts about projects and the server"),
});
