import { type Context, Hono } from "hono";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import { idSchema } from "../../domain/id-schema.ts";
import type { ChannelId, GuildId, UserId } from "../../domain/ids.ts";
import { findForOperator } from "../../policy/find-named.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Directory } from "../../ports/directory.ts";
import { explainSilence, type SilenceDeps } from "../kit/explain-silence.ts";
import { bearerToken } from "../kit/http-refusal.ts";

/** For the operator's commands on this machine. */
export interface OperatorDeps {
  /** Whether a bearer token is the operator's own, from the data folder. */
  isOperator(token: string): boolean;
  readonly directory: NamesDirectory & SilenceDeps["directory"];
  readonly rules: Rules;
  readonly botId: UserId;
  /** Reloads the configuration. Throws `misconfigured`, and changes nothing, if not all of it can be applied. */
  reload(): Promise<{ readonly changed: readonly string[] }>;
  /** An address that opens the console once. Throws `unavailable` while the console is off. */
  mintConsoleLink(): string;
  /** Copies the data folder. Blocks everything else meanwhile: 300 MB take about a second. Errors are meant for the operator. */
  copyData(request: z.infer<typeof copyRequest>): void;
}

type NamesDirectory = Pick<
  Directory,
  "guilds" | "guild" | "channel" | "channels" | "member" | "learnMember" | "people" | "findPeople" | "isMeetingPeople"
>;

const namesRequest = z.object({ ids: z.array(z.string().max(40)).max(50_000) });
const whyRequest = z.object({ actor: idSchema<UserId>(), channel_id: idSchema<ChannelId>() });
const findRequest = z.object({ kind: z.enum(["people", "channels"]), name: z.string().max(200) });

const copyRequest = z.object({ folder: z.string(), keysFolder: z.string(), stamp: z.string().regex(/^[\dTZ-]+$/) });

/** Routes under /operator. Refuses everyone except the operator. */
export function createOperatorRoutes(deps: OperatorDeps): Hono {
  const { isOperator, directory, reload } = deps;
  const app = new Hono();
  app.use(async (c, next) => {
    const token = bearerToken(c.req.header("authorization"));
    if (token !== null && isOperator(token)) return next();
    throw new EarshotError("unauthenticated", "This is for the operator's own commands on this machine.");
  });
  app.post("/names", async (c) => c.json(namesOf((await read(c, namesRequest)).ids, directory)));
  app.post("/find", async (c) => {
    const { kind, name } = await read(c, findRequest);
    return c.json({ id: (await findForOperator(kind, name, directory)).id });
  });
  app.post("/why", async (c) => {
    const { actor, channel_id: channelId } = await read(c, whyRequest);
    return c.json(explainSilence({ actor, channelId }, deps));
  });
  app.post("/reload", async (c) => c.json(await reload()));
  app.post("/console-link", (c) => c.json({ url: deps.mintConsoleLink() }));
  app.post("/backup", async (c) => {
    deps.copyData(await read(c, copyRequest));
    return c.json({});
  });
  return app;
}

async function read<Shape>(c: Context, schema: z.ZodType<Shape>): Promise<Shape> {
  const body = schema.safeParse(await c.req.json().catch(() => null));
  if (body.success) return body.data;
  throw new EarshotError("invalid", "The request does not have the shape that this version of Earshot expects.");
}

/** Known names of these ids: people and servers by name, channels as `#name`. */
function namesOf(ids: readonly string[], directory: NamesDirectory): Record<string, string> {
  const guilds = directory.guilds();
  const known = ids.flatMap((id): [string, string][] => {
    const channel = directory.channel(id as ChannelId);
    const person = () => guilds.map((guild) => directory.member(guild.id, id as UserId)?.name).find((name) => name);
    const name = directory.guild(id as GuildId)?.name ?? (channel?.name ? `#${channel.name}` : person());
    return name ? [[id, name]] : [];
  });
  return Object.fromEntries(known);
}
