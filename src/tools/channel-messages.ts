import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { defineTool } from "./define-tool.ts";
import { channelId, cursor, limit, maxTokens, messageId, readBlock, readSchema, toRead } from "./fields.ts";

export const channelMessages = defineTool({
  name: "discord.channel.messages",
  about: "Messages of a channel or thread, newest first: the latest, or those before, after or around a message.",
  examples: ["Read out the ten latest messages of #announcements.", "What came right after message m4 in #tideboard?"],
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "discord",
  input: z.strictObject({
    channel_id: channelId,
    limit: limit(50),
    before: messageId.optional().describe("Only messages older than this one"),
    after: messageId.optional().describe("Only messages newer than this one"),
    around: messageId.optional().describe("This message with those on both sides of it"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
    cache: z.boolean().default(true).describe("False asks Discord again, whatever is held"),
  }),
  handles: ["before", "after", "around"],
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: readSchema,
  toBlock: (output) => readBlock(output),
  async run({ channel_id, limit: most, before, after, around, cursor: from, cache }, view) {
    if ([before, after, around].filter((one) => one !== undefined).length > 1) {
      throw new EarshotError("invalid", "Give at most one of `before`, `after` and `around`.");
    }
    const channel = await view.channel(channel_id);
    const bounds = { limit: most, ...(from === undefined ? {} : { cursor: from }) };
    if (!cache) {
      if (from !== undefined)
        throw new EarshotError("invalid", "`cursor` cannot be used together with `cache: false`.");
      const page = { limit: most, ...(before && { before }), ...(after && { after }), ...(around && { around }) };
      return toRead(await channel.fresh(page), channel);
    }
    if (before) return toRead(await channel.before(before, bounds), channel);
    if (after) return toRead(await channel.after(after, bounds), channel);
    if (around) return toRead(await channel.around(around, bounds), channel);
    return toRead(await channel.recent(bounds), channel);
  },
});
