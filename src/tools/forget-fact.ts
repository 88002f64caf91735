import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { about, key, toScope } from "./fact-fields.ts";

export const forgetFact = defineTool({
  name: "memory_write.forget_fact",
  toolset: "memory",
  // For facts about themselves, people need only the narrower scope.
  scope: "memory:write_project",
  effect: "send",
  about: "Proposes to forget something, by its key or id; the person asking confirms it.",
  examples: ["Forget my berth.", "Please forget what you remembered about my boat."],
  input: z
    .strictObject({
      fact_id: z.string().min(1).max(128).optional().describe("Its id; instead of the key"),
      key: key.optional(),
      about: about.default("me"),
    })
    .refine((named) => (named.fact_id === undefined) !== (named.key === undefined), {
      error: "name the fact by either its fact_id or its key",
    }),
  output: z.object({ forgotten: z.literal(true) }),
  async run({ fact_id: factId, key: name, about: subject }, view) {
    await view.proposals.forget({
      about: toScope(subject),
      ...(factId !== undefined && { factId }),
      ...(name !== undefined && { key: name }),
    });
    return { forgotten: true } as const;
  },
});
