import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { MessageRef } from "../domain/message.ts";
import { defineTool } from "./define-tool.ts";
import { about, toScope } from "./fact-fields.ts";
import { messageId } from "./fields.ts";
import type { View } from "./view.ts";

const VISIBILITIES = {
  private: "private",
  project: "project",
  org: "org",
  channel: "project",
  server: "org",
} as const;

export const rememberFact = defineTool({
  name: "memory_write.remember_fact",
  toolset: "memory",
  // For facts about themselves, people need only the narrower scope.
  scope: "memory:write_project",
  effect: "send",
  about: "Proposes to remember something; the person asking confirms it. Never passwords or payment data.",
  examples: ["Remember that my boat is called Kittiwake.", "Please remember that I live in Lisbon."],
  input: z.strictObject({
    about: about.default("me"),
    key: z.string().min(1).max(256).describe("Such as timezone; a short name"),
    value: z.unknown().describe("Text or JSON; at most 2 KB"),
    visibility: z
      .enum(["private", "project", "org", "channel", "server"])
      .default("private")
      .describe("For whom; of what is about the person asking. channel is another word for project, server for org"),
    days: z.int().min(1).max(36_500).optional().describe("For how long"),
    message_id: messageId.optional().describe("Where they typed it; if not in the request"),
  }),
  handles: ["message_id"],
  unlisted: ["days", "message_id"],
  output: z.object({ remembered: z.literal(true) }),
  async run({ about: subject, key, value, visibility, days, message_id }, view) {
    const said = message_id && (await findMessage(view, message_id));
    await view.proposals.remember({
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
  const { channel, messageId: found } = await view.messages.locate(id);
  const message = await channel.message(found);
  if (!message) throw new EarshotError("not_found", "Message not found");
  if (message.author.id !== view.request.actor)
    throw new EarshotError("invalid", "message_id: only a message of the person asking can be named here.");
  return { channelId: message.channel_id, messageId: message.message_id };
}
