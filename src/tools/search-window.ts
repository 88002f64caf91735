import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import {
  channelOrHere,
  cursor,
  includeOwn,
  limit,
  links,
  maxTokens,
  messageId,
  ONLY_HERE,
  orHere,
  readBlock,
  readSchema,
  scan,
  toRead,
  userId,
} from "./fields.ts";

export const searchWindow = defineTool({
  name: "discord.search.window",
  about: "Messages of one channel that contain all words, newest first.",
  examples: [
    "Which messages of #tideboard contain the exact words 'bracket file'?",
    "List every message in #general that contains 'raffle', the newest first.",
  ],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    query: z.string().trim().min(1).max(500).describe("Words; all of them must be in the message"),
    channel: channelOrHere,
    scope: z.enum(["channel", "dm"]).default("channel").describe("dm: own direct messages with the bot"),
    limit: limit(20),
    include_own: includeOwn.default(false),
    scan: scan.default(1_000),
    before: messageId.optional().describe("Message; only what is older than it"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
    links,
    user_id: userId.optional().describe("For scope dm, the person asking: nobody else's can be read"),
  }),
  handles: ["before"],
  channels: ["channel"],
  hereField: "channel",
  unlisted: ["scan", "before", "user_id", "include_own"],
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: readSchema,
  toBlock: (output) => readBlock(output),
  async run({ scope, channel: name, user_id, query, include_own, before, cursor: from, ...more }, view) {
    const place =
      scope === "dm" ? await view.channels.directMessages(user_id) : await view.channels.named(orHere(name, view));
    const bounds = {
      limit: more.limit,
      scan: more.scan,
      withoutEchoes: !include_own,
      ...(from === undefined ? {} : { cursor: from }),
      ...(before && { before }),
    };
    return toRead(await place.search(query, bounds), place, view.request.isPrivate ? null : ONLY_HERE);
  },
});
