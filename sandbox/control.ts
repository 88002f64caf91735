import { setTimeout } from "node:timers/promises";
import { Hono } from "hono";
import { z } from "zod";
import { DiscordError } from "./actions/errors.ts";
import { findEphemeral } from "./actions/interactions/use-component.ts";
import type { Names } from "./driver/names.ts";
import type { Person } from "./driver/person.ts";
import { walkComponents } from "./render/components.ts";
import type { InteractionRecord } from "./world/records.ts";
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

const press = z.object({
  as: z.string(),
  /** Of an answer that only this person sees. */
  message_id: z.string(),
  label: z.string(),
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
      return toAnswer(as(who).run(name, options, where === undefined ? {} : { in: where }));
    });
  });
  app.post("/sandbox/press", async (c) => {
    const body = press.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return c.json({ message: z.prettifyError(body.error) }, 400);
    const { as: who, message_id: messageId, label } = body.data;
    return answer(async () => {
      const person = as(who);
      const message = findEphemeral(world, person.id, messageId);
      const button = [...walkComponents(message?.more?.components ?? [])].find((one) => one["label"] === label);
      if (!message || !button) return c.json({ message: "There is no such button." }, 404);
      return toAnswer(person.click(message, String(button["custom_id"])));
    });
  });
  return app;
}

/** What the bot says to an interaction, with the text of attached files. */
async function toAnswer(interaction: InteractionRecord): Promise<Response> {
  const said = await Promise.race([interaction.spoken, setTimeout(MAX_ANSWER_MS, null, { ref: false })]);
  if (!said) return Response.json({ message: "The bot did not answer." }, { status: 504 });
  const files = (said.more?.attachments ?? []).map(({ filename: name, bytes }) => {
    return { name, text: new TextDecoder().decode(typeof bytes === "function" ? bytes() : bytes) };
  });
  return Response.json({ text: said.content, message_id: said.id, files });
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
