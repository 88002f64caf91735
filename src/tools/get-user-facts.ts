import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { factsBlock, factsSchema, key, toFacts } from "./fact-fields.ts";

export const getUserFacts = defineTool({
  name: "memory_read.get_user_facts",
  toolset: "memory",
  scope: "memory:read_project",
  effect: "read",
  about:
    "What is remembered about a person, with who confirmed it and what it rests on. About the person asking unless somebody is named. Private facts appear only in an answer that the person alone reads.",
  examples: ["What is my time zone?", "Where is Sarah's berth?", "What do you know about me?"],
  input: z.strictObject({
    user: z.string().min(1).max(200).optional().describe('Somebody\'s name, mention or id; "me" is the person asking'),
    key: key.optional(),
  }),
  output: factsSchema,
  async run({ user, key: name }, view) {
    return toFacts(await view.factsAbout(user, name), view);
  },
  toBlock: (output) => factsBlock(output, "facts about a person"),
});
