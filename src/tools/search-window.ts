import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { defineTool } from "./define-tool.ts";
import {
  channelId,
  cursor,
  limit,
  maxTokens,
  messageId,
  ONLY_HERE,
  readBlock,
  readSchema,
  scan,
  toRead,
  userId,
} from "./fields.ts";

export const searchWindow = defineTool({
  name: "discord.search.window",
  about: "Messages of one channel, thread or direct conversation that contain all words of the query, newest first.",
  examples: [
    "Which messages of #tideboard contain the exact words 'bracket file'?",
    "List every message in #general that contains 'raffle', the newest first.",
  ],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    scope: z.enum(["channel", "dm"]).default("channel").describe("Where to look"),
    channel_id: channelId.optional().describe("The channel or thread, for scope channel"),
    user_id: userId.optional().describe("The person, for scope dm"),
    query: z.string().trim().min(1).max(500).describe("Words to look for"),
    limit: limit(20),
    scan: scan.default(1_000),
    before: messageId.optional().describe("Only messages older than this one"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
  }),
  handles: ["before"],
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: readSchema,
  toBlock: (output) => readBlock(output),
  async run({ scope, channel_id, user_id, query, limit: most, scan: budget, before, cursor: from }, view) {
    const channel =
      scope === "dm"
        ? await view.directMessages(needed(user_id, "user_id"))
        : await view.channel(needed(channel_id, "channel_id"));
    const bounds = {
      limit: most,
      scan: budget,
      ...(from === undefined ? {} : { cursor: from }),
      ...(before && { before }),
    };
    return toRead(await channel.search(query, bounds), channel, view.isPrivate ? null : ONLY_HERE);
  },
});

function needed<Id>(id: Id | undefined, field: string): Id {
  if (id === undefined) throw new EarshotError("invalid", `\`${field}\` is needed for this scope.`);
  return id;
}
