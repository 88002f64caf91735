import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { defineTool } from "./define-tool.ts";
import { channel, cursor, limit, links, maxTokens, messageId, readBlock, readSchema, toRead } from "./fields.ts";

export const channelMessages = defineTool({
  name: "discord.channel.messages",
  about: "Messages of a channel or thread: the latest, or those before, after or around a message.",
  examples: ["Read out the ten latest messages of #announcements.", "What came right after message m4 in #tideboard?"],
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "discord",
  input: z.strictObject({
    channel,
    limit: limit(50),
    before: messageId.optional().describe("Message; only what is older than it"),
    after: messageId.optional().describe("Message; only what is newer than it"),
    around: messageId.optional().describe("Message; it and those on both sides of it"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
    links,
    cache: z.boolean().default(true).describe("False asks Discord again, whatever is held"),
  }),
  handles: ["before", "after", "around"],
  channels: ["channel"],
  unlisted: ["cache"],
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: readSchema,
  toBlock: (output) => readBlock(output),
  async run({ channel: name, limit: most, before, after, around, cursor: from, cache }, view) {
    if ([before, after, around].filter((one) => one !== undefined).length > 1) {
      throw new EarshotError("invalid", "Give at most one of `before`, `after` and `around`.");
    }
    const place = await view.channels.named(name);
    const bounds = { limit: most, ...(from === undefined ? {} : { cursor: from }) };
    if (!cache) {
      if (from !== undefined)
        throw new EarshotError("invalid", "`cursor` cannot be used together with `cache: false`.");
      const page = { limit: most, ...(before && { before }), ...(after && { after }), ...(around && { around }) };
      return toRead(await place.fresh(page), place);
    }
    if (before) return toRead(await place.before(before, bounds), place);
    if (after) return toRead(await place.after(after, bounds), place);
    if (around) return toRead(await place.around(around, bounds), place);
    return toRead(await place.recent(bounds), place);
  },
});
