import { setTimeout } from "node:timers/promises";
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

const command = z.object({
  as: z.string(),
  /** A subcommand follows after a space, as one types it. */
  command: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  /** The direct messages with the main bot when absent. */
  in: z.string().optional(),
});

/** Discord takes a first answer for three seconds. */
const MAX_ANSWER_MS = 5_000;

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
    return answer(() => {
      const draft = {
        content: text,
        ...(original !== undefined && { reference: { messageId: names.message(original).id } }),
      };
      return c.json({ message_id: as(who).say(where, draft).id });
    });
  });
  app.post("/sandbox/run", async (c) => {
    const body = command.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return c.json({ message: z.prettifyError(body.error) }, 400);
    const { as: who, command: name, options, in: where } = body.data;
    return answer(async () => {
      const run = as(who).run(name, options, where === undefined ? {} : { in: where });
      const silence = setTimeout(MAX_ANSWER_MS, null, { ref: false });
      const said = await Promise.race([run.spoken, silence]);
      return said ? c.json({ text: said.content }) : c.json({ message: "The bot did not answer." }, 504);
    });
  });
  return app;
}

async function answer(act: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    const { message, code, status } = error;
    return Response.json({ message, code }, { status });
  }
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
