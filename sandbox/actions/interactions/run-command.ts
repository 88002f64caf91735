import {
  type APIApplicationCommand,
  ApplicationCommandType,
  InteractionType,
  PermissionFlagsBits,
} from "discord-api-types/v10";
import type { ApplicationRecord, AttachmentRecord, InteractionRecord, MessageRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { allows, type Place, permissionsIn, requireMessage, requirePlace } from "../access.ts";
import { checkFileSizes } from "../check-draft.ts";
import { findCommandNamed } from "../commands.ts";
import { toAttachment } from "../compose-message.ts";
import { missingPermissions, unknownApplication, unknownCommand, unknownUser } from "../errors.ts";
import type { AttachmentDraft } from "../message-draft.ts";
import { filledOptions, type OptionValue, toSentOptions } from "./command-options.ts";
import { openInteraction } from "./open-interaction.ts";
import { resolve, sortIds } from "./resolve.ts";

export interface CommandRequest {
  readonly applicationId: string;
  readonly channelId: string;
  /** The command's name; a subcommand follows after a space, as one types it. */
  readonly name: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** By the name of the option that they are given for. */
  readonly files?: Readonly<Record<string, AttachmentDraft>>;
}

/** A person types a slash command. */
export function runCommand(world: World, actor: string, request: CommandRequest): InteractionRecord {
  const [name = "", ...path] = request.name.replace(/^\//, "").split(" ");
  const found = findUsable(world, actor, { ...request, name, type: ApplicationCommandType.ChatInput });
  const given = Object.entries(request.files ?? {}).map(([name, draft]) => [name, toAttachment(world, draft)] as const);
  const files = given.map(([, file]) => file);
  checkFileSizes(Object.values(request.files ?? {}));
  const options = toSentOptions(found.command.options ?? [], {
    path,
    values: { ...request.options, ...Object.fromEntries(given.map(([option, { id }]) => [option, id])) },
    files: files.map(({ id }) => id),
  });
  return open(world, actor, found, { options, files });
}

/** A person is typing an option and waits for suggestions. */
export function askSuggestions(
  world: World,
  actor: string,
  request: CommandRequest & { readonly focused: string },
): InteractionRecord {
  const [name = "", ...path] = request.name.replace(/^\//, "").split(" ");
  const found = findUsable(world, actor, { ...request, name, type: ApplicationCommandType.ChatInput });
  const { focused } = request;
  // Suggestions are asked for before the first letter, too.
  const values = { [focused]: "", ...request.options };
  const options = toSentOptions(found.command.options ?? [], { path, values, focused });
  return open(world, actor, found, { options, type: InteractionType.ApplicationCommandAutocomplete });
}

/** A person picks a command from the menu of a message or a user. */
export function useMenu(
  world: World,
  actor: string,
  request: Omit<CommandRequest, "options"> & ({ readonly messageId: string } | { readonly userId: string }),
): InteractionRecord {
  const onMessage = "messageId" in request;
  const type = onMessage ? ApplicationCommandType.Message : ApplicationCommandType.User;
  const found = findUsable(world, actor, { ...request, type });
  if (onMessage) return open(world, actor, found, { targetMessage: requireMessage(found.place, request.messageId) });
  if (!world.users.has(request.userId)) throw unknownUser();
  return open(world, actor, found, { targetUserId: request.userId });
}

export interface UsableCommand {
  readonly application: ApplicationRecord;
  readonly command: APIApplicationCommand;
}

interface Usable extends UsableCommand {
  readonly place: Place;
}

interface Use {
  readonly options?: ReturnType<typeof toSentOptions>;
  readonly files?: readonly AttachmentRecord[];
  readonly type?: InteractionType;
  readonly targetMessage?: MessageRecord;
  readonly targetUserId?: string;
}

function findUsable(
  world: World,
  actor: string,
  request: { applicationId: string; channelId: string; name: string; type: ApplicationCommandType },
): Usable {
  const place = requirePlace(world, actor, request.channelId);
  const application = world.applications.get(request.applicationId);
  if (!application) throw unknownApplication();
  const guildId = place.guild?.id ?? null;
  const command = isThere(application, place) ? findCommandNamed(application, { ...request, guildId }) : undefined;
  if (!command) throw unknownCommand();
  if (!mayUse(world, actor, place, command)) throw missingPermissions();
  return { place, application, command };
}

/** The commands that the actor can use in a channel: a guild's own, and the global ones besides. */
export function listCommands(world: World, actor: string, channelId: string): UsableCommand[] {
  const place = requirePlace(world, actor, channelId);
  const here = [...world.applications.values()].filter((application) => isThere(application, place));
  return here.flatMap((application) => {
    const own = application.guildCommands.get(place.guild?.id ?? "") ?? new Map<string, APIApplicationCommand>();
    const isOwn = ({ name, type }: APIApplicationCommand) =>
      own.values().some((one) => one.name === name && one.type === type);
    const all = [...own.values(), ...application.commands.values().filter((command) => !isOwn(command))];
    const usable = all.filter((command) => mayUse(world, actor, place, command));
    return usable.map((command) => ({ application, command }));
  });
}

function isThere({ botId }: ApplicationRecord, { guild, channel }: Place): boolean {
  return guild ? guild.members.has(botId) : channel.recipients.includes(botId);
}

function mayUse(world: World, actor: string, place: Place, command: APIApplicationCommand): boolean {
  if (!place.guild) return command.guild_id === undefined && command.contexts?.includes(1) !== false;
  const permissions = permissionsIn(world, place, actor);
  const needed = command.default_member_permissions ?? "";
  // "0" stands for administrators only.
  const more = needed === "0" ? PermissionFlagsBits.Administrator : BigInt(needed);
  return allows(permissions, PermissionFlagsBits.UseApplicationCommands | more);
}

function open(world: World, actor: string, { place, application, command }: Usable, use: Use): InteractionRecord {
  const { options = [], files = [], targetMessage, targetUserId } = use;
  const named = sortIds(world, place, filledOptions(options));
  const resolved = resolve(world, {
    place,
    viewer: { userId: actor, botId: application.botId },
    ...named,
    users: targetUserId === undefined ? named.users : [targetUserId],
    ...(targetMessage && { messages: [targetMessage] }),
    files,
  });
  const targetId = targetMessage?.id ?? targetUserId;
  return openInteraction(world, {
    application,
    type: use.type ?? InteractionType.ApplicationCommand,
    place,
    userId: actor,
    isContextMenu: targetId !== undefined,
    files,
    data: {
      id: command.id,
      name: command.name,
      type: command.type,
      ...(command.guild_id !== undefined && { guild_id: command.guild_id }),
      ...(options.length > 0 && { options }),
      ...(Object.keys(resolved).length > 0 && { resolved }),
      ...(targetId !== undefined && { target_id: targetId }),
    },
    metadata: {
      name: [command.name, ...subcommandNames(options)].join(" "),
      ...(targetMessage && { targetMessageId: targetMessage.id }),
      ...(targetUserId !== undefined && { targetUserId }),
    },
  });
}

function subcommandNames(options: ReturnType<typeof toSentOptions>): string[] {
  const branch = options[0];
  return branch?.options ? [branch.name, ...subcommandNames([...branch.options])] : [];
}
