import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { GuildId } from "../domain/ids.ts";
import { defineTool } from "./define-tool.ts";

export const guilds = defineTool({
  name: "discord.guilds",
  about: "The servers that the person and the bot share.",
  effect: "read",
  scope: "directory:read",
  input: z.strictObject({}),
  output: z.object({ guilds: z.array(z.object({ guild_id: idSchema<GuildId>(), name: z.string() })) }),
  async run(_, view) {
    const shared = await view.guilds();
    return { guilds: shared.map(({ id, name }) => ({ guild_id: id, name })) };
  },
});
