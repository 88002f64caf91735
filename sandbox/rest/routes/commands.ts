import { z } from "zod";
import {
  type CommandBody,
  type CommandScope,
  commandsOf,
  deleteCommand,
  overwriteCommands,
  registerCommand,
  updateCommand,
} from "../../actions/commands.ts";
import { unknownCommand } from "../../actions/errors.ts";
import { withoutNulls } from "../bodies/without-nulls.ts";
import { parse, permissionBits } from "../parse.ts";
import { type BotRequest, Reply, type Route, route } from "../route.ts";

const GLOBAL = "/applications/{application_id}/commands";
const IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands";

/** The same routes twice: for commands everywhere, and for those of one guild. */
export const commandRoutes: Route[] = [GLOBAL, IN_GUILD].flatMap((path) => [
  route("GET", path, (request) => [...commandsOf(request.world, request.actor, scopeOf(request)).values()]),
  route("POST", path, async (request) => {
    const body = parseCommand((await request.body()).json);
    const { command, isNew } = registerCommand(request.world, request.actor, { ...scopeOf(request), body });
    return new Reply(isNew ? 201 : 200, command);
  }),
  route("PUT", path, async (request) => {
    const bodies = parse(z.array(commandBody), (await request.body()).json).map(toCommandBody);
    return overwriteCommands(request.world, request.actor, { ...scopeOf(request), bodies });
  }),
  route("GET", `${path}/{command_id}`, (request) => {
    const command = commandsOf(request.world, request.actor, scopeOf(request)).get(request.param("command_id"));
    if (!command) throw unknownCommand();
    return command;
  }),
  route("PATCH", `${path}/{command_id}`, async (request) => {
    const body = withoutNulls(parse(commandBody.partial(), (await request.body()).json)) as Partial<CommandBody>;
    const commandId = request.param("command_id");
    return updateCommand(request.world, request.actor, { ...scopeOf(request), commandId, body });
  }),
  route("DELETE", `${path}/{command_id}`, (request) => {
    deleteCommand(request.world, request.actor, { ...scopeOf(request), commandId: request.param("command_id") });
  }),
]);

const localizations = z.record(z.string(), z.string().nullish()).nullish();

const choice = z.object({
  name: z.string().min(1).max(100),
  name_localizations: localizations,
  value: z.union([z.string().max(100), z.number()]),
});

const option = z.object({
  type: z.int().min(1).max(11),
  name: z.string().min(1).max(32),
  name_localizations: localizations,
  description: z.string().min(1).max(100),
  description_localizations: localizations,
  required: z.boolean().nullish(),
  choices: z.array(choice).max(25).nullish(),
  channel_types: z.array(z.int()).nullish(),
  min_value: z.number().nullish(),
  max_value: z.number().nullish(),
  min_length: z.int().nullish(),
  max_length: z.int().nullish(),
  autocomplete: z.boolean().nullish(),
  get options() {
    return z.array(option).max(25).nullish();
  },
});

const commandBody = z.object({
  name: z.string().min(1),
  name_localizations: localizations,
  description: z.string().nullish(),
  description_localizations: localizations,
  type: z.int().min(1).max(4).nullish(),
  options: z.array(option).nullish(),
  default_member_permissions: permissionBits.nullish().transform((bits) => bits?.toString()),
  dm_permission: z.boolean().nullish(),
  contexts: z.array(z.int().min(0).max(2)).nullish(),
  integration_types: z.array(z.int().min(0).max(1)).nullish(),
  nsfw: z.boolean().nullish(),
});

function parseCommand(json: unknown): CommandBody {
  return toCommandBody(parse(commandBody, json));
}

function toCommandBody(body: z.output<typeof commandBody>): CommandBody {
  return withoutNulls(body) as CommandBody;
}

function scopeOf({ param }: BotRequest): CommandScope {
  const guildId = param("guild_id");
  return { applicationId: param("application_id"), ...(guildId !== "" && { guildId }) };
}
