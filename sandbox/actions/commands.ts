import { type APIApplicationCommand, ApplicationCommandType } from "discord-api-types/v10";
import type { ApplicationRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { requireGuild } from "./access.ts";
import {
  type FormProblem,
  invalidForm,
  missingAccess,
  required,
  tooLong,
  unknownApplication,
  unknownCommand,
} from "./errors.ts";

/** A command as an application describes it. */
export type CommandBody = Partial<Omit<APIApplicationCommand, "id" | "application_id" | "version" | "guild_id">> & {
  readonly name: string;
};

/** The scope of commands: global, or one guild. */
export interface CommandScope {
  readonly applicationId: string;
  readonly guildId?: string;
}

const SLASH_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const MAX_SLASH_COMMANDS = 100;

/** The commands of a scope, by id. Only the application's own bot may change them. */
export function commandsOf(world: World, actor: string, scope: CommandScope): Map<string, APIApplicationCommand> {
  const application = world.applications.get(scope.applicationId);
  if (!application) throw unknownApplication();
  if (application.botId !== actor) throw missingAccess();
  if (scope.guildId === undefined) return application.commands;
  if (!world.guilds.get(scope.guildId)?.members.has(actor)) throw missingAccess();
  requireGuild(world, actor, scope.guildId);
  const commands = application.guildCommands.get(scope.guildId) ?? new Map();
  application.guildCommands.set(scope.guildId, commands);
  return commands;
}

/** Registers a command; one of the same name and type is replaced and keeps its id. */
export function registerCommand(
  world: World,
  actor: string,
  { body, ...scope }: CommandScope & { readonly body: CommandBody },
): { command: APIApplicationCommand; isNew: boolean } {
  const commands = commandsOf(world, actor, scope);
  checkCommands([body], []);
  const existing = findSame(commands, body);
  const command = toCommand(world, scope, body, existing?.id);
  if (!existing && commands.size >= MAX_SLASH_COMMANDS) {
    throw invalidForm([
      { path: [], code: "APPLICATION_COMMANDS_MAX", message: "Maximum number of commands reached (100)" },
    ]);
  }
  commands.set(command.id, command);
  return { command, isNew: existing === undefined };
}

export function updateCommand(
  world: World,
  actor: string,
  { commandId, body, ...scope }: CommandScope & { readonly commandId: string; readonly body: Partial<CommandBody> },
): APIApplicationCommand {
  const commands = commandsOf(world, actor, scope);
  const existing = commands.get(commandId);
  if (!existing) throw unknownCommand();
  const merged: CommandBody = { ...existing, ...body };
  checkCommands([merged], []);
  const command = toCommand(world, scope, merged, commandId);
  commands.set(commandId, command);
  return command;
}

/** Replaces all commands of a scope at once. */
export function overwriteCommands(
  world: World,
  actor: string,
  { bodies, ...scope }: CommandScope & { readonly bodies: readonly CommandBody[] },
): APIApplicationCommand[] {
  const commands = commandsOf(world, actor, scope);
  checkCommands(bodies, null);
  const before = new Map(commands);
  commands.clear();
  return bodies.map((body) => {
    const command = toCommand(world, scope, body, findSame(before, body)?.id);
    commands.set(command.id, command);
    return command;
  });
}

export function deleteCommand(
  world: World,
  actor: string,
  { commandId, ...scope }: CommandScope & { readonly commandId: string },
): void {
  if (!commandsOf(world, actor, scope).delete(commandId)) throw unknownCommand();
}

/** The command with this name in a channel: the guild's own before the global one. */
export function findCommandNamed(
  application: ApplicationRecord,
  {
    name,
    type,
    guildId,
  }: { readonly name: string; readonly type: ApplicationCommandType; readonly guildId: string | null },
): APIApplicationCommand | undefined {
  const own = guildId === null ? undefined : application.guildCommands.get(guildId);
  for (const commands of [own, application.commands]) {
    for (const command of commands?.values() ?? []) if (command.name === name && command.type === type) return command;
  }
  return undefined;
}

function findSame(commands: Map<string, APIApplicationCommand>, body: CommandBody): APIApplicationCommand | undefined {
  const type = body.type ?? ApplicationCommandType.ChatInput;
  return [...commands.values()].find((command) => command.name === body.name && command.type === type);
}

function toCommand(world: World, scope: CommandScope, body: CommandBody, id = world.mintId()): APIApplicationCommand {
  const isGlobal = scope.guildId === undefined;
  return {
    name_localizations: null,
    description_localizations: null,
    default_member_permissions: null,
    nsfw: false,
    ...(isGlobal && { dm_permission: true, contexts: null, integration_types: [0] }),
    ...body,
    id,
    application_id: scope.applicationId,
    version: world.mintId(),
    type: body.type ?? ApplicationCommandType.ChatInput,
    description: body.description ?? "",
    ...(scope.guildId !== undefined && { guild_id: scope.guildId }),
  } as APIApplicationCommand;
}

/** With `prefix` null, problems are reported by index, as for a bulk overwrite. */
function checkCommands(bodies: readonly CommandBody[], prefix: FormProblem["path"] | null): void {
  const problems = bodies.flatMap((body, index) => checkCommand(body, prefix ?? [index]));
  if (problems.length > 0) throw invalidForm(problems);
}

function checkCommand(body: CommandBody, path: FormProblem["path"]): FormProblem[] {
  const problems: FormProblem[] = [];
  const isSlash = (body.type ?? ApplicationCommandType.ChatInput) === ApplicationCommandType.ChatInput;
  if (isSlash && (!SLASH_NAME.test(body.name) || body.name !== body.name.toLowerCase())) {
    const message = "Command name is invalid";
    problems.push({ path: [...path, "name"], code: "APPLICATION_COMMAND_INVALID_NAME", message });
  }
  if (body.name.length > 32) problems.push(tooLong([...path, "name"], 32));
  if (isSlash && !body.description) problems.push(required([...path, "description"]));
  if ((body.description?.length ?? 0) > 100) problems.push(tooLong([...path, "description"], 100));
  if ((body.options?.length ?? 0) > 25) problems.push(tooLong([...path, "options"], 25));
  return problems;
}
