import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelBlock, channelSchema, server, toChannelInfo } from "./fields.ts";

export const guildChannels = defineTool({
  name: "discord.guild.channels",
  about: "The channels and active threads of a server that the person can read.",
  examples: ["Which channels are there on this server?", "List the threads that are active here."],
  effect: "read",
  scope: "directory:read",
  toolset: "discord",
  input: z.strictObject({ server }),
  output: z.object({ channels: z.array(channelSchema) }),
  toBlock: ({ channels }) => channelBlock(channels),
  async run({ server: name }, view) {
    return { channels: (await view.channels.list(name)).map(toChannelInfo) };
  },
});
