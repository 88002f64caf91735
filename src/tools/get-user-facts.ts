import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { key, personBlock, personSchema, toPerson } from "./fact-fields.ts";

export const getUserFacts = defineTool({
  name: "memory_read.get_user_facts",
  toolset: "memory",
  scope: "memory:read_project",
  effect: "read",
  about:
    "What a person's profile says, and what is remembered about them. Private things only where that person alone reads the answer.",
  examples: ["What is my time zone?", "Where is Sarah's berth?", "What do you know about me?"],
  input: z.strictObject({
    user: z.string().min(1).max(200).optional().describe("Name or id; the person asking when absent"),
    key: key.optional(),
  }),
  output: personSchema,
  async run({ user, key: name }, view) {
    return toPerson(await view.facts.about(user, name), view);
  },
  toBlock: (output) => personBlock(output, "facts about a person"),
});
