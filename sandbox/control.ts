import { Hono } from "hono";
import { z } from "zod";
import { DiscordError } from "./actions/errors.ts";
import type { Names } from "./driver/names.ts";
import type { Person } from "./driver/person.ts";
import type { World } from "./world/world.ts";

const speech = z.object({
  as: z.string(),
  in: z.string(),
  text: z.string(),
  reply_to: z.string().optional(),
});

export interface ControlDeps {
  readonly world: World;
  readonly names: Names;
  as(name: string): Person;
}

/** HTTP routes for other processes and people to control a running sandbox. They do not exist on Discord. */
export function createControlApp({ world, names, as }: ControlDeps): Hono {
  const app = new Hono();
  app.get("/sandbox/info", (c) => c.json(describe(world, names)));
  app.post("/sandbox/say", async (c) => {
    const body = speech.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return c.json({ message: z.prettifyError(body.error) }, 400);
    const { as: who, in: where, text, reply_to: original } = body.data;
    try {
      const person = as(who);
      const draft = {
        content: text,
        ...(original !== undefined && { reference: { messageId: names.message(original).id } }),
      };
      return c.json({ message_id: person.say(where, draft).id });
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      const { message, code, status } = error;
      return Response.json({ message, code }, { status });
    }
  });
  return app;
}

function describe(world: World, names: Names): object {
  const guild = names.guild();
  return {
    name: guild.name,
    /** The main bot's. */
    token: names.bot().token,
    guild_id: guild.id,
    people: [...world.users.values()].map(({ id, username, globalName, bot }) => ({
      id,
      username,
      name: globalName,
      bot,
    })),
    channels: [...guild.channels.values()].map(({ id, name, type, parentId }) => ({
      id,
      name,
      type,
      parent_id: parentId,
    })),
    bots: [...world.applications.values()].map(({ id, name, token }) => ({ id, name, token })),
  };
}
