import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { GuildId } from "../domain/ids.ts";
import { defineTool } from "./define-tool.ts";

export const guilds = defineTool({
  name: "discord.guilds",
  about: "The servers that the person and the bot share.",
  examples: ["Which servers are you and I both in?", "What is the name of this server?"],
  effect: "read",
  scope: "directory:read",
  toolset: "discord",
  input: z.strictObject({}),
  output: z.object({ guilds: z.array(z.object({ guild_id: idSchema<GuildId>(), name: z.string() })) }),
  toBlock: ({ guilds: shared }) => ({
    label: { kind: "servers", name: null, from: null, to: null },
    items: shared.map(({ guild_id, name }) => ({ kind: "line", pieces: [{ name }, ` (id ${guild_id})`] })),
    dropFrom: "end",
    notes: [],
  }),
  async run(_, view) {
    const shared = await view.channels.servers();
    return { guilds: shared.map(({ id, name }) => ({ guild_id: id, name })) };
  },
});
