import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { MessageRef } from "../domain/memory/fact.ts";
import { defineTool } from "./define-tool.ts";
import { about, toScope } from "./fact-fields.ts";
import { messageId } from "./fields.ts";
import type { View } from "./view.ts";

const VISIBILITIES = { private: "private", channel: "project", server: "org" } as const;

export const rememberFact = defineTool({
  name: "memory_write.remember_fact",
  toolset: "memory",
  // For what is about themselves, people need only the narrower scope for that.
  scope: "memory:write_project",
  effect: "send",
  about:
    "Proposes to remember something for later, when the person asking wants that. Nothing is stored before they have confirmed it: they are shown the exact value and who will be able to hear it. That is limited to those who may know everything that was read for it, unless key and value repeat, word for word, what the person typed. Never passwords, tokens or payment data.",
  input: z.strictObject({
    about: about.default("me"),
    key: z
      .string()
      .min(1)
      .max(256)
      .describe("A short name for it, such as timezone; a new value takes the place of the old one"),
    value: z.json().describe("What to remember: text, or JSON of at most 2 KB"),
    visibility: z
      .enum(["private", "channel", "server"])
      .default("private")
      .describe(
        "Who may hear what is about the person asking: they alone, or all who can read this channel, or this server",
      ),
    days: z
      .int()
      .min(1)
      .max(36_500)
      .optional()
      .describe("For how many days; as long as the operator allows when absent"),
    message_id: messageId
      .optional()
      .describe("The message of the person asking in which these words stand, if not the request itself"),
  }),
  handles: ["message_id"],
  output: z.object({ remembered: z.literal(true) }),
  async run({ about: subject, key, value, visibility, days, message_id }, view) {
    const said = message_id && (await findMessage(view, message_id));
    await view.remember({
      about: toScope(subject),
      key,
      value,
      visibility: VISIBILITIES[visibility],
      ...(days !== undefined && { days }),
      ...(said && { said }),
    });
    return { remembered: true } as const;
  },
});

async function findMessage(view: View, id: MessageId): Promise<MessageRef> {
  const { channel, messageId: found } = await view.locate(id);
  const message = await channel.message(found);
  if (!message) throw new EarshotError("not_found", "Message not found");
  if (message.author.id !== view.actor)
    throw new EarshotError("invalid", "message_id: only a message of the person asking can be named here.");
  return { channelId: message.channel_id, messageId: message.message_id };
}
