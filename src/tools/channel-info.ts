import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelBlock, channelId, channelSchema, toChannelInfo } from "./fields.ts";

export const channelInfo = defineTool({
  name: "discord.channel.info",
  about: "Name, kind, topic and place of a channel or thread.",
  examples: ["What is the topic of #tideboard?", "Is #harbour-news a forum or a text channel?"],
  effect: "read",
  scope: "directory:read",
  toolset: "discord",
  input: z.strictObject({ channel_id: channelId }),
  output: channelSchema,
  toBlock: (channel) => channelBlock([channel]),
  async run({ channel_id }, view) {
    const { channel } = await view.channel(channel_id);
    return toChannelInfo(channel);
  },
});
