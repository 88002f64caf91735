import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channel, channelBlock, channelSchema, toChannelInfo } from "./fields.ts";

export const channelInfo = defineTool({
  name: "discord.channel.info",
  about: "Name, kind, topic and place of a channel or thread.",
  examples: ["What is the topic of #tideboard?", "Is #harbour-news a forum or a text channel?"],
  effect: "read",
  scope: "directory:read",
  toolset: "discord",
  input: z.strictObject({ channel }),
  channels: ["channel"],
  output: channelSchema,
  toBlock: (place) => channelBlock([place]),
  async run({ channel: name }, view) {
    return toChannelInfo((await view.channels.named(name)).channel);
  },
});
